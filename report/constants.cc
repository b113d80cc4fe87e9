#include "report/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/constant_layout.h"
#include "ir/analysis/constant_section.h"

namespace tenon {

namespace {

constexpr int64_t kMostSample = int64_t{256} << 10;
constexpr int64_t kLeastSample = int64_t{4} << 10;
constexpr int64_t kMostSamples = int64_t{64} << 20;
constexpr int64_t kPiece = int64_t{64} << 10;

int64_t SaturatedSum(int64_t a, int64_t b) {
  return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a;
}

/// LZ4's block format: a token, lengths over 15 in bytes of up to 255, offsets of two bytes,
/// matches of four bytes or more, and no match in the last twelve bytes.
int64_t CostOf(std::span<const uint8_t> piece) {
  constexpr int kBits = 12;
  constexpr size_t kLeastMatch = 4;
  constexpr size_t kTail = 12;
  std::array<uint32_t, size_t{1} << kBits> last{};
  const auto extra = [](size_t length) { return length < 15 ? 0 : 1 + (length - 15) / 255; };
  size_t cost = 0;
  size_t literals = 0;
  for (size_t at = 0; at < piece.size();) {
    if (at + kTail >= piece.size()) {
      literals += piece.size() - at;
      break;
    }
    uint32_t word = 0;
    std::memcpy(&word, &piece[at], sizeof(word));
    uint32_t& entry = last[(word * 2654435761U) >> (32 - kBits)];
    const size_t from = entry;  // 0: none yet, or the first
    entry = static_cast<uint32_t>(at);
    uint32_t there = 0;
    std::memcpy(&there, &piece[from], sizeof(there));
    if (from >= at || there != word || at - from > 65535) {
      ++at;
      ++literals;
      continue;
    }
    size_t length = kLeastMatch;
    while (at + length + 5 < piece.size() && piece[from + length] == piece[at + length]) ++length;
    cost += 3 + literals + extra(literals) + extra(length - kLeastMatch);
    literals = 0;
    at += length;
  }
  return static_cast<int64_t>(cost + 1 + literals + extra(literals));
}

std::string HashText(const Constant& constant) {
  const absl::StatusOr<ContentHash> hash = constant.Hash();
  return hash.ok() ? fmt::format("xxh3:{:016x}{:016x}", hash->high, hash->low) : std::string();
}

/// The bytes in place, unchecked; empty if they are not available.
std::span<const uint8_t> BytesOf(const Constant& constant) {
  const ConstantRoot root = RootOf(constant);
  const std::span<const uint8_t> bytes = root.data->source().bytes;
  const auto offset = static_cast<size_t>(root.offset);
  const auto size = static_cast<size_t>(constant.size_bytes());
  const bool is_there = root.data->source().kind == ConstantSource::Kind::kBytes &&
                        offset <= bytes.size() && size <= bytes.size() - offset;
  return is_there ? bytes.subspan(offset, size) : std::span<const uint8_t>();
}

std::string_view SourceName(const ConstantSource& source) {
  switch (source.kind) {
    case ConstantSource::Kind::kBytes:
      return source.file.empty() ? "text" : "file";
    case ConstantSource::Kind::kSplat:
      return "splat";
    case ConstantSource::Kind::kSlice:
      return "slice";
    case ConstantSource::Kind::kHash:
      return "hash";
  }
  return "";
}

class Describer {
 public:
  Describer(MemoryReport& report, std::span<const Constant* const> data)
      : report_(report), data_(data) {}

  void Run() {
    absl::flat_hash_map<const Constant*, size_t> index_of;
    std::vector<const Constant*> order;
    for (size_t i = 0; i < report_.buffers.size(); ++i) {
      ReportBuffer& buffer = report_.buffers[i];
      const Constant* data = i < data_.size() ? data_[i] : nullptr;
      if (data == nullptr) continue;
      const auto [found, is_new] = index_of.try_emplace(data, order.size());
      if (is_new) {
        order.push_back(data);
        Add(*data, buffer);
        bytes_ += static_cast<double>(data->size_bytes());
      }
      buffer.constant = static_cast<int64_t>(found->second);
      ReportConstant& constant = report_.constants[found->second];
      ++constant.uses;
      constant.bytes_read = SaturatedSum(constant.bytes_read, buffer.bytes_read);
      if (!buffer.function.empty() &&
          (constant.users.empty() || constant.users.back() != buffer.function) &&
          std::find(constant.users.begin(), constant.users.end(), buffer.function) ==
              constant.users.end()) {
        constant.users.push_back(buffer.function);
      }
    }
    for (size_t i = 0; i < order.size(); ++i)
      report_.constants[i].compressed_bytes = Compressed(*order[i]);
  }

 private:
  void Add(const Constant& data, const ReportBuffer& buffer) {
    ReportConstant& constant = report_.constants.emplace_back();
    constant.name = data.name().empty() ? buffer.name : data.name().view();
    constant.dtype = data.dtype().ToString();
    constant.shape = data.shape();
    constant.size_bytes = data.size_bytes();
    constant.hash = HashText(data);
    constant.source = SourceName(data.source());
    constant.file = data.source().file;
    constant.section = SectionOf(data);
    constant.alignment = data.placement().alignment;
    constant.address_significant = data.placement().address_significant;
    constant.load = data.placement().load;
    constant.codec = data.placement().codec;
    if (!constant.load.empty()) constant.stored_bytes = StoredBytes(data);
    const ConstantRoot root = RootOf(data);
    if (root.data != &data) {
      constant.base = root.data->name().view();
      constant.base_offset = root.offset;
    }
  }

  static int64_t StoredBytes(const Constant& data) {
    if (data.placement().codec.empty()) return data.size_bytes();
    const absl::StatusOr<std::span<const uint8_t>> stored = data.StoredBytes();
    return stored.ok() ? static_cast<int64_t>(stored->size()) : -1;
  }

  int64_t Compressed(const Constant& data) const {
    // An actual size is better than an estimate.
    if (data.placement().codec == "lz4") {
      if (const int64_t stored = StoredBytes(data); stored >= 0) return stored;
    }
    if (data.source().kind == ConstantSource::Kind::kSplat)
      return std::min(data.size_bytes(), data.size_bytes() / 255 + 16);
    const std::span<const uint8_t> bytes = BytesOf(data);
    if (bytes.empty()) return data.size_bytes() == 0 ? 0 : -1;
    // Each constant gets its share of the total sample size.
    const double part = static_cast<double>(bytes.size()) / bytes_;
    const auto most = static_cast<int64_t>(part * static_cast<double>(kMostSamples));
    return EstimateLz4(bytes, std::clamp(most, kLeastSample, kMostSample));
  }

  MemoryReport& report_;
  std::span<const Constant* const> data_;
  double bytes_ = 0;
};

/// The number of bytes that the intervals cover.
int64_t Covered(std::vector<ReportRange>& intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const ReportRange& a, const ReportRange& b) {
    return a.lower != b.lower ? a.lower < b.lower : a.upper < b.upper;
  });
  int64_t covered = 0;
  int64_t end = INT64_MIN;
  for (const ReportRange& interval : intervals) {
    const int64_t begin = std::max(interval.lower, end);
    if (interval.upper <= begin) continue;
    covered += interval.upper - begin;
    end = interval.upper;
  }
  return covered;
}

}  // namespace

int64_t EstimateLz4(std::span<const uint8_t> bytes, int64_t most) {
  const auto size = static_cast<int64_t>(bytes.size());
  if (size <= most) return std::min(size, CostOf(bytes));
  const int64_t pieces = std::max<int64_t>(1, most / kPiece);
  const int64_t piece = std::min(most, kPiece);
  int64_t cost = 0;
  for (int64_t i = 0; i < pieces; ++i) {
    // Spread the pieces from the first bytes to the last ones.
    const int64_t at = pieces == 1 ? 0 : (size - piece) / (pieces - 1) * i;
    cost += CostOf(bytes.subspan(static_cast<size_t>(at), static_cast<size_t>(piece)));
  }
  const double ratio = static_cast<double>(cost) / static_cast<double>(pieces * piece);
  return std::min(size, static_cast<int64_t>(static_cast<double>(size) * ratio));
}

int64_t MemoryReport::constant_bytes() const {
  int64_t bytes = ConstantBytesOf(*this, "").stored_bytes;
  for (const ReportPool& pool : pools) {
    if (pool.is_constant) bytes = SaturatedSum(bytes, pool.size_bytes);
  }
  // A loaded constant may be stored outside of pools.
  for (const ReportConstant& constant : constants) {
    if (!constant.load.empty() && constant.stored_pool.empty() && constant.stored_bytes > 0)
      bytes = SaturatedSum(bytes, constant.stored_bytes);
  }
  return bytes;
}

void DescribeConstants(MemoryReport& report, std::span<const Constant* const> data) {
  Describer(report, data).Run();
}

ConstantBytes ConstantBytesOf(const MemoryReport& report, std::string_view pool) {
  ConstantBytes bytes;
  std::vector<bool> seen(report.constants.size());
  // Intervals are addresses in a pool, or offsets in the containing constant outside of pools.
  std::map<std::string_view, std::vector<ReportRange>> stored;
  double compressible = 0;
  double smaller = 0;
  for (const ReportBuffer& buffer : report.buffers) {
    if (!buffer.is_constant || buffer.pool != pool) continue;
    ++bytes.uses;
    bytes.used_bytes = SaturatedSum(bytes.used_bytes, buffer.size_bytes);
    const ReportConstant* constant = report.ConstantOf(buffer);
    if (!pool.empty()) {
      stored[pool].push_back({buffer.offset, buffer.offset + buffer.size_bytes});
    } else if (constant == nullptr) {
      bytes.stored_bytes = SaturatedSum(bytes.stored_bytes, buffer.size_bytes);
    }
    if (constant == nullptr) continue;
    const auto index = static_cast<size_t>(buffer.constant);
    if (pool.empty()) {
      const std::string_view root = constant->base.empty() ? constant->name : constant->base;
      stored[root].push_back({constant->base_offset, constant->base_offset + constant->size_bytes});
    }
    if (seen[index]) continue;
    seen[index] = true;
    ++bytes.constants;
    if (constant->compressed_bytes < 0) continue;
    compressible += static_cast<double>(constant->size_bytes);
    smaller += static_cast<double>(std::min(constant->compressed_bytes, constant->size_bytes));
  }
  for (auto& [root, intervals] : stored)
    bytes.stored_bytes = SaturatedSum(bytes.stored_bytes, Covered(intervals));
  if (compressible > 0) {
    bytes.compressed_bytes =
        static_cast<int64_t>(static_cast<double>(bytes.stored_bytes) * smaller / compressible);
  }
  return bytes;
}

std::optional<ConstantBytes> InPlaceBytes(const MemoryReport& report) {
  const ConstantBytes bytes = ConstantBytesOf(report, "");
  return bytes.uses > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace tenon

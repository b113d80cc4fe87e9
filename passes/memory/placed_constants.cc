// One sweep over the sorted places finds all pairs that share bytes. A constant and an allocation
// never may, since each run needs the constant. Two constants may if the shared bytes are equal.

#include "passes/memory/placed_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>

#include "absl/status/statusor.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"

namespace tenon {

namespace {

/// Bytes at a place in a pool: those of an allocation, of a constant, or of its stored form.
struct PlacedBytes {
  std::string_view pool;
  int64_t begin = 0;
  int64_t end = 0;
  int32_t allocation = 0;
  const Constant* data = nullptr;
  bool is_stored_form = false;
};

/// The constant that a slice was cut from, and the offset in it.
std::pair<const Constant*, int64_t> WholeOf(const Constant& constant) {
  const Constant* whole = &constant;
  int64_t offset = 0;
  while (whole->source().kind == ConstantSource::Kind::kSlice) {
    offset += whole->source().offset;
    whole = whole->source().base;
  }
  return {whole, offset};
}

absl::StatusOr<std::span<const uint8_t>> BytesOf(const PlacedBytes& placed) {
  return placed.is_stored_form ? placed.data->StoredBytes() : placed.data->Bytes();
}

std::vector<PlacedBytes> Collect(const PlacedModule& module) {
  std::vector<PlacedBytes> all;
  for (size_t i = 0; i < module.allocations().size(); ++i) {
    const PlacedAllocation& at = module.allocations()[i];
    const auto index = static_cast<int32_t>(i);
    if (at.has_place() && at.size_bytes > 0)
      all.push_back({at.pool, at.offset, at.offset + at.size_bytes, index, at.data});
    const auto* constant = dyn_cast<AllocateConst>(at.stmt);
    if (constant == nullptr) continue;
    const std::optional<PlacementNote> stored = ReadStoredPlacement(constant->annotations);
    if (!stored || at.data == nullptr || stored->offset < 0 || stored->offset > kMostPoolSize)
      continue;
    const auto bytes = at.data->StoredBytes();
    if (!bytes.ok()) continue;
    all.push_back({stored->pool, stored->offset,
                   stored->offset + static_cast<int64_t>(bytes->size()), index, at.data, true});
  }
  std::sort(all.begin(), all.end(), [](const PlacedBytes& a, const PlacedBytes& b) {
    return std::tie(a.pool, a.begin, a.end, a.allocation) <
           std::tie(b.pool, b.begin, b.end, b.allocation);
  });
  return all;
}

class ConstantJudge {
 public:
  ConstantJudge(const PlacedModule& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics) {}

  void Run() {
    std::vector<const PlacedBytes*> before;
    const std::vector<PlacedBytes> all = Collect(module_);
    for (const PlacedBytes& now : all) {
      std::erase_if(before, [&](const PlacedBytes* past) {
        return past->pool != now.pool || past->end <= now.begin;
      });
      for (const PlacedBytes* past : before) {
        if (past->data != nullptr || now.data != nullptr) Check(*past, now);
      }
      before.push_back(&now);
    }
  }

 private:
  std::string Names(const PlacedBytes& a, const PlacedBytes& b) const {
    const auto name = [&](const PlacedBytes& of) {
      return fmt::format("{} `{}`{}", of.data != nullptr ? "constant" : "allocation",
                         module_.At(of.allocation).name, of.is_stored_form ? " as stored" : "");
    };
    return fmt::format("{} and {} overlap in pool `{}`", name(a), name(b), a.pool);
  }

  void Error(const PlacedBytes& a, const std::string& text) {
    diagnostics_.Error(DiagnosticKind::kPass, module_.At(a.allocation).stmt->range, text);
  }

  void Check(const PlacedBytes& a, const PlacedBytes& b) {
    if (a.data == nullptr || b.data == nullptr)
      return Error(a, Names(a, b) + ": a constant is needed in every run, run plan-memory again");
    if (IsSamePart(a, b)) return;
    const auto x = BytesOf(a);
    const auto y = BytesOf(b);
    if (!x.ok() || !y.ok())
      return Error(a, Names(a, b) + ", and their bytes are not there to be compared");
    const int64_t begin = std::max(a.begin, b.begin);
    const int64_t end = std::min({a.end, b.end, a.begin + static_cast<int64_t>(x->size()),
                                  b.begin + static_cast<int64_t>(y->size())});
    for (int64_t at = begin; at < end; ++at) {
      const uint8_t first = (*x)[static_cast<size_t>(at - a.begin)];
      const uint8_t second = (*y)[static_cast<size_t>(at - b.begin)];
      if (first == second) continue;
      return Error(a, fmt::format("{} and differ at offset {}: {} and {}, run plan-memory again",
                                  Names(a, b), at, first, second));
    }
  }

  /// True if both were cut from one constant, at places that agree.
  static bool IsSamePart(const PlacedBytes& a, const PlacedBytes& b) {
    if (a.is_stored_form != b.is_stored_form) return false;
    if (a.is_stored_form && !a.data->placement().codec.empty()) return false;
    const auto [x, x_offset] = WholeOf(*a.data);
    const auto [y, y_offset] = WholeOf(*b.data);
    return x == y && a.begin - x_offset == b.begin - y_offset;
  }

  const PlacedModule& module_;
  Diagnostics& diagnostics_;
};

}  // namespace

void CheckPlacedConstants(const PlacedModule& placed, Diagnostics& diagnostics) {
  ConstantJudge(placed, diagnostics).Run();
}

}  // namespace tenon

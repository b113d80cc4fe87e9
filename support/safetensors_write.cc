#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "support/checked.h"
#include "support/file.h"
#include "support/json_writer.h"
#include "support/little_endian.h"
#include "support/safetensors.h"
#include "support/safetensors_types.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr std::string_view kPadPrefix = "__pad_";

const SafetensorsType* FindType(std::string_view dtype) {
  for (const SafetensorsType& type : kSafetensorsTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

/// A place in the file: a tensor, or a pad if `tensor` is null.
struct Placed {
  const SafetensorsTensor* tensor = nullptr;
  int64_t bytes = 0;
};

absl::Status CheckTensors(std::span<const SafetensorsTensor> tensors) {
  absl::flat_hash_set<std::string> names;
  for (const SafetensorsTensor& tensor : tensors) {
    const SafetensorsType* type = FindType(tensor.dtype);
    if (type == nullptr) {
      return absl::InvalidArgumentError(
          fmt::format("tensor `{}`: safetensors has no type for `{}`", tensor.name, tensor.dtype));
    }
    if (tensor.name == kSafetensorsMetadataKey || !names.insert(tensor.name).second) {
      return absl::InvalidArgumentError(
          fmt::format("tensor name `{}` is used twice or reserved", tensor.name));
    }
    if (!IsPowerOfTwo(tensor.alignment) || tensor.alignment > kSafetensorsAlignment) {
      return absl::InvalidArgumentError(
          fmt::format("tensor `{}` has the alignment {}, expected a power of two up to {}",
                      tensor.name, tensor.alignment, kSafetensorsAlignment));
    }
    const std::optional<int64_t> bytes = BytesOf(tensor.shape, type->bytes);
    if (!bytes || (!tensor.append && static_cast<int64_t>(tensor.bytes.size()) != *bytes)) {
      return absl::InvalidArgumentError(
          fmt::format("tensor `{}` has {} bytes, expected the data of {} [{}]", tensor.name,
                      tensor.bytes.size(), tensor.dtype, fmt::join(tensor.shape, ", ")));
    }
  }
  return absl::OkStatus();
}

/// Largest alignment first, while the offset is aligned for it: tensors of aligned sizes then need
/// no padding. One queue for each power of two keeps this linear.
std::vector<Placed> PlaceTensors(std::span<const SafetensorsTensor> tensors) {
  struct Queue {
    std::vector<const SafetensorsTensor*> tensors;
    size_t next = 0;
    bool empty() const { return next == tensors.size(); }
  };
  std::vector<Queue> queues(13);  // alignments 2^0 to 2^12
  for (const SafetensorsTensor& tensor : tensors) {
    queues[static_cast<size_t>(__builtin_ctzll(static_cast<uint64_t>(tensor.alignment)))]
        .tensors.push_back(&tensor);
  }
  std::vector<Placed> placed;
  int64_t offset = 0;
  for (size_t left = tensors.size(); left != 0;) {
    Queue* chosen = nullptr;
    int64_t gap = 0;
    for (size_t log = queues.size(); log-- > 0;) {
      if (queues[log].empty()) continue;
      // Downwards, so that among alignments with the smallest gap the largest is chosen.
      const int64_t needed = -offset & ((int64_t{1} << log) - 1);
      if (chosen != nullptr && needed >= gap) continue;
      chosen = &queues[log];
      gap = needed;
    }
    if (gap != 0) placed.push_back({.tensor = nullptr, .bytes = gap});
    const SafetensorsTensor* tensor = chosen->tensors[chosen->next++];
    // CheckTensors has checked that the product is valid.
    placed.push_back(
        {.tensor = tensor, .bytes = *BytesOf(tensor->shape, FindType(tensor->dtype)->bytes)});
    offset += gap + placed.back().bytes;
    --left;
  }
  return placed;
}

/// The names of padding tensors, in order, without names that are taken.
std::vector<std::string> PadNames(std::span<const SafetensorsTensor> tensors, size_t count) {
  absl::flat_hash_set<std::string> taken;
  for (const SafetensorsTensor& tensor : tensors) {
    if (IsSafetensorsPad(tensor.name)) taken.insert(tensor.name);
  }
  std::vector<std::string> names;
  for (size_t i = 0; names.size() < count; ++i) {
    std::string name = fmt::format("{}{}", kPadPrefix, i);
    if (!taken.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

absl::Status CheckText(std::string_view text) {
  if (IsUtf8(text)) return absl::OkStatus();
  return absl::InvalidArgumentError("a name or metadata of a safetensors file is not UTF-8");
}

absl::Status WriteMetadata(const SafetensorsMetadata& metadata, JsonWriter& json) {
  json.Key("__metadata__");
  json.BeginObject();
  absl::flat_hash_set<std::string> keys;
  for (const auto& [key, value] : metadata) {
    if (!keys.insert(key).second) {
      return absl::InvalidArgumentError(fmt::format("metadata key `{}` is used twice", key));
    }
    TENON_TRY(CheckText(key));
    TENON_TRY(CheckText(value));
    json.Member(key, value);
  }
  json.EndObject();
  return absl::OkStatus();
}

absl::StatusOr<std::string> JsonHeader(std::span<const SafetensorsTensor> tensors,
                                       std::span<const Placed> placed,
                                       const SafetensorsMetadata& metadata) {
  std::string text;
  JsonWriter json(text, JsonLayout::kCompact);
  json.BeginObject();
  if (!metadata.empty()) TENON_TRY(WriteMetadata(metadata, json));
  const auto pads = static_cast<size_t>(std::count_if(
      placed.begin(), placed.end(), [](const Placed& place) { return place.tensor == nullptr; }));
  const std::vector<std::string> pad_names = PadNames(tensors, pads);
  size_t pad = 0;
  int64_t offset = 0;
  for (const auto& [tensor, bytes] : placed) {
    const bool is_pad = tensor == nullptr;
    const std::string& name = is_pad ? pad_names[pad++] : tensor->name;
    TENON_TRY(CheckText(name));
    json.Key(name);
    json.BeginObject();
    json.Member("dtype", is_pad ? "U8" : FindType(tensor->dtype)->code);
    json.Member("shape", is_pad ? std::vector<int64_t>{bytes} : tensor->shape);
    json.Member("data_offsets", std::vector<int64_t>{offset, offset + bytes});
    json.EndObject();
    offset += bytes;
  }
  json.EndObject();
  const size_t align = static_cast<size_t>(kSafetensorsAlignment);
  const size_t start = (kSafetensorsLengthBytes + text.size() + align - 1) / align * align;
  text.append(start - kSafetensorsLengthBytes - text.size(), ' ');
  if (text.size() > kSafetensorsHeaderLimit) {
    return absl::InvalidArgumentError(
        fmt::format("safetensors header of {} bytes is longer than the limit of {}", text.size(),
                    kSafetensorsHeaderLimit));
  }
  return text;
}

absl::Status StreamPlaced(const Placed& placed, const ByteSink& sink) {
  const auto [tensor, bytes] = placed;
  if (tensor == nullptr) return sink(std::string(static_cast<size_t>(bytes), '\0'));
  if (!tensor->append) {
    absl::Status status;
    ForEachPiece(PagedBytes{tensor->bytes, tensor->is_mapped}, [&](std::string_view piece) {
      status = sink(piece);
      return status.ok();
    });
    return status;
  }
  size_t given = 0;
  TENON_TRY(tensor->append([&](std::string_view piece) {
    given += piece.size();
    return sink(piece);
  }));
  if (given == static_cast<size_t>(bytes)) return absl::OkStatus();
  return absl::InternalError(fmt::format("tensor `{}` was written with {} bytes instead of {}",
                                         tensor->name, given, bytes));
}

}  // namespace

bool IsSafetensorsPad(std::string_view name) {
  if (name.substr(0, kPadPrefix.size()) != kPadPrefix) return false;
  name.remove_prefix(kPadPrefix.size());
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

int64_t SafetensorsElementBytes(std::string_view dtype) {
  const SafetensorsType* type = FindType(dtype);
  return type == nullptr ? 0 : type->bytes;
}

absl::StatusOr<std::string> SafetensorsHeader(std::span<const SafetensorsTensor> tensors,
                                              const SafetensorsMetadata& metadata) {
  TENON_TRY(CheckTensors(tensors));
  std::vector<Placed> placed;
  for (const SafetensorsTensor& tensor : tensors)
    placed.push_back({&tensor, *BytesOf(tensor.shape, FindType(tensor.dtype)->bytes)});
  TENON_ASSIGN_OR(const std::string json, JsonHeader(tensors, placed, metadata));
  std::string header;
  AppendLittleEndian(static_cast<uint64_t>(json.size()), &header);
  return header + json;
}

absl::Status StreamSafetensors(const ByteSink& sink, std::span<const SafetensorsTensor> tensors,
                               const SafetensorsMetadata& metadata) {
  TENON_TRY(CheckTensors(tensors));
  const std::vector<Placed> placed = PlaceTensors(tensors);
  TENON_ASSIGN_OR(const std::string json, JsonHeader(tensors, placed, metadata));
  std::string length;
  AppendLittleEndian(static_cast<uint64_t>(json.size()), &length);
  TENON_TRY(sink(length));
  TENON_TRY(sink(json));
  for (const Placed& place : placed) TENON_TRY(StreamPlaced(place, sink));
  return absl::OkStatus();
}

absl::Status WriteSafetensors(std::string_view path, std::span<const SafetensorsTensor> tensors,
                              const SafetensorsMetadata& metadata) {
  // Errors in the tensors are reported before errors of the path.
  TENON_TRY(CheckTensors(tensors));
  TENON_ASSIGN_OR(OutputFile file, OutputFile::Create(path));
  TENON_TRY(StreamSafetensors([&](std::string_view piece) { return file.Append(piece); }, tensors,
                              metadata));
  return file.Commit();
}

}  // namespace tenon

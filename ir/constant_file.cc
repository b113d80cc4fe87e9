#include "ir/constant_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/file.h"
#include "support/hash.h"

namespace tenon {
namespace {

constexpr int64_t kUsualAlignment = 64;  // a cache line

absl::StatusOr<SafetensorsTensor> TensorOf(const NamedConstant& named) {
  const Constant* constant = named.constant;
  if (!constant->has_bytes()) return constant->Bytes().status();
  TensorForm form = TensorFormOf(constant->dtype(), constant->shape());
  SafetensorsTensor tensor;
  tensor.name = named.name;
  tensor.dtype = std::move(form.dtype);
  tensor.shape = std::move(form.shape);
  // Piece by piece, so that neither splats nor mapped files are in memory as a whole.
  tensor.append = [constant](const ByteSink& sink) { return constant->ForEachPiece(sink); };
  tensor.alignment =
      std::min(kSafetensorsAlignment, std::max(kUsualAlignment, constant->placement().alignment));
  return tensor;
}

bool AllBools(PagedBytes bytes) {
  return ForEachPiece(bytes, [](std::string_view piece) {
    char bits = 0;
    for (const char c : piece) bits = static_cast<char>(bits | c);
    return (bits & ~1) == 0;
  });
}

}  // namespace

TensorForm TensorFormOf(DataType dtype, const std::vector<int64_t>& shape) {
  TensorForm result{dtype.element().ToString(), shape};
  if (dtype.lanes() != 1) result.shape.push_back(dtype.lanes());
  if (SafetensorsElementBytes(result.dtype) != 0) return result;
  int64_t size = dtype.bytes();
  for (const int64_t extent : shape) size *= extent;
  return {"uint8", {size}};
}

absl::StatusOr<ConstantSource> ReadConstant(const SafetensorsFile& file, std::string_view name,
                                            std::string_view key, DataType dtype,
                                            const std::vector<int64_t>& shape) {
  const SafetensorsEntry* entry = file.Find(key);
  if (entry == nullptr) {
    return absl::NotFoundError(fmt::format("{} has no tensor `{}`", name, key));
  }
  const TensorForm expected = TensorFormOf(dtype, shape);
  if (entry->dtype != expected.dtype || entry->shape != expected.shape) {
    return absl::InvalidArgumentError(fmt::format("`{}` in {} is {} [{}], expected {} [{}]", key,
                                                  name, entry->dtype, fmt::join(entry->shape, ", "),
                                                  expected.dtype, fmt::join(expected.shape, ", ")));
  }
  const std::string_view bytes = file.BytesOf(*entry);
  if (dtype.is_bool() && !AllBools(file.file()->Paged(bytes))) {
    return absl::InvalidArgumentError(
        fmt::format("`{}` in {} has a byte that is neither 0 nor 1, expected bools", key, name));
  }
  ConstantSource source;
  source.bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  source.owner = file.file();
  source.is_mapped = file.file()->is_mapped();
  source.file = name;
  source.file_key = key;
  source.tensor = std::make_shared<const FileTensor>(FileTensor{file.file()->path(), dtype, shape});
  if (const std::string* text = file.FindMetadata(fmt::format("xxh3.{}", key))) {
    const absl::StatusOr<Hash128> hash = ParseHash(*text);
    if (!hash.ok()) {
      return absl::InvalidArgumentError(fmt::format(
          "the hash of `{}` in {}: {}", key, name,
          std::string_view(hash.status().message().data(), hash.status().message().size())));
    }
    source.hash = {hash->hi, hash->lo};
    source.hash_claimed = true;
  }
  return source;
}

absl::Status WriteConstants(std::string_view path, std::span<const NamedConstant> constants) {
  std::vector<SafetensorsTensor> tensors;
  SafetensorsMetadata metadata;
  for (const NamedConstant& named : constants) {
    absl::StatusOr<SafetensorsTensor> tensor = TensorOf(named);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
    const absl::StatusOr<ContentHash> hash = named.constant->Hash();
    if (!hash.ok()) return hash.status();
    metadata.emplace_back(fmt::format("xxh3.{}", named.name),
                          HashToString({hash->high, hash->low}));
  }
  return WriteSafetensors(path, tensors, metadata);
}

}  // namespace tenon

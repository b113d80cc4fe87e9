#include "parser/constant_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/file.h"
#include "support/hash.h"

namespace tenon {
namespace {

// What the file should say about a constant.
struct Expected {
  std::string dtype;
  std::vector<int64_t> shape;
};

Expected ExpectedOf(DataType dtype, const std::vector<int64_t>& shape) {
  Expected result{dtype.element().ToString(), shape};
  if (dtype.lanes() != 1) result.shape.push_back(dtype.lanes());
  if (SafetensorsElementBytes(result.dtype) != 0) return result;
  int64_t size = dtype.bytes();
  for (const int64_t extent : shape) size *= extent;
  return {"uint8", {size}};
}

}  // namespace

const absl::StatusOr<SafetensorsFile>& ConstantFiles::Open(std::string_view name) {
  std::string path(name);
  if (!name.starts_with('/') && !base_dir_.empty()) path = fmt::format("{}/{}", base_dir_, name);
  std::unique_ptr<absl::StatusOr<SafetensorsFile>>& slot = files_[path];
  if (slot == nullptr) {
    slot = std::make_unique<absl::StatusOr<SafetensorsFile>>(ReadSafetensors(path));
  }
  return *slot;
}

absl::StatusOr<ConstantSource> ConstantFiles::Read(std::string_view name, std::string_view key,
                                                   DataType dtype,
                                                   const std::vector<int64_t>& shape) {
  const absl::StatusOr<SafetensorsFile>& file = Open(name);
  if (!file.ok()) return file.status();
  const SafetensorsEntry* entry = file->Find(key);
  if (entry == nullptr) {
    return absl::NotFoundError(fmt::format("{} has no tensor `{}`", name, key));
  }
  const Expected expected = ExpectedOf(dtype, shape);
  if (entry->dtype != expected.dtype || entry->shape != expected.shape) {
    return absl::InvalidArgumentError(fmt::format("`{}` in {} is {} [{}], expected {} [{}]", key,
                                                  name, entry->dtype, fmt::join(entry->shape, ", "),
                                                  expected.dtype, fmt::join(expected.shape, ", ")));
  }
  const std::string_view bytes = file->BytesOf(*entry);
  if (dtype.is_bool() && std::any_of(bytes.begin(), bytes.end(), [](char c) { return c & ~1; })) {
    return absl::InvalidArgumentError(
        fmt::format("`{}` in {} has a byte that is no bool", key, name));
  }
  ConstantSource source;
  source.bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  source.owner = file->file();
  source.file = name;
  source.file_key = key;
  if (const std::string* text = file->FindMetadata(fmt::format("xxh3.{}", key))) {
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

}  // namespace tenon

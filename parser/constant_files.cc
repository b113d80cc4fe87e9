#include "parser/constant_files.h"

#include <fmt/format.h>

#include "ir/constant_file.h"

namespace tenon {

const absl::StatusOr<SafetensorsFile>& ConstantFiles::Open(std::string_view name) {
  std::string path(name);
  if (!name.starts_with('/') && !base_dir_.empty()) path = fmt::format("{}/{}", base_dir_, name);
  if (path == "-") path = "./-";  // a file of this name, not standard input
  std::unique_ptr<absl::StatusOr<SafetensorsFile>>& slot = files_[path];
  if (slot != nullptr) return *slot;
  if (find_) {
    absl::StatusOr<std::shared_ptr<const FileBytes>> found = find_(name);
    slot = std::make_unique<absl::StatusOr<SafetensorsFile>>(
        found.ok() ? ParseSafetensors(*std::move(found)) : found.status());
  } else {
    slot = std::make_unique<absl::StatusOr<SafetensorsFile>>(ReadSafetensors(path));
  }
  return *slot;
}

absl::StatusOr<ConstantSource> ConstantFiles::Read(std::string_view name, std::string_view key,
                                                   DataType dtype,
                                                   const std::vector<int64_t>& shape) {
  const absl::StatusOr<SafetensorsFile>& file = Open(name);
  if (!file.ok()) {
    const bool is_new = failed_.insert(std::string(name)).second;
    return is_new ? file.status() : absl::Status(file.status().code(), "");
  }
  return ReadConstant(*file, name, key, dtype, shape);
}

}  // namespace tenon

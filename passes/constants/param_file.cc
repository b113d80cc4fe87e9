#include "passes/constants/param_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/file.h"
#include "support/status_macros.h"

namespace tenon {

absl::StatusOr<ParamFile> ParamFile::Open(std::string_view path) {
  TENON_ASSIGN_OR(std::shared_ptr<const FileBytes> bytes, ReadFile(path, {.regular_only = true}));
  ParamFile file;
  file.path_ = path;
  if (LooksLikeZip(bytes->view())) {
    TENON_ASSIGN_OR(file.npz_, NpzFile::Parse(std::move(bytes)));
    for (const NpzEntry& entry : file.npz_->entries())
      file.entries_.push_back({entry.name, {entry.layout.dtype, entry.layout.shape}});
    return file;
  }
  TENON_ASSIGN_OR(file.safetensors_, ParseSafetensors(std::move(bytes)));
  for (const SafetensorsEntry& entry : file.safetensors_->entries()) {
    if (!IsSafetensorsPad(entry.name))
      file.entries_.push_back({entry.name, {entry.dtype, entry.shape}});
  }
  return file;
}

absl::StatusOr<ConstantSource> ParamFile::Read(size_t index, DataType dtype,
                                               const std::vector<int64_t>& shape) const {
  if (npz_) return ReadNpz(index, dtype, shape);
  return ReadConstant(*safetensors_, path_, entries_[index].name, dtype, shape);
}

absl::StatusOr<ConstantSource> ParamFile::ReadNpz(size_t index, DataType dtype,
                                                  const std::vector<int64_t>& shape) const {
  const Entry& entry = entries_[index];
  const TensorForm expected = TensorFormOf(dtype, shape);
  // Check before unpacking, so that a file uses no more memory than the program requests.
  if (!(entry.form == expected)) {
    return absl::InvalidArgumentError(fmt::format(
        "`{}` in {} is {} [{}], expected {} [{}]", entry.name, path_, entry.form.dtype,
        fmt::join(entry.form.shape, ", "), expected.dtype, fmt::join(expected.shape, ", ")));
  }
  TENON_ASSIGN_OR(OwnedBytes data, npz_->Read(npz_->entries()[index]));
  ConstantSource source;
  source.bytes = {reinterpret_cast<const uint8_t*>(data.bytes.data()), data.bytes.size()};
  source.is_mapped = data.is_mapped;
  source.owner = std::move(data.owner);
  source.file = path_;
  source.file_key = entry.name;
  return source;
}

}  // namespace tenon

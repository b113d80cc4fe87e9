#include "frontends/onnx/tensor_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "support/status_macros.h"
#include "support/whole_number.h"

namespace tenon::onnx {

namespace {

constexpr size_t kMostDimensions = 16;

struct TypeRow {
  ElementType type;
  std::string_view name;
  DataType dtype;
};

constexpr TypeRow kTypes[] = {
    {ElementType::kFloat, "FLOAT", DataType::Float(32)},
    {ElementType::kUInt8, "UINT8", DataType::UInt(8)},
    {ElementType::kInt8, "INT8", DataType::Int(8)},
    {ElementType::kUInt16, "UINT16", DataType::UInt(16)},
    {ElementType::kInt16, "INT16", DataType::Int(16)},
    {ElementType::kInt32, "INT32", DataType::Int(32)},
    {ElementType::kInt64, "INT64", DataType::Int(64)},
    {ElementType::kBool, "BOOL", DataType::Bool()},
    {ElementType::kFloat16, "FLOAT16", DataType::Float(16)},
    {ElementType::kDouble, "DOUBLE", DataType::Float(64)},
    {ElementType::kUInt32, "UINT32", DataType::UInt(32)},
    {ElementType::kUInt64, "UINT64", DataType::UInt(64)},
    {ElementType::kBFloat16, "BFLOAT16", DataType(TypeCode::kBFloat, 16)},
};

struct OtherType {
  int32_t type;
  std::string_view name;
};

constexpr OtherType kOtherTypes[] = {
    {8, "STRING"},          {14, "COMPLEX64"},  {15, "COMPLEX128"},     {17, "FLOAT8E4M3FN"},
    {18, "FLOAT8E4M3FNUZ"}, {19, "FLOAT8E5M2"}, {20, "FLOAT8E5M2FNUZ"}, {21, "UINT4"},
    {22, "INT4"},           {23, "FLOAT4E2M1"}, {24, "FLOAT8E8M0"},     {25, "UINT2"},
    {26, "INT2"},
};

/// Whether a path stays below its folder when it is read as text.
bool IsBelow(const std::filesystem::path& path) {
  if (path.empty() || path.is_absolute() || path.has_root_path()) return false;
  return std::find(path.begin(), path.end(), "..") == path.end();
}

}  // namespace

absl::Status Wrong(std::string_view place, std::string_view message) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", place, message));
}

absl::Status WrongOption(std::string_view place, std::string_view message) {
  return absl::FailedPreconditionError(fmt::format("{}: {}", place, message));
}

std::optional<DataType> TypeOf(int32_t element_type) {
  for (const TypeRow& row : kTypes)
    if (static_cast<int32_t>(row.type) == element_type) return row.dtype;
  return std::nullopt;
}

std::string TypeName(int32_t element_type) {
  for (const TypeRow& row : kTypes)
    if (static_cast<int32_t>(row.type) == element_type) return std::string(row.name);
  for (const OtherType& row : kOtherTypes)
    if (row.type == element_type) return std::string(row.name);
  return fmt::format("type {}", element_type);
}

absl::Status CheckShape(std::string_view place, const std::vector<int64_t>& shape) {
  if (shape.size() > kMostDimensions) {
    return Wrong(place, fmt::format("expected at most {} dimensions, found {}", kMostDimensions,
                                    shape.size()));
  }
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    if (extent < 0)
      return Wrong(place, fmt::format("expected extents of 0 or more, found {}", extent));
    // Each factor fits 31 bits, so the product fits 62.
    if (extent <= kMostElements) elements *= extent;
    if (extent > kMostElements || elements > kMostElements)
      return Wrong(place, fmt::format("expected at most {} elements, found more", kMostElements));
  }
  return absl::OkStatus();
}

TensorReader::TensorReader(std::shared_ptr<const FileBytes> file) : file_(std::move(file)) {}

absl::StatusOr<graph::Tensor> TensorReader::Read(const TensorProto& proto) {
  graph::Tensor tensor;
  tensor.name = std::string(proto.name);
  TENON_TRY(CheckShape(proto.place + ".dims", proto.dims));
  tensor.shape = proto.dims;
  const std::optional<DataType> dtype = TypeOf(proto.data_type);
  if (!dtype) {
    tensor.unsupported = fmt::format("has the type {}", TypeName(proto.data_type));
    tensor.dtype = DataType::Handle();
    return tensor;
  }
  tensor.dtype = *dtype;
  const auto size = static_cast<uint64_t>(tensor.elements() * dtype->element_bytes());
  Elements elements{proto.bytes, file_};
  if (proto.is_external) {
    TENON_ASSIGN_OR(elements, ReadExternal(proto, size));
  }
  if (elements.bytes.size() != size) {
    return Wrong(proto.place, fmt::format("expected {} bytes of elements for {}, found {}", size,
                                          tensor.TypeText(), elements.bytes.size()));
  }
  if (dtype->is_bool() &&
      elements.bytes.find_first_not_of(std::string_view("\0\1", 2)) != std::string_view::npos)
    return Wrong(proto.place, "expected 0 or 1 for each element of type BOOL");
  std::shared_ptr<const void> owner = elements.file;
  bool is_mapped = elements.file->is_mapped();
  if (proto.typed != nullptr && !proto.is_external) {
    owner = proto.typed;
    is_mapped = false;
  }
  tensor.data = graph::TensorData{
      {reinterpret_cast<const uint8_t*>(elements.bytes.data()), elements.bytes.size()},
      std::move(owner),
      is_mapped};
  return tensor;
}

absl::StatusOr<TensorReader::Elements> TensorReader::ReadExternal(const TensorProto& proto,
                                                                  uint64_t size) {
  const std::string place = proto.place + ".external_data";
  const std::optional<uint64_t> offset =
      proto.offset.empty() ? 0 : WholeNumber<uint64_t>(proto.offset);
  const std::optional<uint64_t> length =
      proto.length.empty() ? size : WholeNumber<uint64_t>(proto.length);
  if (!offset || !length)
    return Wrong(place, fmt::format("expected numbers of bytes, found `{}` and `{}`", proto.offset,
                                    proto.length));
  if (*length != size) {
    return Wrong(place, fmt::format("expected a length of {} bytes, found {}", size, *length));
  }
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, OpenExternal(proto));
  const std::string_view bytes = file->view();
  if (*offset > bytes.size() || size > bytes.size() - *offset) {
    return Wrong(place, fmt::format("expected {} bytes at {}, found the end of `{}` at {}", size,
                                    *offset, proto.location, bytes.size()));
  }
  return Elements{bytes.substr(static_cast<size_t>(*offset), static_cast<size_t>(size)), file};
}

absl::StatusOr<std::shared_ptr<const FileBytes>> TensorReader::OpenExternal(
    const TensorProto& proto) {
  const auto known = files_.find(proto.location);
  if (known != files_.end()) return known->second;
  namespace fs = std::filesystem;
  const std::string place = proto.place + ".external_data";
  const fs::path location{std::string(proto.location)};
  const auto outside = [&] {
    return Wrong(place, fmt::format("expected a file in the folder of the model, found `{}`",
                                    proto.location));
  };
  if (proto.location.find('\0') != std::string_view::npos || !IsBelow(location)) return outside();
  fs::path folder = fs::path(file_->path()).parent_path();
  if (folder.empty()) folder = ".";
  const fs::path path = folder / location;
  std::error_code error;
  const fs::path real_folder = fs::canonical(folder, error);
  const fs::path real = error ? fs::path() : fs::canonical(path, error);
  if (error) {
    return Wrong(place, fmt::format("expected the file `{}`: {}", path.string(), error.message()));
  }
  const auto [from, to] =
      std::mismatch(real_folder.begin(), real_folder.end(), real.begin(), real.end());
  if (from != real_folder.end()) return outside();
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file,
                  ReadFile(path.string(), {.regular_only = true}));
  files_.emplace(proto.location, file);
  return file;
}

}  // namespace tenon::onnx

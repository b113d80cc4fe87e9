#include "support/npy.h"

#include <algorithm>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "fmt/format.h"
#include "support/checked.h"
#include "support/file.h"
#include "support/file_kind.h"
#include "support/little_endian.h"
#include "support/npy_header.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr size_t kAlignment = 64;  // of the data, as in NumPy
// NumPy refuses headers of more than 10,000 characters unless it is told to trust them.
constexpr size_t kHeaderLimit = size_t{1} << 20;

/// The contents of the header of a .npy file.
struct NpyLayout {
  std::string dtype;           // as in NpyArray
  std::vector<int64_t> shape;  // empty for a scalar
  int64_t element_bytes = 0;
  bool fortran_order = false;  // the first index is the fastest, and there is more than one
  bool swapped = false;        // elements are in big-endian order
  int64_t data_bytes = 0;      // size of the data according to dtype and shape
};

struct NpyType {
  std::string_view code;  // of descr, without the byte order
  std::string_view dtype;
  int64_t bytes;
};

constexpr NpyType kTypes[] = {
    {"b1", "bool", 1},   {"i1", "int8", 1},    {"i2", "int16", 2},   {"i4", "int32", 4},
    {"i8", "int64", 8},  {"u1", "uint8", 1},   {"u2", "uint16", 2},  {"u4", "uint32", 4},
    {"u8", "uint64", 8}, {"f2", "float16", 2}, {"f4", "float32", 4}, {"f8", "float64", 8},
};

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(message); }

/// Splits `text` into the header's dictionary and the data.
absl::StatusOr<std::string_view> TakeHeader(std::string_view* text) {
  if (text->size() < kNpyMagic.size() + 2) return Invalid("npy file ends within its magic number");
  if (text->substr(0, kNpyMagic.size()) != kNpyMagic)
    return Invalid("not an npy file (no `\\x93NUMPY`)");
  const int major = static_cast<uint8_t>((*text)[6]);
  const int minor = static_cast<uint8_t>((*text)[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return Invalid(
        fmt::format("npy format version {}.{} is unknown, expected 1.0, 2.0 or 3.0", major, minor));
  }
  text->remove_prefix(kNpyMagic.size() + 2);
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (text->size() < length_bytes) return Invalid("npy file ends within its header length");
  const size_t length =
      major == 1 ? LoadLittleEndian<uint16_t>(*text) : LoadLittleEndian<uint32_t>(*text);
  text->remove_prefix(length_bytes);
  if (length > kHeaderLimit) {
    return Invalid(
        fmt::format("npy header of {} bytes is longer than the limit of {}", length, kHeaderLimit));
  }
  if (length > text->size()) {
    return Invalid(
        fmt::format("npy header of {} bytes in a file with {} left", length, text->size()));
  }
  const std::string_view header = text->substr(0, length);
  text->remove_prefix(length);
  return header;
}

/// The type that `descr` names; `*swap` tells whether its bytes are in big-endian order.
absl::StatusOr<NpyType> FindType(std::string_view descr, bool* swap) {
  const char order = descr.empty() ? '\0' : descr[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view code = has_order ? descr.substr(1) : descr;
  for (const NpyType& type : kTypes) {
    if (type.code != code) continue;
    if (order == '|' && type.bytes != 1) {
      return Invalid(fmt::format("npy type `{}` has no byte order", descr));
    }
    *swap = order == '>' && type.bytes > 1;
    return type;
  }
  if (code == "V2") {
    return Invalid(
        fmt::format("npy type `{}` is 2 raw bytes, perhaps NumPy's bfloat16; save the array as "
                    "float32, or in a safetensors file",
                    descr));
  }
  if (code == "V1") {
    return Invalid(
        fmt::format("npy type `{}` is 1 raw byte, perhaps NumPy's 8-bit floats; save the array as "
                    "float32, or in a safetensors file",
                    descr));
  }
  return Invalid(fmt::format("npy type `{}` is not supported", descr));
}

void SwapBytes(size_t element_bytes, std::string* bytes) {
  for (size_t i = 0; i + element_bytes <= bytes->size(); i += element_bytes) {
    std::reverse(bytes->begin() + static_cast<ptrdiff_t>(i),
                 bytes->begin() + static_cast<ptrdiff_t>(i + element_bytes));
  }
}

/// Reorders from Fortran order (first index fastest) to C order (last index fastest).
std::string ToCOrder(std::string_view in, std::span<const int64_t> shape, size_t element_bytes) {
  std::string out(in.size(), '\0');
  std::vector<size_t> strides(shape.size());
  size_t stride = element_bytes;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= static_cast<size_t>(shape[i]);
  }
  absl::InlinedVector<int64_t, 8> index(shape.size(), 0);
  size_t from = 0;
  for (size_t to = 0; to < out.size(); to += element_bytes) {
    in.copy(&out[to], element_bytes, from);
    for (size_t i = shape.size(); i-- > 0;) {
      from += strides[i];
      if (++index[i] < shape[i]) break;
      from -= strides[i] * static_cast<size_t>(shape[i]);
      index[i] = 0;
    }
  }
  return out;
}

absl::Status CheckBools(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto value = static_cast<uint8_t>(bytes[i]);
    if (value > 1) return Invalid(fmt::format("npy bool {} is {}, expected 0 or 1", i, value));
  }
  return absl::OkStatus();
}

/// Splits `text` into the layout in its header and the data.
absl::StatusOr<NpyLayout> TakeLayout(std::string_view* text) {
  TENON_ASSIGN_OR(const std::string_view header_text, TakeHeader(text));
  TENON_ASSIGN_OR(NpyHeader header, ParseNpyHeader(header_text));
  NpyLayout layout;
  TENON_ASSIGN_OR(const NpyType type, FindType(header.descr, &layout.swapped));
  const std::optional<int64_t> expected = BytesOf(header.shape, type.bytes);
  if (!expected) {
    return Invalid(
        fmt::format("npy header has the impossible shape ({})", fmt::join(header.shape, ", ")));
  }
  layout.dtype = type.dtype;
  layout.element_bytes = type.bytes;
  layout.fortran_order = header.fortran_order && header.shape.size() > 1;
  layout.shape = std::move(header.shape);
  layout.data_bytes = *expected;
  return layout;
}

/// An error if the length of `data` does not match the header, or a bool is neither 0 nor 1.
absl::Status CheckData(const NpyLayout& layout, std::string_view data) {
  if (static_cast<int64_t>(data.size()) != layout.data_bytes) {
    return Invalid(fmt::format("npy file has {} bytes of data, but {} ({}) takes {}", data.size(),
                               layout.dtype, fmt::join(layout.shape, ", "), layout.data_bytes));
  }
  return layout.dtype == "bool" ? CheckBools(data) : absl::OkStatus();
}

/// `data` in C order, little endian.
std::string ConvertData(const NpyLayout& layout, std::string_view data) {
  const auto element_bytes = static_cast<size_t>(layout.element_bytes);
  std::string bytes;
  if (layout.fortran_order) {
    bytes = ToCOrder(data, layout.shape, element_bytes);
  } else {
    bytes = data;
  }
  if (layout.swapped) SwapBytes(element_bytes, &bytes);
  return bytes;
}

}  // namespace

absl::StatusOr<NpyArray> ParseNpy(std::string_view text) {
  TENON_ASSIGN_OR(NpyLayout layout, TakeLayout(&text));
  TENON_TRY(CheckData(layout, text));
  std::string bytes = ConvertData(layout, text);
  return NpyArray{std::move(layout.dtype), std::move(layout.shape), std::move(bytes)};
}

absl::StatusOr<NpyArray> ReadNpy(std::string_view path) {
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(path));
  if (std::string message = ArrayFileMessage(file->path(), file->view(), ArrayFile::kNpy);
      !message.empty())
    return Invalid(std::move(message));
  absl::StatusOr<NpyArray> array = ParseNpy(file->view());
  if (array.ok()) return array;
  const absl::string_view message = array.status().message();
  return Invalid(
      fmt::format("`{}`: {}", file->path(), std::string_view(message.data(), message.size())));
}

absl::StatusOr<std::string> EncodeNpyHeader(std::string_view dtype,
                                            std::span<const int64_t> shape) {
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const NpyType& entry) { return entry.dtype == dtype; });
  if (type == std::end(kTypes)) {
    return Invalid(fmt::format("an npy file cannot hold the type `{}`", dtype));
  }
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   type->bytes == 1 ? '|' : '<', type->code, fmt::join(shape, ", "),
                                   shape.size() == 1 ? "," : "");
  // The prefix is 10 bytes (version 1.0) or 12 (2.0); a newline ends the header.
  const bool wide = header.size() + kAlignment > UINT16_MAX;
  const size_t prefix = wide ? 12 : 10;
  const size_t total = (prefix + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.append(total - prefix - header.size() - 1, ' ');
  header.push_back('\n');
  std::string out(kNpyMagic);
  out.push_back(wide ? '\2' : '\1');
  out.push_back('\0');
  if (wide) {
    AppendLittleEndian(static_cast<uint32_t>(header.size()), &out);
  } else {
    AppendLittleEndian(static_cast<uint16_t>(header.size()), &out);
  }
  return out + header;
}

absl::Status WriteNpy(std::string_view path, std::string_view dtype, std::span<const int64_t> shape,
                      std::string_view bytes) {
  TENON_ASSIGN_OR(const std::string header, EncodeNpyHeader(dtype, shape));
  int64_t element_bytes = 0;
  for (const NpyType& type : kTypes) {
    if (type.dtype == dtype) element_bytes = type.bytes;
  }
  const std::optional<int64_t> expected = BytesOf(shape, element_bytes);
  if (!expected || static_cast<int64_t>(bytes.size()) != *expected) {
    return Invalid(fmt::format("{} bytes of data, expected those of {} ({})", bytes.size(), dtype,
                               fmt::join(shape, ", ")));
  }
  TENON_ASSIGN_OR(OutputFile file, OutputFile::Create(path));
  TENON_TRY(file.Append(header));
  TENON_TRY(file.Append(bytes));
  return file.Commit();
}

}  // namespace tenon

#include "python/src/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "compile/run/tensors.h"
#include "python/src/bindings.h"

namespace tenon::python {

namespace {

static_assert(std::endian::native == std::endian::little);

std::string TypeName(nb::handle object) {
  return nb::cast<std::string>(
      nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"));
}

/// The kind of a format of the buffer protocol; 0 for structs and other formats.
char KindOf(std::string_view format, bool& is_swapped) {
  is_swapped = format.starts_with('>') || format.starts_with('!');
  if (!format.empty() && std::string_view("@=<>!").find(format[0]) != std::string_view::npos)
    format.remove_prefix(1);
  if (format.size() != 1) return 0;
  if (format[0] == '?') return 'b';
  if (std::string_view("bhilqn").find(format[0]) != std::string_view::npos) return 'i';
  if (std::string_view("BHILQNc").find(format[0]) != std::string_view::npos) return 'u';
  return std::string_view("efd").find(format[0]) != std::string_view::npos ? 'f' : char{0};
}

std::string DtypeName(char kind, int64_t width) {
  switch (kind) {
    case 'b':
      return "bool";
    case 'i':
      return fmt::format("int{}", 8 * width);
    case 'u':
      return fmt::format("uint{}", 8 * width);
    case 'f':
      return fmt::format("float{}", 8 * width);
    default:
      return "another format";
  }
}

[[noreturn]] void RaiseMismatch(const TensorSlot& slot, bool is_output, const std::string& found) {
  Raise(fmt::format("expected {}, found {}", slot.Text(is_output), found));
}

void CheckShape(const TensorSlot& slot, bool is_output, const int64_t* shape, size_t count) {
  if (count == slot.shape.size() && std::equal(slot.shape.begin(), slot.shape.end(), shape)) return;
  RaiseMismatch(
      slot, is_output,
      fmt::format("shape ({})", fmt::join(std::vector<int64_t>(shape, shape + count), ", ")));
}

bool IsAligned(const void* data, int64_t width) {
  return reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(width) == 0;
}

/// Copies a strided array to contiguous memory. Strides are in bytes.
void CopyStrided(const char* from, const std::vector<int64_t>& shape,
                 const std::vector<int64_t>& strides, int64_t width, std::string& to) {
  const auto copy = [&](auto&& self, const char* at, size_t axis) -> void {
    if (axis == shape.size()) {
      to.append(at, static_cast<size_t>(width));
      return;
    }
    for (int64_t i = 0; i < shape[axis]; ++i) self(self, at + i * strides[axis], axis + 1);
  };
  copy(copy, from, 0);
}

/// Whether an array with DLPack is in the memory of the processor. A device that DLPack does not
/// know, such as PyTorch's `meta`, is another one.
bool IsOnCpu(nb::handle array) {
  if (!nb::hasattr(array, "__dlpack_device__")) return true;
  try {
    const nb::object device = array.attr("__dlpack_device__")();
    return nb::cast<int>(nb::int_(device[0])) == nb::device::cpu::value;
  } catch (nb::python_error&) {
    return false;
  }
}

/// The kind of a DLPack dtype. bfloat16 is a uint, as for NumPy.
char KindOf(nb::dlpack::dtype dtype, bool is_bfloat) {
  if (dtype.lanes != 1) return 0;
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Int:
      return 'i';
    case nb::dlpack::dtype_code::UInt:
      return 'u';
    case nb::dlpack::dtype_code::Float:
      return 'f';
    case nb::dlpack::dtype_code::Bool:
      return 'b';
    case nb::dlpack::dtype_code::Bfloat:
      return is_bfloat ? 'u' : char{0};
    default:
      return 0;
  }
}

}  // namespace

TensorSlot::TensorSlot(const EntryTensor& tensor)
    : name(tensor.name),
      dtype(tensor.dtype),
      shape(tensor.shape),
      size_bytes(tensor.size_bytes),
      is_scalar(tensor.is_scalar),
      width(std::max<int64_t>(tensor.dtype.element_bytes(), 1)) {
  const std::string text = NpyDtype(dtype);
  kind = text.starts_with("bool") ? 'b' : text.front();
}

std::string TensorSlot::Text(bool is_output) const {
  return fmt::format("{}[{}] for the {} `{}`", dtype.element().ToString(), fmt::join(shape, ", "),
                     is_output ? "output" : "input", name);
}

ArrayMemory::~ArrayMemory() {
  if (has_view_) PyBuffer_Release(&view_);
}

bool ArrayMemory::TakeBuffer(nb::handle array, const TensorSlot& slot, bool is_output) {
  if (PyObject_CheckBuffer(array.ptr()) == 0) return false;
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    // NumPy does not export dtypes of other packages, such as ml_dtypes, but may export DLPack.
    PyErr_Clear();
    return false;
  }
  has_view_ = true;
  bool is_swapped = false;
  const char kind = KindOf(view_.format == nullptr ? "B" : view_.format, is_swapped);
  if (kind != slot.kind || view_.itemsize != slot.width)
    RaiseMismatch(slot, is_output, DtypeName(kind, view_.itemsize));
  if (is_swapped && slot.width > 1)
    RaiseMismatch(slot, is_output,
                  "big-endian elements; convert them with `x.astype(x.dtype.newbyteorder('='))`");
  const std::vector<int64_t>& shape = slot.shape;
  const auto count = static_cast<size_t>(view_.ndim);
  if (count != shape.size() || !std::equal(shape.begin(), shape.end(), view_.shape))
    CheckShape(slot, is_output, std::vector<int64_t>(view_.shape, view_.shape + count).data(),
               count);
  data_ = view_.buf;
  size_ = view_.len;
  const bool is_contiguous = PyBuffer_IsContiguous(&view_, 'C') != 0;
  const bool is_aligned = IsAligned(view_.buf, slot.width);
  if (is_output) {
    if (view_.readonly != 0) RaiseMismatch(slot, is_output, "an array that is read-only");
    if (!is_contiguous || !is_aligned)
      RaiseMismatch(slot, is_output, "an array that is not contiguous");
  } else if (!is_contiguous || !is_aligned) {
    copy_.resize(static_cast<size_t>(view_.len));
    if (PyBuffer_ToContiguous(copy_.data(), &view_, view_.len, 'C') != 0) nb::raise_python_error();
    data_ = copy_.data();
    size_ = 0;
  }
  return true;
}

void ArrayMemory::TakeDlpack(nb::handle array, const TensorSlot& slot, bool is_output) {
  if (!IsOnCpu(array))
    RaiseMismatch(slot, is_output,
                  "an array on another device; copy it to the CPU, for example with `x.cpu()`");
  // Only the type for writing refuses memory that is read-only.
  nb::ndarray<> writable;
  if (is_output && !nb::try_cast(array, writable))
    RaiseMismatch(
        slot, is_output,
        fmt::format("{} that is read-only, or does not export its memory", TypeName(array)));
  nb::ndarray<nb::ro>& tensor = tensor_;
  if (!nb::try_cast(array, tensor)) {
    RaiseMismatch(slot, is_output,
                  fmt::format("{} that does not export its memory; call `x.detach()` first if it "
                              "requires gradients",
                              TypeName(array)));
  }
  const int64_t width = tensor.dtype().bits / 8;
  const char kind = KindOf(tensor.dtype(), slot.dtype.element().is_bfloat16());
  if (kind != slot.kind || width != slot.width)
    RaiseMismatch(slot, is_output, DtypeName(kind, width));
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < tensor.ndim(); ++i) {
    shape.push_back(static_cast<int64_t>(tensor.shape(i)));
    strides.push_back(tensor.stride(i) * width);
  }
  CheckShape(slot, is_output, shape.data(), shape.size());
  bool is_contiguous = IsAligned(tensor.data(), width);
  int64_t expected = width;
  for (size_t i = shape.size(); i-- > 0;) {
    is_contiguous &= shape[i] == 1 || strides[i] == expected;
    expected *= shape[i];
  }
  if (is_contiguous || slot.size_bytes == 0) {
    data_ = const_cast<void*>(tensor.data());
    size_ = slot.size_bytes;
    return;
  }
  if (is_output) RaiseMismatch(slot, is_output, "an array that is not contiguous");
  copy_.reserve(static_cast<size_t>(slot.size_bytes));
  CopyStrided(static_cast<const char*>(tensor.data()), shape, strides, width, copy_);
  data_ = copy_.data();
}

void ArrayMemory::TakeNumber(nb::handle number, const TensorSlot& slot) {
  // As an int or a float itself: subclasses, such as bool and numpy.float64, have other texts.
  PyTypeObject& type = PyLong_Check(number.ptr()) ? PyLong_Type : PyFloat_Type;
  const nb::object exact = nb::handle(reinterpret_cast<PyObject*>(&type))(number);
  const auto text = nb::cast<std::string>(nb::repr(exact));
  std::optional<std::string> bytes = ParseScalar(slot.dtype, text);
  if (!bytes) RaiseMismatch(slot, /*is_output=*/false, text);
  copy_ = *std::move(bytes);
  data_ = copy_.data();
}

void ArrayMemory::TakeInput(nb::handle array, const TensorSlot& slot) {
  if (slot.shape.empty() && (PyLong_Check(array.ptr()) || PyFloat_Check(array.ptr())))
    return TakeNumber(array, slot);
  if (TakeBuffer(array, slot, /*is_output=*/false)) return;
  if (nb::hasattr(array, "__dlpack__")) return TakeDlpack(array, slot, /*is_output=*/false);
  RaiseMismatch(slot, /*is_output=*/false,
                fmt::format("{}; give an array of NumPy, PyTorch or another package with the "
                            "buffer protocol or DLPack",
                            TypeName(array)));
}

void ArrayMemory::TakeOutput(nb::handle array, const TensorSlot& slot) {
  if (TakeBuffer(array, slot, /*is_output=*/true)) return;
  if (nb::hasattr(array, "__dlpack__")) return TakeDlpack(array, slot, /*is_output=*/true);
  RaiseMismatch(slot, /*is_output=*/true, TypeName(array));
}

void ArrayMemory::TakeNewOutput(nb::handle array) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_WRITABLE) != 0) nb::raise_python_error();
  has_view_ = true;
  data_ = view_.buf;
  size_ = view_.len;
}

}  // namespace tenon::python

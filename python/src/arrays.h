#ifndef TENON_PYTHON_SRC_ARRAYS_H_
#define TENON_PYTHON_SRC_ARRAYS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ir/analysis/entry_signature.h"

// Arrays of Python as tensors of a model: the buffer protocol (NumPy, array, memoryview), DLPack
// (PyTorch, JAX), and numbers.

namespace tenon::python {

namespace nb = nanobind;

/// The tensor that an array must fit.
struct TensorSlot {
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  bool is_scalar = false;
  /// The type of an element, as NumPy calls it: b(ool), i(nt), u(int) or f(loat), and its bytes. A
  /// bfloat16 or an 8-bit float is a uint for NumPy.
  char kind = 'f';
  int64_t width = 4;

  explicit TensorSlot(const EntryTensor& tensor);
  /// `input x: int8[1, 490]`, for messages.
  std::string Text(bool is_output) const;
};

/// The memory of an array while it lives. Not movable, since a Py_buffer may point into itself.
class ArrayMemory {
 public:
  ArrayMemory() = default;
  ~ArrayMemory();
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  /// Takes the value of an input: the array's own memory, or a copy of an array that is strided or
  /// not aligned. Raises tenon_compiler.Error for another dtype, shape, byte order or device.
  void TakeInput(nb::handle array, const TensorSlot& slot);
  /// Takes memory for an output, which must be writable, contiguous and aligned, or raises.
  void TakeOutput(nb::handle array, const TensorSlot& slot);
  /// The same for an array that was made for `slot`.
  void TakeNewOutput(nb::handle array);

  void* data() const { return data_; }
  /// The bytes of the array; 0 if the memory is a copy.
  int64_t size() const { return size_; }

 private:
  bool TakeBuffer(nb::handle array, const TensorSlot& slot, bool is_output);
  void TakeDlpack(nb::handle array, const TensorSlot& slot, bool is_output);
  void TakeNumber(nb::handle number, const TensorSlot& slot);

  Py_buffer view_ = {};
  bool has_view_ = false;
  nb::ndarray<nb::ro> tensor_;
  std::string copy_;
  void* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace tenon::python

#endif  // TENON_PYTHON_SRC_ARRAYS_H_

#ifndef TENON_DRIVER_TENSORS_H_
#define TENON_DRIVER_TENSORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/npy.h"

namespace tenon {

/// A tensor, or a number, that the entry function takes.
struct EntryTensor {
  /// The parameter's name, as in the text.
  std::string name;
  /// Index among the function's parameters.
  size_t param = 0;
  DataType dtype;
  std::vector<int64_t> shape;
  int64_t size_bytes = 0;
  /// A number passed by value: its shape is empty.
  bool is_scalar = false;
  /// It lies in a pool and is no parameter: which of `pool_params`, and its first byte.
  struct Place {
    size_t pool = 0;
    int64_t offset = 0;
  };
  std::optional<Place> place;
  /// The function writes it, or something it calls does. What is only read is an input.
  bool is_output = false;
};

/// What the entry function takes: tensors in order (also those that lie in its pools), then pools
/// if it is planned.
struct EntrySignature {
  const Function* entry = nullptr;
  std::vector<EntryTensor> tensors;
  /// Parameter indexes of the pools, in the order of `pool_args`.
  std::vector<size_t> pool_params;
  /// Parameter index of a device handle behind them.
  std::optional<size_t> resource_handle;
};

/// Reads the signature of the module's entry function. Every parameter must be a tensor of constant
/// shape, a scalar, a pool or the last handle; an error says which is not.
std::optional<EntrySignature> ReadEntrySignature(const IRModule& module, Diagnostics& diagnostics);

/// The bytes of a scalar that is written out: an integer, a float, `true` or `false`, as its dtype
/// takes it. Nullopt when `text` is no such number or out of range.
std::optional<std::string> ParseScalar(DataType dtype, std::string_view text);

/// A scalar's bytes as 64 bits: integers extended, floats as their bit pattern.
int64_t ScalarBits(DataType dtype, std::string_view bytes);

/// The dtype that a .npy file has for `dtype`: NumPy's own name, or unsigned integers of the same
/// bits for the small floats that NumPy does not know.
std::string NpyDtype(DataType dtype);

/// Why `array` is no value for `tensor` (another dtype or number of elements); empty if it is one.
std::string CheckTensorValue(const EntryTensor& tensor, const NpyArray& array);

/// The first element that differs, for the message, and how many do.
struct TensorDifference {
  int64_t count = 0;
  int64_t first_index = 0;
  std::string text;  ///< "element [0, 3] is 7, expected 8"
};

/// Compares two values of a tensor, both of its size: integers exactly, floats within
/// 1e-5 + 1e-4*|expected| (NaN is NaN, an infinity is itself). Nullopt when they agree.
std::optional<TensorDifference> CompareTensors(const EntryTensor& tensor, std::string_view got,
                                               std::string_view expected);

}  // namespace tenon

#endif  // TENON_DRIVER_TENSORS_H_

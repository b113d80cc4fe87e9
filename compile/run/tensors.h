#ifndef TENON_COMPILE_RUN_TENSORS_H_
#define TENON_COMPILE_RUN_TENSORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/analysis/entry_signature.h"
#include "ir/module.h"
#include "support/diagnostics.h"
#include "support/npy.h"

namespace tenon {

/// Reads the signature of the module's entry function for a run. Every parameter must be a tensor
/// of constant shape, a scalar, a pool or the final handle; otherwise an error names it.
std::optional<EntrySignature> ReadEntrySignature(const IRModule& module, Diagnostics& diagnostics);

/// The bytes of a scalar in text form: an integer, a float, `true` or `false`, as its dtype allows.
/// Nullopt if `text` is not such a number, or is out of range.
std::optional<std::string> ParseScalar(DataType dtype, std::string_view text);

/// A scalar's bytes as 64 bits: integers extended, floats as their bit pattern.
int64_t ScalarBits(DataType dtype, std::string_view bytes);

/// The dtype in a .npy file for `dtype`: NumPy's own name, or unsigned integers of the same width
/// for small floats that NumPy lacks.
std::string NpyDtype(DataType dtype);

/// Why `array` cannot be the value of `tensor` (another dtype or element count); empty if it can.
std::string CheckTensorValue(const EntryTensor& tensor, const NpyArray& array);

/// A value as text: `logits float32[1, 10] = -4.25, 8.1, -0.5, ...`.
std::string ValueText(const EntryTensor& tensor, std::string_view value);

/// The first element that differs, for the message, and the number of differences.
struct TensorDifference {
  int64_t count = 0;
  int64_t first_index = 0;
  std::string text;    ///< "element [0, 3] is 7, expected 8"
  double largest = 0;  ///< of all elements; NaN where one of the two values is NaN
};

/// An additional tolerance for floats: `factor` times the element of `magnitudes`, which has the
/// dtype and size of the tensor, and `relative` times the expected number.
struct TensorBound {
  std::string_view magnitudes;
  double factor = 0;
  double relative = 0;
};

/// How far a float may be from the expected one: `absolute + relative*|expected|`.
struct Tolerance {
  double absolute = 1e-5;
  double relative = 1e-4;
};

/// Compares two values of a tensor, both of its size. Integers must be equal, and floats must agree
/// within `tolerance` or within `bound`, if given, whichever is larger. A NaN equals a NaN, and an
/// infinity equals itself. Nullopt if the values agree.
std::optional<TensorDifference> CompareTensors(const EntryTensor& tensor, std::string_view got,
                                               std::string_view expected,
                                               const TensorBound* bound = nullptr,
                                               const Tolerance& tolerance = {});

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_TENSORS_H_

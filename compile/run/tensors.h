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

/// Reads the signature of the module's entry function for a run: every parameter must be a tensor
/// of constant shape, a scalar, a pool or the last handle; an error says which is not.
std::optional<EntrySignature> ReadEntrySignature(const IRModule& module, Diagnostics& diagnostics);

/// The bytes of a scalar that is written out: an integer, a float, `true` or `false`, as its dtype
/// takes it. Nullopt when `text` is not such a number, or out of range.
std::optional<std::string> ParseScalar(DataType dtype, std::string_view text);

/// A scalar's bytes as 64 bits: integers extended, floats as their bit pattern.
int64_t ScalarBits(DataType dtype, std::string_view bytes);

/// The dtype that a .npy file has for `dtype`: NumPy's own name, or unsigned integers of the same
/// bits for the small floats that NumPy does not know.
std::string NpyDtype(DataType dtype);

/// Why `array` cannot be the value of `tensor` (another dtype or element count); empty if it can.
std::string CheckTensorValue(const EntryTensor& tensor, const NpyArray& array);

/// A value for people: `logits float32[1, 10] = -4.25, 8.1, -0.5, ...`.
std::string ValueText(const EntryTensor& tensor, std::string_view value);

/// The first element that differs, for the message, and how many do.
struct TensorDifference {
  int64_t count = 0;
  int64_t first_index = 0;
  std::string text;    ///< "element [0, 3] is 7, expected 8"
  double largest = 0;  ///< of all elements; NaN where one of the two values is NaN
};

/// The difference that floats may have in addition to the usual one: `factor` times the element of
/// `magnitudes`, which has the dtype and size of the tensor.
struct TensorBound {
  std::string_view magnitudes;
  double factor = 0;
};

/// Compares two values of a tensor, both of its size: integers exactly, floats within
/// 1e-5 + 1e-4*|expected| (NaN is NaN, an infinity is itself), or within `bound`, if there is one,
/// where that is larger. Nullopt when they agree.
std::optional<TensorDifference> CompareTensors(const EntryTensor& tensor, std::string_view got,
                                               std::string_view expected,
                                               const TensorBound* bound = nullptr);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_TENSORS_H_

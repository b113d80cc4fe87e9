#ifndef TENON_SUPPORT_NPY_H_
#define TENON_SUPPORT_NPY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tenon {

/// An array of a NumPy .npy file (format versions 1.0, 2.0 and 3.0 of `numpy.lib.format`),
/// converted to one form.
struct NpyArray {
  std::string dtype;           // bool, [u]int8..64, float16, float32 or float64
  std::vector<int64_t> shape;  // empty for a scalar
  std::string bytes;           // C order, little endian
};

/// Reads the contents of a .npy file. Converts big-endian and Fortran-ordered arrays. Errors: a
/// header that is truncated or is not a Python dictionary of the three known keys; a type without a
/// Tenon name (structures, objects, strings, complex, and `V2`, NumPy's code for bfloat16); data of
/// another size than the shape's; a bool that is neither 0 nor 1.
absl::StatusOr<NpyArray> ParseNpy(std::string_view text);

/// Reads the .npy file `path` (`-` for standard input). Errors of its content start with the path.
absl::StatusOr<NpyArray> ReadNpy(std::string_view path);

/// The part of a .npy file (version 1.0, or 2.0 if the header is long) before the data.
absl::StatusOr<std::string> EncodeNpyHeader(std::string_view dtype, std::span<const int64_t> shape);

/// Writes an array, whole or not at all. `bytes` are in C order and little endian.
absl::Status WriteNpy(std::string_view path, std::string_view dtype, std::span<const int64_t> shape,
                      std::string_view bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_NPY_H_

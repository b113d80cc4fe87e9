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

/// An array as NumPy's .npy files hold it (format versions 1.0, 2.0 and 3.0 of NumPy's
/// `numpy.lib.format`), brought into one form.
struct NpyArray {
  std::string dtype;           // bool, [u]int8..64, float16, float32 or float64
  std::vector<int64_t> shape;  // empty for a scalar
  std::string bytes;           // C order, little endian
};

/// What the header of a .npy file says of its data.
struct NpyLayout {
  std::string dtype;           // as in NpyArray
  std::vector<int64_t> shape;  // empty for a scalar
  int64_t element_bytes = 0;
  bool fortran_order = false;  // the first index is the fastest, and there is more than one
  bool swapped = false;        // elements are in big-endian order
  size_t data_offset = 0;      // of the data, from the start of the file
  int64_t data_bytes = 0;      // that dtype and shape take
};

/// Reads the header at the start of `text`, of which the data need not be there.
absl::StatusOr<NpyLayout> ParseNpyLayout(std::string_view text);

/// The data of the whole file `text`, as it is stored. An error if it is not as long as the header
/// says, or has a bool that is neither 0 nor 1.
absl::StatusOr<std::string_view> NpyData(const NpyLayout& layout, std::string_view text);

/// `data` in C order, little endian.
std::string ConvertNpyData(const NpyLayout& layout, std::string_view data);

/// Reads the text of a .npy file. Big-endian and Fortran-ordered arrays are converted. An error
/// says what is wrong: a header that is cut off or no Python dictionary of the three known keys, a
/// type that has no Tenon name (structures, objects, strings, complex, and `V2`, as which NumPy
/// stores bfloat16), a shape that the data does not fill exactly, a bool that is neither 0 nor 1.
absl::StatusOr<NpyArray> ParseNpy(std::string_view text);

/// Reads the .npy file `path` (`-` for standard input). Errors of its content start with the path.
absl::StatusOr<NpyArray> ReadNpy(std::string_view path);

/// The text of a .npy file (version 1.0, or 2.0 if the header is long) up to the data.
absl::StatusOr<std::string> EncodeNpyHeader(std::string_view dtype, std::span<const int64_t> shape);

/// Writes an array, whole or not at all. `bytes` are in C order and little endian.
absl::Status WriteNpy(std::string_view path, std::string_view dtype, std::span<const int64_t> shape,
                      std::string_view bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_NPY_H_

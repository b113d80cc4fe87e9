#ifndef TENON_SUPPORT_NPY_HEADER_H_
#define TENON_SUPPORT_NPY_HEADER_H_

// Internal to support/npy.cc.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tenon {

/// The dictionary at the top of a .npy file.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Parses a Python dictionary literal with exactly the keys `descr` (a string), `fortran_order`
/// (True or False) and `shape` (a tuple of integers, at most 64), in any order. Extents are checked
/// by the caller.
absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text);

}  // namespace tenon

#endif  // TENON_SUPPORT_NPY_HEADER_H_

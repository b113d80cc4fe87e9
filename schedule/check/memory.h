#ifndef TENON_SCHEDULE_CHECK_MEMORY_H_
#define TENON_SCHEDULE_CHECK_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "schedule/check/terms.h"

namespace tenon::check {

/// Memory that a function reads or writes.
struct Memory {
  enum class Kind : uint8_t {
    kParam,
    kConstant,
    kCells,  ///< local memory whose elements have constant indices, such as sums
    kParts,  ///< other local memory, such as a copy of an input: loops fill it, then others read it
  };
  Kind kind = Kind::kParam;
  DataType dtype;
  int64_t elements = 0;
  std::string name;
  const Constant* constant = nullptr;
  std::span<const uint8_t> bytes;
};

/// A condition under which something happens, or its negation.
struct Guard {
  TermId condition = -1;
  bool holds = true;

  bool operator==(const Guard&) const = default;
  template <class H>
  friend H AbslHashValue(H hash, const Guard& guard) {
    return H::combine(std::move(hash), guard.condition, guard.holds);
  }
};
using Guards = std::vector<Guard>;

/// The guards with one more guard.
inline Guards With(const Guards& guards, TermId condition, bool holds) {
  Guards more = guards;
  const Guard guard = {condition, holds};
  if (std::find(more.begin(), more.end(), guard) == more.end()) more.push_back(guard);
  return more;
}

/// A store, for all values of `digits` for which the guards hold.
struct Piece {
  FormId element = -1;
  TermId value = -1;
  std::vector<int> digits;
  Guards guards;
};

/// The parts of a function that were read.
struct Reading {
  std::vector<Memory> memories;
  /// The stores to each memory other than cells, in order.
  std::vector<std::vector<Piece>> pieces;
  /// For each memory in parts, the number of loops that all of its accesses share.
  std::vector<size_t> shared_loops;
};

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_MEMORY_H_

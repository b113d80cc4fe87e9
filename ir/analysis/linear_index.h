#ifndef TENON_IR_ANALYSIS_LINEAR_INDEX_H_
#define TENON_IR_ANALYSIS_LINEAR_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace tenon {

/// The number `(offset + sum(stride * counter)) / divisor`. Counters are numbered: they are digits
/// (digits.h), or loops of a Computation. A divisor other than 1 occurs only where a condition
/// ensures that the division is exact.
struct LinearIndex {
  int64_t offset = 0;
  /// Counter and stride, by counter; strides are not 0.
  absl::InlinedVector<std::pair<int, int64_t>, 6> terms;
  int64_t divisor = 1;

  bool is_constant() const { return terms.empty() && divisor == 1; }
  /// True if the index is the counter itself.
  bool Is(int counter) const {
    return offset == 0 && divisor == 1 && terms.size() == 1 && terms[0].first == counter &&
           terms[0].second == 1;
  }
  int64_t stride(int counter) const {
    for (const auto& [of, stride] : terms) {
      if (of == counter) return stride;
    }
    return 0;
  }
  /// Removes the terms of counters for which `f` is true.
  template <class F>
  void Drop(F&& f) {
    terms.erase(
        std::remove_if(terms.begin(), terms.end(), [&](const auto& term) { return f(term.first); }),
        terms.end());
  }
  bool operator==(const LinearIndex&) const = default;
};

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_LINEAR_INDEX_H_

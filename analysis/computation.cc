#include "analysis/computation.h"

#include <bit>

namespace tenon {

int64_t LinearIndex::stride(int loop) const {
  for (const auto& [of, stride] : terms) {
    if (of == loop) return stride;
  }
  return 0;
}

bool Operation::operator==(const Operation& other) const {
  return kind == other.kind && dtype == other.dtype && node == other.node && op == other.op &&
         integer == other.integer &&
         std::bit_cast<int64_t>(real) == std::bit_cast<int64_t>(other.real) && args == other.args;
}

}  // namespace tenon

#include "analysis/computation.h"

namespace tenon {

int64_t LinearIndex::stride(int loop) const {
  for (const auto& [of, stride] : terms) {
    if (of == loop) return stride;
  }
  return 0;
}

}  // namespace tenon

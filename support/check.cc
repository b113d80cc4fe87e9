#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace tenon {

void CheckFailed(const char* file, int line, const char* text) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text);
  std::abort();
}

}  // namespace tenon

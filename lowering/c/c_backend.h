#ifndef TENON_LOWERING_C_C_BACKEND_H_
#define TENON_LOWERING_C_C_BACKEND_H_

#include "lowering/backend.h"

namespace tenon {

/// The back end `c`: C99 that also compiles as C++17 (lowering/c/emit_c.h).
const Backend& CBackend();

}  // namespace tenon

#endif  // TENON_LOWERING_C_C_BACKEND_H_

#include <fmt/format.h>

#include <algorithm>

#include "lowering/c/c_internal.h"
#include "ir/memory_pools.h"

namespace tenon::c_lowering {

namespace {

/// Bytes of a buffer of constant shape, else 0.
int64_t BufferBytes(const Buffer* buffer) {
  int64_t bytes = buffer->dtype.bytes();
  for (const Expr* extent : buffer->shape) {
    const int64_t* value = AsIntImm(extent);
    if (value == nullptr || __builtin_mul_overflow(bytes, *value, &bytes)) return 0;
  }
  return bytes;
}

}  // namespace

}  // namespace tenon::c_lowering

#include "support/stack.h"

#include <pthread.h>

#include <cstdint>

#include "support/check.h"

namespace tenon {

namespace {

/// The stack that a walk may still need after StackIsLow() returned false.
constexpr uintptr_t kReserve = 192 * 1024;
/// Segments are committed page by page as they are used.
constexpr size_t kSegment = size_t{4} << 20;

uintptr_t FindLimit() {
  pthread_attr_t attributes;
  TENON_CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  void* low = nullptr;
  size_t size = 0;
  TENON_CHECK(pthread_attr_getstack(&attributes, &low, &size) == 0);
  pthread_attr_destroy(&attributes);
  // The main thread's stack may be reported as unlimited; assume 8 MiB then.
  auto limit = reinterpret_cast<uintptr_t>(low);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  constexpr uintptr_t kMost = uintptr_t{7} << 20;
  if (here > kMost && here - kMost > limit) limit = here - kMost;
  return limit + kReserve;
}

struct Call {
  void (*function)(void*);
  void* argument;
};

void* Trampoline(void* argument) {
  auto* call = static_cast<Call*>(argument);
  call->function(call->argument);
  return nullptr;
}

}  // namespace

namespace stack_internal {

constinit thread_local uintptr_t limit = UINTPTR_MAX;

bool IsLow(uintptr_t address) {
  if (limit == UINTPTR_MAX) limit = FindLimit();
  return address < limit;
}

}  // namespace stack_internal

void RunOnFreshStack(void (*function)(void*), void* argument) {
  pthread_attr_t attributes;
  TENON_CHECK(pthread_attr_init(&attributes) == 0);
  TENON_CHECK(pthread_attr_setstacksize(&attributes, kSegment) == 0);
  Call call{function, argument};
  pthread_t thread;
  TENON_CHECK(pthread_create(&thread, &attributes, Trampoline, &call) == 0);
  pthread_attr_destroy(&attributes);
  TENON_CHECK(pthread_join(thread, nullptr) == 0);
}

}  // namespace tenon

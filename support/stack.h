#ifndef TENON_SUPPORT_STACK_H_
#define TENON_SUPPORT_STACK_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace tenon {

namespace stack_internal {

/// The address below which the calling thread's stack is low; the highest address until it is
/// computed.
extern constinit thread_local uintptr_t limit;
/// Computes the limit if necessary, and compares `address` with it.
bool IsLow(uintptr_t address);

}  // namespace stack_internal

/// Whether the calling thread's stack is nearly exhausted.
inline bool StackIsLow() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < stack_internal::limit && stack_internal::IsLow(here);
}

/// Calls `function(argument)` on a new stack segment and waits for it to return.
void RunOnFreshStack(void (*function)(void*), void* argument);

/// Calls `f`, on a new stack segment if the current one is nearly exhausted. Recursive walks of
/// expressions use this, so that a sum of 100,000 terms needs some megabytes of stack but no
/// special case.
template <class F>
auto WithStack(F&& f) -> std::invoke_result_t<F> {
  if (!StackIsLow()) [[likely]]
    return std::forward<F>(f)();
  using Result = std::invoke_result_t<F>;
  if constexpr (std::is_void_v<Result>) {
    RunOnFreshStack([](void* call) { (*static_cast<std::remove_reference_t<F>*>(call))(); }, &f);
  } else {
    struct Frame {
      std::remove_reference_t<F>* f;
      std::optional<Result> result;
    } frame{&f, std::nullopt};
    RunOnFreshStack(
        [](void* argument) {
          auto* inner = static_cast<Frame*>(argument);
          inner->result.emplace((*inner->f)());
        },
        &frame);
    return std::move(*frame.result);
  }
}

}  // namespace tenon

#endif  // TENON_SUPPORT_STACK_H_

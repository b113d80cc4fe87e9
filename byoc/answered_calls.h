#ifndef TENON_BYOC_ANSWERED_CALLS_H_
#define TENON_BYOC_ANSWERED_CALLS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/external_code.h"
#include "ir/module.h"

// External functions and their calls in the form that the generators' answers require.

namespace tenon {

/// A function with an answer, and the offset of its state.
struct Answered {
  ExternalCode code;
  size_t position = 0;  ///< of the first new argument
  int64_t state_offset = 0;
  /// GeneratedFunction::may_fail.
  bool may_fail = true;
};
/// By function.
using AnsweredOf = absl::flat_hash_map<Symbol, Answered>;

/// The number of parameters that a generator's answer adds to its function: for scratch memory, and
/// for the state.
size_t AddedParams(const ExternalCode& code);

/// The function before WithMemoryParams, without `tenon.external`.
Function WithoutMemory(Context& context, const Function& function, const ExternalCode& code);

/// The function with parameters for its scratch memory and its state, and with `tenon.external`.
Function WithMemoryParams(Context& context, const Function& function, const ExternalCode& code);

/// The function with scratch memory and states as arguments of its calls, and with a check of the
/// status of each call whose code may fail. TVM's modules contain this check; modules of Tenon's
/// model readers do not. The entry allocates `state_bytes` for all states, and gets the attribute
/// for `inits`; both are empty for other functions.
Function WithAnsweredCalls(Context& context, const Function& function, const IRModule& module,
                           const AnsweredOf& answered, int64_t state_bytes,
                           const std::vector<ExternalInit>& inits);

}  // namespace tenon

#endif  // TENON_BYOC_ANSWERED_CALLS_H_

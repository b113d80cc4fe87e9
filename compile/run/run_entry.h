#ifndef TENON_COMPILE_RUN_RUN_ENTRY_H_
#define TENON_COMPILE_RUN_RUN_ENTRY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/run/run_times.h"
#include "compile/run/tensors.h"
#include "lowering/entry_abi.h"

namespace tenon {

/// The end of a message about a function that neither the module nor a library defines.
inline constexpr std::string_view kMissingFunction = "; give its code with --engine=c --link=my.c";

/// Code that is called through the C interface of a module, from any back end. The lists are the
/// fields of its structs, in order.
struct EntryCode {
  using Fields = std::span<void* const>;
  /// Sets all fields: to the addresses of tensors that are in pools, to null for the others. Does
  /// nothing to a struct without tensors in pools.
  std::function<void(std::span<void*> inputs, std::span<void*> outputs, Fields pools)> map;
  /// Runs the model; returns its status.
  std::function<int32_t(Fields inputs, Fields outputs, Fields pools)> run;
  /// Loads constants into RAM and initialises external functions, before the first run; null if
  /// there is nothing to do.
  std::function<int32_t(Fields pools)> init = nullptr;
  /// The facts that external functions check first, for messages.
  std::vector<std::string> checks = {};
  /// `const char* tenon_external_message(void)`, by which external functions may say why they
  /// fail; null if no code has it.
  const char* (*message)() = nullptr;

  /// `: ` and the last message of external functions. Empty if they left no message.
  std::string MessageText() const;
};

/// The function of EntryCode::message, which generated code may define.
inline constexpr const char* kExternalMessage = "tenon_external_message";

/// Calls a `<prefix>_run`. A struct whose fields are all in pools is not passed.
int32_t CallRun(void* run, const EntryAbi& abi, EntryCode::Fields inputs, EntryCode::Fields outputs,
                EntryCode::Fields pools);

/// Runs the entry of a planned module `runs.count` times on `values`. Allocates memory for tensors
/// and external pools, aligned as the plan assumed. Returns false after an error.
bool RunEntry(const EntryAbi& abi, const IRModule& planned, const EntrySignature& signature,
              const EntryCode& code, std::vector<std::string>& values, Runs& runs,
              Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_RUN_ENTRY_H_

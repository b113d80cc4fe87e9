#ifndef TENON_LOWERING_LLVM_JIT_H_
#define TENON_LOWERING_LLVM_JIT_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lowering/llvm/emit_llvm.h"

namespace tenon {

struct JitState;

/// Runs code in this process. A module is compiled when it is added, and linked at the first lookup
/// of one of its functions. The destructor frees all code.
///
/// Modules call their own functions, those that Define gives, and functions of the process: the
/// mathematical and memory functions of the C library, and others that Allow names.
class Jit {
 public:
  /// An error if the target is not this machine, or if LLVM does not know the triple, the processor
  /// or a feature. `opt_level` is the level of machine code generation.
  static absl::StatusOr<std::unique_ptr<Jit>> Create(const TargetSpec& target, int opt_level = 2);
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  /// Adds a lowered module (see EmitLlvm), whose names must be new; false after an error.
  /// `options.target` must be the Jit's target. A call of a function of the process that may have
  /// effects on the machine is an error, unless it was allowed.
  bool Add(const IRModule& module, const EmitLlvmOptions& options, Diagnostics& diagnostics);

  /// Defines `symbol` as `address` for the code. Takes precedence over the process's symbol and
  /// over a weak definition in a module. Must be called before a module that uses the symbol is
  /// added.
  absl::Status Define(std::string_view symbol, void* address);

  /// Lets modules that are added later call the function `symbol` of the process.
  void Allow(std::string symbol);

  /// The address of a function, e.g. `tvmgen_default_run`. An error if it does not exist, or if a
  /// function that its module calls is not found.
  absl::StatusOr<void*> Lookup(std::string_view symbol);

 private:
  explicit Jit(std::unique_ptr<JitState> state);
  std::unique_ptr<JitState> state_;
};

}  // namespace tenon

#endif  // TENON_LOWERING_LLVM_JIT_H_

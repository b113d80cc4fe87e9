#ifndef TENON_LOWERING_LLVM_JIT_H_
#define TENON_LOWERING_LLVM_JIT_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "lowering/llvm/emit_llvm.h"

namespace tenon {

/// Code in this process. Modules are compiled when one of their functions is first looked up; what
/// they call and no module defines is looked for in the process. All of it goes with the Jit.
class Jit {
 public:
  /// A target other than this machine is an error; so is a triple, processor or feature that LLVM
  /// does not know. `opt_level` is that of making machine code.
  static absl::StatusOr<std::unique_ptr<Jit>> Create(const TargetSpec& target, int opt_level = 2);
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  /// Adds a lowered module (see EmitLlvm), whose names must be new; false after an error.
  /// `options.target` is the Jit's.
  bool Add(const IRModule& module, const EmitLlvmOptions& options, Diagnostics& diagnostics);

  /// Makes a function of this program known to the code by a name, rather than what the process has
  /// by that name, or a module as a default: before a module is added that uses it.
  absl::Status Define(std::string_view symbol, void* address);

  /// The address of a function, `tvmgen_default_run`; an error when there is none, or when
  /// something that its module calls is nowhere to be found.
  absl::StatusOr<void*> Lookup(std::string_view symbol);

 private:
  struct State;
  explicit Jit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tenon

#endif  // TENON_LOWERING_LLVM_JIT_H_

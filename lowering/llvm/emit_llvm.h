#ifndef TENON_LOWERING_LLVM_EMIT_LLVM_H_
#define TENON_LOWERING_LLVM_EMIT_LLVM_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/module.h"
#include "ir/storage_defaults.h"
#include "lowering/blob.h"
#include "lowering/stack_estimate.h"
#include "lowering/target_spec.h"
#include "support/diagnostics.h"

// Code generation through LLVM. This header does not include LLVM's headers.

namespace tenon {

/// LLVM handles constants of up to this many bytes in total without noticeable delay. A gigabyte
/// takes it a minute (docs/guide/targets.md).
inline constexpr int64_t kDefaultLlvmConstantLimit = int64_t{16} << 20;
/// The contents of tables up to this size in bytes may help an optimizer.
inline constexpr int64_t kSmallConstant = 4096;

struct EmitLlvmOptions : CodeOptions {
  TargetSpec target;
  /// The prefix of names: `tvmgen_default`; see EmittedPrefix.
  std::string prefix = "tvmgen_default";
  /// Default section (on ELF targets) and minimum alignment of constants and of internal pools; a
  /// pool may override them.
  std::string constant_section = ".rodata.tvm";
  std::string workspace_section = ".bss.noinit.tvm";
  int64_t constant_alignment = kDefaultAlignment;
  int64_t workspace_alignment = kDefaultAlignment;
  /// The total bytes of constants up to which LLVM gets all of them. LLVM needs several times their
  /// size in memory, and far more time than a copy. Above this limit, constants larger than
  /// kSmallConstant bytes become external symbols (EmittedLlvm::blobs), so that the optimizer still
  /// sees the others. If it is negative, all constants become external symbols. In a Jit, every
  /// constant larger than kSmallConstant bytes is external.
  int64_t constant_limit = kDefaultLlvmConstantLimit;
  /// Whether map functions return their structs by value, as C does. If not, their first parameter
  /// is the address of the struct. A host that calls the code at run time has no type for the
  /// struct.
  bool returns_structs = true;
  /// Called after each step with its duration in seconds; may be empty.
  std::function<void(std::string_view step, double seconds)> on_step;
};

/// The result of EmitLlvm.
struct EmittedLlvm {
  /// Text or bytes.
  std::string code;
  /// Constants that the code refers to as external symbols of hidden visibility, for an object of
  /// lowering/image. The parts are settled.
  std::vector<Blob> blobs;
  /// The stack of machine code; nullopt for IR.
  std::optional<StackEstimate> stack;
};

enum class LlvmOutput : uint8_t { kIr, kBitcode, kAssembly, kObject };

/// OK if code can be generated for the target; else an error that names the part that LLVM does not
/// know.
absl::Status CheckLlvmTarget(const TargetSpec& target);

/// Whether the target is big endian.
bool IsBigEndian(const TargetSpec& target);

/// The facts about a target that loops are chosen by. Without vector registers if the target has
/// none, or is not known.
Machine MachineOf(const TargetSpec& target);

/// Text or bytes for a module: functions, constants, internal pools and `<prefix>_run(inputs,
/// outputs[, workspace_pools])`, with the structs and names of the C that EmitC makes, so that its
/// header serves both. The module must be lowered by LowerForLlvm. The same module and options give
/// the same bytes. Reports constructs that LLVM code cannot express, and returns nullopt.
std::optional<EmittedLlvm> EmitLlvm(const IRModule& module, const EmitLlvmOptions& options,
                                    LlvmOutput output, Diagnostics& diagnostics);

/// Several modules that become one file.
struct LlvmProgram {
  struct Unit {
    const IRModule* module = nullptr;
    /// Replaces EmitLlvmOptions::prefix; unique for each module.
    std::string prefix;
  };
  /// Memory with an external name, for caller-owned pools.
  struct Arena {
    std::string name;
    int64_t bytes = 0;
    int64_t alignment = 1;
    std::string section;
  };
  std::vector<Unit> units;
  std::vector<Arena> arenas = {};
};

/// As EmitLlvm above, for all modules of a program.
std::optional<EmittedLlvm> EmitLlvm(const LlvmProgram& program, const EmitLlvmOptions& options,
                                    LlvmOutput output, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_LOWERING_LLVM_EMIT_LLVM_H_

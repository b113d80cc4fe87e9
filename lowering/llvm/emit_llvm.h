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

// Code through LLVM. No LLVM header is needed to use it.

namespace tenon {

/// What goes through LLVM in no time.
inline constexpr int64_t kDefaultLlvmConstantLimit = int64_t{16} << 20;
/// Tables of up to so many bytes may be worth knowing for an optimiser.
inline constexpr int64_t kSmallConstant = 4096;

struct EmitLlvmOptions : CodeOptions {
  TargetSpec target;
  /// What names begin with: `tvmgen_default`; see EmittedPrefix.
  std::string prefix = "tvmgen_default";
  /// Section (of ELF targets) and least alignment of constants and of internal pools; a pool may
  /// say more.
  std::string constant_section = ".rodata.tvm";
  std::string workspace_section = ".bss.noinit.tvm";
  int64_t constant_alignment = kDefaultAlignment;
  int64_t workspace_alignment = kDefaultAlignment;
  /// Bytes of all constants up to which LLVM gets them: it takes several times their size in memory
  /// and far longer than to copy them. Beyond, those of more than kSmallConstant bytes are external
  /// symbols (EmittedLlvm::blobs), so that the optimiser still sees the others; all of them where
  /// this is negative. A Jit keeps every constant of more than kSmallConstant bytes out.
  int64_t constant_limit = kDefaultLlvmConstantLimit;
  /// Receives how many seconds a step took, in the order of the steps; may be empty.
  std::function<void(std::string_view step, double seconds)> on_step;
};

/// What was made.
struct EmittedLlvm {
  /// Text or bytes.
  std::string code;
  /// Constants that the code has as external names of hidden visibility, for an object of
  /// lowering/image. Parts are settled.
  std::vector<Blob> blobs;
  /// The stack of machine code; nullopt for IR.
  std::optional<StackEstimate> stack;
};

enum class LlvmOutput : uint8_t { kIr, kBitcode, kAssembly, kObject };

/// OK when code can be made for the target; else which of its parts LLVM does not know.
absl::Status CheckLlvmTarget(const TargetSpec& target);

/// Whether the target has the high byte of a number first.
bool IsBigEndian(const TargetSpec& target);

/// The vector registers of a target.
struct VectorRegisters {
  int64_t count = 0;
  /// Of one of them, of the width that LLVM prefers.
  int64_t bytes = 0;
  /// Of the widest that there are: vectors that a module has are in them where they can.
  int64_t widest = 0;
};

/// None when the target has none, or is not known.
VectorRegisters VectorRegistersOf(const TargetSpec& target);

/// Text or bytes for a module: functions, constants, internal pools and `<prefix>_run(inputs,
/// outputs[, workspace_pools])`, with the structs and names of the C that EmitC makes, so that its
/// header serves both. The module must be lowered by LowerForLlvm. The same module and options
/// give the same bytes. What cannot be said is reported; nullopt then.
std::optional<EmittedLlvm> EmitLlvm(const IRModule& module, const EmitLlvmOptions& options,
                                    LlvmOutput output, Diagnostics& diagnostics);

/// Several modules that become one file.
struct LlvmProgram {
  struct Unit {
    const IRModule* module = nullptr;
    /// Instead of EmitLlvmOptions::prefix; each has its own.
    std::string prefix;
  };
  /// Memory with an external name, for pools that the caller owns.
  struct Arena {
    std::string name;
    int64_t bytes = 0;
    int64_t alignment = 1;
    std::string section;
  };
  std::vector<Unit> units;
  std::vector<Arena> arenas = {};
};

/// The same of all modules of a program.
std::optional<EmittedLlvm> EmitLlvm(const LlvmProgram& program, const EmitLlvmOptions& options,
                                    LlvmOutput output, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_LOWERING_LLVM_EMIT_LLVM_H_

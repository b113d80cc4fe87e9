#ifndef TENON_TOOLS_LLVM_TOOLS_H_
#define TENON_TOOLS_LLVM_TOOLS_H_

#include <optional>
#include <string>

#include "compile/run/run.h"
#include "lowering/llvm/emit_llvm.h"

namespace tenon {

/// What only a program that has LLVM can do.
struct LlvmTools {
  absl::Status (*check_target)(const LlvmTarget& target);
  /// See VectorRegistersOf.
  VectorRegisters (*vector_registers)(const LlvmTarget& target);
  /// See IsBigEndian.
  bool (*is_big_endian)(const LlvmTarget& target);
  /// See EmitLlvm.
  std::optional<EmittedLlvm> (*emit)(const LlvmProgram& program, const EmitLlvmOptions& options,
                                     LlvmOutput output, Diagnostics& diagnostics);
  /// As RunCompiledC, with code made in this process; parallel loops run on
  /// `threads` threads.
  bool (*run)(const IRModule& module, const EntrySignature& signature,
              const CompileOptions& compile, EmitLlvmOptions options, TensorValues& values,
              Runs& runs, int threads, Diagnostics& diagnostics);
};

/// The options for code of these registers.
inline void UseVectors(const VectorRegisters& vectors, CompileOptions& options) {
  options.vector_bytes = vectors.count * vectors.bytes;
  options.vector_width = vectors.widest;
}

/// Null in `tenon`, so that it starts without LLVM; it leaves what it cannot do to `tenon-llvm`,
/// which is the same program with LLVM.
const LlvmTools* GetLlvmTools();

/// Replaces this process by `tenon-llvm`, which lies beside it, with the same arguments. Returns an
/// exit code when that is not there, or was not built.
int HandOverToLlvm(char** argv);

}  // namespace tenon

#endif  // TENON_TOOLS_LLVM_TOOLS_H_

#ifndef TENON_LOWERING_TARGET_SPEC_H_
#define TENON_LOWERING_TARGET_SPEC_H_

#include <cstdint>
#include <string>

#include "schedule/machine.h"

namespace tenon {

/// The machine that code is generated for.
struct TargetSpec {
  /// A triple, such as `thumbv7em-none-eabi`; empty: this machine.
  std::string triple;
  /// The name of a processor. Empty: the baseline processor of the triple. `native`: this machine's
  /// processor and features.
  std::string cpu;
  /// `+name` and `-name`, separated by commas.
  std::string features;
  /// `ilp32` to `lp64d` on RISC-V; empty: implied by the features.
  std::string abi = {};
};

/// The facts about a target that passes need, before a back end sees the module.
struct TargetFacts {
  /// The target is big endian.
  bool is_big_endian = false;
  /// The processor; by default one that a C compiler will know.
  Machine machine = {.vector_bytes = 512};
};

/// Whether code may grow to become faster (kAny); kSmall and kSmallest are like -Os and -Oz of
/// compilers.
enum class CodeSize : uint8_t { kAny, kSmall, kSmallest };

/// Options for the machine code of a back end. A back end that emits source ignores them.
struct CodeOptions {
  /// 0 to 3, like -O of compilers.
  int opt_level = 2;
  /// Used from level 1 on.
  CodeSize size = CodeSize::kAny;
  /// A product of floats that is added or subtracted need not be rounded, so that one instruction
  /// can do both.
  bool fp_contract = false;
  /// Floating point may be reassociated, contracted and approximated.
  bool fast_math = false;
  /// Adds line numbers of the module's text, for debuggers.
  bool debug_info = false;
  /// Functions that are not small are not inlined, so that each operator has a symbol.
  bool operator_symbols = false;
  /// Number of threads that optimize functions; 0: one per core. The code does not depend on it.
  int threads = 0;
};

}  // namespace tenon

#endif  // TENON_LOWERING_TARGET_SPEC_H_

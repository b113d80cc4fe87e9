#ifndef TENON_LOWERING_TARGET_SPEC_H_
#define TENON_LOWERING_TARGET_SPEC_H_

#include <cstdint>
#include <string>

namespace tenon {

/// The machine that code is for.
struct TargetSpec {
  /// A triple, such as `thumbv7em-none-eabi`; empty: this machine.
  std::string triple;
  /// The name of a processor. Empty: the least capable one of the triple. `native`: the one of this
  /// machine, with its features.
  std::string cpu;
  /// `+name` and `-name`, separated by commas.
  std::string features;
  /// `ilp32` to `lp64d` of RISC-V; empty: what the features imply.
  std::string abi = {};
};

/// The facts about a target that passes need, before a back end sees the module.
struct TargetFacts {
  /// The first byte of a number is its highest.
  bool is_big_endian = false;
  /// Bytes of all vector registers together; 0: the target has none.
  int64_t vector_bytes = 512;
  /// Bytes of the widest vector register; 0: not known.
  int64_t vector_width = 0;
};

/// Whether code may grow to become faster (kAny), as the -Os and -Oz of compilers.
enum class CodeSize : uint8_t { kAny, kSmall, kSmallest };

/// How a back end makes machine code. A back end that emits source ignores it.
struct CodeOptions {
  /// 0 to 3, as the -O of compilers.
  int opt_level = 2;
  /// Used from level 1 on.
  CodeSize size = CodeSize::kAny;
  /// A product of floats that is added or subtracted may stay unrounded, so that one instruction
  /// does both.
  bool fp_contract = false;
  /// Floating point may be reassociated, contracted and approximated.
  bool fast_math = false;
  /// Adds the lines of the module's text, for debuggers.
  bool debug_info = false;
  /// Threads that optimise functions; 0: one for each core. The code does not depend on it.
  int threads = 0;
};

}  // namespace tenon

#endif  // TENON_LOWERING_TARGET_SPEC_H_

#ifndef TENON_LOWERING_STACK_ESTIMATE_H_
#define TENON_LOWERING_STACK_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

/// The stack of one emitted function, without the functions that it calls, and its code.
struct StackFrame {
  std::string function;
  int64_t bytes = 0;
  /// The bytes of its machine code with the literals in it; 0 if unknown, as in assembly.
  int64_t code_bytes = 0;
};

/// A function of a library that emitted code calls, and the stack to allow for it and its callees.
struct LibraryAllowance {
  std::string function;
  int64_t bytes = 0;
};

/// The stack that emitted code needs, as far as a back end knows it.
struct StackEstimate {
  /// In the order of the code.
  std::vector<StackFrame> frames;
  /// Called functions of libraries, by name.
  std::vector<LibraryAllowance> library_calls;
  /// The largest sum of frames and of the allowance along a chain of calls, and its functions.
  int64_t deepest_bytes = 0;
  std::vector<std::string> deepest_path;
  /// Names of called functions that are defined elsewhere and have no allowance.
  std::vector<std::string> unknown;
};

}  // namespace tenon

#endif  // TENON_LOWERING_STACK_ESTIMATE_H_

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

/// The stack that emitted code needs, as far as a back end knows it.
struct StackEstimate {
  /// In the order of the code.
  std::vector<StackFrame> frames;
  /// The largest sum of frames along a chain of calls, and the functions of that chain.
  int64_t deepest_bytes = 0;
  std::vector<std::string> deepest_path;
  /// Names of called functions that are defined elsewhere. Their stack is not known.
  std::vector<std::string> unknown;
};

}  // namespace tenon

#endif  // TENON_LOWERING_STACK_ESTIMATE_H_

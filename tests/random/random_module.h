#ifndef TENON_TESTS_RANDOM_RANDOM_MODULE_H_
#define TENON_TESTS_RANDOM_RANDOM_MODULE_H_

#include <cstdint>

#include "ir/module.h"

namespace tenon::random_ir {

struct ModuleOptions {
  /// Functions besides main.
  int functions = 3;
  /// Approximate number of statements of a function.
  int statements = 6;
  /// Nesting depth of expressions.
  int depth = 3;
  /// Every kind of node, including nodes that cannot run (T.reduce, producers). Such a module is
  /// not well-formed, and is only for code that works on any node.
  bool any_node = false;
  /// Many buffers that are overwritten repeatedly, in loops, branches, whiles and callees.
  bool reuse = false;
  /// Instead of all that, operators of a network (random_operators.h).
  bool operators = false;
  /// The share of operators whose result is an output of main, in percent. Later operators may
  /// also read it.
  int outputs = 10;
};

/// A random module, the same for the same seed on every machine. Unless `any_node` is set, it is
/// well-formed and runs without errors. Indices are in bounds by construction, divisors are not
/// zero, shifts are less than the width, all storage is written before it is read, and loops end.
/// Parallel iterations write different elements and read nothing that the loop writes.
///
/// `main` takes tensors that it only reads, and tensors that it writes before it reads them. Both
/// have values of any dtype.
IRModule MakeModule(Context& context, uint64_t seed, const ModuleOptions& options = {});

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_RANDOM_MODULE_H_

#ifndef TENON_TESTS_RANDOM_RANDOM_MODULE_H_
#define TENON_TESTS_RANDOM_RANDOM_MODULE_H_

#include <cstdint>

#include "ir/module.h"

namespace tenon::random_ir {

struct ModuleOptions {
  /// Functions besides main.
  int functions = 3;
  /// Statements of a function, about.
  int statements = 6;
  /// Nesting of expressions.
  int depth = 3;
  /// Every kind of node, also those that cannot run (T.reduce, producers): such a module is only
  /// for what works on any node, and is not well-formed.
  bool any_node = false;
  /// Many buffers that are written whole again and again, in loops, branches, whiles and callees.
  bool reuse = false;
  /// Instead of all that: a network's operators (random_operators.h).
  bool operators = false;
};

/// A random module, the same for the same seed on every machine. Unless `any_node` is set it is
/// well-formed and runs without errors: indices are in bounds by construction, divisors are not
/// zero, shifts are less than the width, all storage is written before it is read, loops end,
/// parallel iterations write different elements and read nothing that is written there.
///
/// `main` takes tensors that it only reads, and tensors that it writes before it reads them; both
/// with values of any kind.
IRModule MakeModule(Context& context, uint64_t seed, const ModuleOptions& options = {});

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_RANDOM_MODULE_H_

#ifndef TENON_TESTS_RANDOM_RANDOM_OPERATORS_H_
#define TENON_TESTS_RANDOM_RANDOM_OPERATORS_H_

#include "random/generator.h"

namespace tenon::random_ir {

/// Adds `main` and operators that it calls, like those of networks: padding, dilation, layout
/// changes, concatenation, sums over windows, and chains of elementwise operations. Buffers are
/// flat. Loops are fused, divided, reversed and permuted at random. `outputs` percent of the
/// results and the last one are outputs of main.
void AddOperators(Context& context, Dice& dice, IRModule& module, int outputs);

}  // namespace tenon::random_ir

#endif  // TENON_TESTS_RANDOM_RANDOM_OPERATORS_H_

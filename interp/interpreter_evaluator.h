#ifndef TENON_INTERP_INTERPRETER_EVALUATOR_H_
#define TENON_INTERP_INTERPRETER_EVALUATOR_H_

#include <optional>
#include <vector>

#include "analysis/function_evaluator.h"

namespace tenon {

/// Runs functions in the interpreter, for `fold-constants`.
class InterpreterEvaluator : public FunctionEvaluator {
 public:
  std::optional<std::vector<std::vector<uint8_t>>> Run(const IRModule& module, Symbol function,
                                                       int64_t max_steps) const override;
};

}  // namespace tenon

#endif  // TENON_INTERP_INTERPRETER_EVALUATOR_H_

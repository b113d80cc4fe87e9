#ifndef TENON_ANALYSIS_FUNCTION_EVALUATOR_H_
#define TENON_ANALYSIS_FUNCTION_EVALUATOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace tenon {

/// Runs functions while a module is compiled. Passes do not depend on an interpreter; the caller
/// provides one (RunOptions::evaluator), e.g. interp/interpreter_evaluator.h.
class FunctionEvaluator {
 public:
  virtual ~FunctionEvaluator() = default;

  /// Runs `function` of `module` once. All its parameters have buffers of constant shape, with no
  /// bytes written yet. Returns the bytes of each parameter afterwards, 0 where nothing was
  /// written. Nullopt if the run fails, or takes more than `max_steps` iterations.
  virtual std::optional<std::vector<std::vector<uint8_t>>> Run(const IRModule& module,
                                                               Symbol function,
                                                               int64_t max_steps) const = 0;
};

}  // namespace tenon

#endif  // TENON_ANALYSIS_FUNCTION_EVALUATOR_H_

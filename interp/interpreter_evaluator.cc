#include "interp/interpreter_evaluator.h"

#include <deque>
#include <utility>

#include "interp/interpreter.h"
#include "ir/extents.h"
#include "support/check.h"

namespace tenon {

std::optional<std::vector<std::vector<uint8_t>>> InterpreterEvaluator::Run(
    const IRModule& module, Symbol function, int64_t max_steps) const {
  const Function* found = module.Find(function);
  TENON_CHECK(found != nullptr);
  Diagnostics diagnostics;
  InterpreterOptions options;
  options.max_steps = max_steps;
  const absl::StatusOr<Interpreter> interpreter =
      Interpreter::Compile(module, diagnostics, std::move(options));
  if (!interpreter.ok()) return std::nullopt;
  std::deque<Tensor> tensors;
  std::vector<Argument> arguments;
  for (const Buffer* buffer : found->func->buffers) {
    TENON_CHECK(buffer != nullptr);
    const std::optional<std::vector<int64_t>> shape = StaticShape(buffer->shape);
    const std::optional<int64_t> bytes = StaticBytes(buffer->dtype, buffer->shape);
    TENON_CHECK(shape.has_value() && bytes.has_value());
    Tensor& tensor = tensors.emplace_back(Tensor{buffer->dtype, *shape, {}});
    tensor.bytes.resize(static_cast<size_t>(*bytes));
    arguments.push_back(Argument::Of(&tensor, /*undefined=*/true));
  }
  if (!interpreter->Run(function.view(), arguments, diagnostics)) return std::nullopt;
  std::vector<std::vector<uint8_t>> values;
  for (Tensor& tensor : tensors) values.push_back(std::move(tensor.bytes));
  return values;
}

}  // namespace tenon

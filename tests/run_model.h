#ifndef TENON_TESTS_RUN_MODEL_H_
#define TENON_TESTS_RUN_MODEL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compile/run/interpreted_model.h"

// Runs of models on tensors, for tests.

namespace tenon {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Runs the entry of a module in the interpreter. Inputs match by name if they have one, otherwise
/// by position. Returns the outputs in order, or an error with details in `diagnostics`.
inline absl::StatusOr<std::vector<NamedTensor>> RunModel(const IRModule& module,
                                                         const std::vector<NamedTensor>& inputs,
                                                         Diagnostics& diagnostics,
                                                         InterpreterOptions options = {}) {
  const auto model = InterpretedModel::Load(module, std::move(options), diagnostics);
  if (model == nullptr) return absl::InvalidArgumentError("the model was not loaded");
  const std::vector<EntryTensor>& tensors = model->signature().tensors;
  TensorValues values(tensors.size());
  size_t next = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].is_output) continue;
    const NamedTensor* given = nullptr;
    for (const NamedTensor& input : inputs) {
      if (!input.name.empty() && input.name == tensors[i].name) given = &input;
    }
    if (given == nullptr && next < inputs.size()) given = &inputs[next];
    ++next;
    if (given == nullptr) return absl::InvalidArgumentError("a value is missing");
    values[i].assign(given->tensor.bytes.begin(), given->tensor.bytes.end());
  }
  Runs runs;
  if (!model->Run(values, runs, diagnostics))
    return absl::InvalidArgumentError("the model did not run");
  std::vector<NamedTensor> outputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].is_output) continue;
    outputs.push_back({tensors[i].name,
                       {tensors[i].dtype, tensors[i].shape, {values[i].begin(), values[i].end()}}});
  }
  return outputs;
}

}  // namespace tenon

#endif  // TENON_TESTS_RUN_MODEL_H_

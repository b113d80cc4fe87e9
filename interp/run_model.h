#ifndef TENON_INTERP_RUN_MODEL_H_
#define TENON_INTERP_RUN_MODEL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/interpreter.h"

namespace tenon {

/// A parameter of a model's entry function and its role.
struct ModelParam {
  enum class Role : uint8_t {
    kInput,      ///< only read
    kOutput,     ///< stored to, directly or by a function it is passed to
    kWorkspace,  ///< a workspace pool of `pool_args`
    kConstants,  ///< a constant pool of `pool_args`
    kHandle,     ///< a resource handle; receives null
    kLinked,     ///< bound to a constant by `link_params`
  };
  Role role = Role::kInput;
  /// The parameter's name in the text.
  std::string_view name;
  DataType dtype;
  std::vector<int64_t> shape;  ///< -1: taken from the tensor
  int64_t pool_bytes = 0;
};

/// The parameters of `function` with their roles. Empty, with an error in `diagnostics`, if a shape
/// or a pool cannot be determined.
std::vector<ModelParam> ModelParams(const IRModule& module, const Function& function,
                                    Diagnostics& diagnostics);

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Runs the entry function (IRModule::Main). Inputs match by name if they have one, otherwise by
/// position; all are required, with the right dtype and shape. `pool_args` describes the pools: the
/// workspace starts undefined, constants are filled in. Returns the outputs in order, or an error
/// Status with details in `diagnostics`.
absl::StatusOr<std::vector<NamedTensor>> RunModel(const IRModule& module,
                                                  std::vector<NamedTensor> inputs,
                                                  Diagnostics& diagnostics,
                                                  InterpreterOptions options = {});

}  // namespace tenon

#endif  // TENON_INTERP_RUN_MODEL_H_

#ifndef TENON_INTERP_RUN_MODEL_H_
#define TENON_INTERP_RUN_MODEL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/interpreter.h"

namespace tenon {

/// What a parameter of a model's entry function is for.
struct ModelParam {
  enum class Role : uint8_t {
    kInput,      ///< only read
    kOutput,     ///< stored to, directly or by a function it is passed to
    kWorkspace,  ///< a workspace pool of `pool_args`
    kConstants,  ///< a constant pool of `pool_args`
    kHandle,     ///< a resource handle: gets null
    kLinked,     ///< bound to a constant by `link_params`
  };
  Role role = Role::kInput;
  /// The parameter's name in the text.
  std::string_view name;
  DataType dtype;
  std::vector<int64_t> shape;  ///< -1: taken from the tensor
  int64_t pool_bytes = 0;
};

/// The parameters of `function` by role. Empty, with an error in `diagnostics`, when a shape or a
/// pool cannot be made out.
std::vector<ModelParam> ModelParams(const IRModule& module, const Function& function,
                                    Diagnostics& diagnostics);

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Runs the entry function (IRModule::Main). Inputs come by name if they have
/// one, else in order; all have to be given, with the right dtype and shape. Pools are made as
/// `pool_args` says: workspace undefined, constants filled in. The result is the outputs in order;
/// an error Status when `diagnostics` says what was wrong.
absl::StatusOr<std::vector<NamedTensor>> RunModel(const IRModule& module,
                                                  std::vector<NamedTensor> inputs,
                                                  Diagnostics& diagnostics,
                                                  InterpreterOptions options = {});

}  // namespace tenon

#endif  // TENON_INTERP_RUN_MODEL_H_

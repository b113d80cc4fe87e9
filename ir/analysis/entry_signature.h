#ifndef TENON_IR_ANALYSIS_ENTRY_SIGNATURE_H_
#define TENON_IR_ANALYSIS_ENTRY_SIGNATURE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/analysis/effects.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"
#include "ir/module.h"

// The parameters of an entry function as an application sees them. Engines, lowerings and reports
// all use this description, so that a header written by one matches the code emitted by another.

namespace tenon {

/// A tensor or a number that the entry function takes.
struct EntryTensor {
  /// The parameter's name, as in the text.
  std::string name;
  /// Index among the function's parameters; meaningless if `place` is set.
  size_t param = 0;
  DataType dtype;
  /// Extents, then the lanes of vectors. Empty if the shape is not constant.
  std::vector<int64_t> shape;
  /// 0 if the shape is not constant.
  int64_t size_bytes = 0;
  /// The whole shape is known. False for variable or negative extents, for 2^63 bytes or more, for
  /// bare pointers, and for vectors passed by value.
  bool has_shape = true;
  /// A number passed by value: its shape is empty.
  bool is_scalar = false;
  /// For a tensor that lies in a pool and is not a parameter: the index in `pools` and the first
  /// byte.
  struct Place {
    size_t pool = 0;
    int64_t offset = 0;
  };
  std::optional<Place> place;
  /// As OutputParams says; a tensor that is not an output is an input.
  bool is_output = false;
};

/// Finds the output parameters of an entry function. The attribute attr_key::kOutputs lists them.
/// Without it, outputs are the pointers that the function or its callees write through.
std::vector<bool> OutputParams(const PrimFunc& function, const FunctionEffects& effects);

/// The inputs and outputs of an entry function in order, whether they are parameters, allocations
/// to be planned (create-io-allocates) or places in pools. `place` is not set. Pools, parameters
/// that `link_params` binds, and a last handle of unknown pointee are left out.
std::vector<EntryTensor> EntryTensors(const PrimFunc& function, const FunctionEffects& effects);

/// The arguments of an entry function: its tensors in order (including tensors in its pools), then
/// its pools if it is planned.
struct EntrySignature {
  const Function* entry = nullptr;
  std::vector<EntryTensor> tensors;
  /// The pools that are parameters.
  std::vector<PoolArg> pools;
  /// Parameter indexes of the pools.
  std::vector<size_t> pool_params;
  /// Parameter index of a device handle after the pools.
  std::optional<size_t> resource_handle;

  /// The index in `pools` of the pool called `name`.
  std::optional<size_t> PoolNamed(std::string_view name) const;
};

/// Receives one error of a signature.
using SignatureError = std::function<void(std::string message)>;

/// The signature of `entry`; `effects` is the summary of its effects. A tensor in a pool that the
/// function does not take, or in a pool that is too small, is an error and is left out. A declared
/// output that the entry does not have is an error.
EntrySignature ReadEntrySignature(const Function& entry, const FunctionEffects& effects,
                                  const SignatureError& error);

/// A constant that must be in a pool before the function runs, with the indexes of the pools.
struct PlacedLoad {
  LoadedConstant constant;
  /// The pool that the constant is loaded into.
  size_t pool = 0;
  /// The pool that the constant is stored in; nullopt: in no pool.
  std::optional<size_t> stored_pool;
};

/// The constants that are loaded before the entry runs, in order. A constant that has no data, or
/// whose pools differ from its attribute's, is an error and is left out.
std::vector<PlacedLoad> ReadPlacedLoads(const EntrySignature& signature,
                                        const SignatureError& error);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_ENTRY_SIGNATURE_H_

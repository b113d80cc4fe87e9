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

// What an entry function takes, as an application sees it. Engines, lowerings and reports all go by
// this, so that a header made by one fits the code made by another.

namespace tenon {

/// A tensor, or a number, that the entry function takes.
struct EntryTensor {
  /// The parameter's name, as in the text.
  std::string name;
  /// Index among the function's parameters; of no meaning where there is a place.
  size_t param = 0;
  DataType dtype;
  /// Extents, then the lanes of vectors. Empty for what has no constant shape.
  std::vector<int64_t> shape;
  /// 0 for what has no constant shape.
  int64_t size_bytes = 0;
  /// All of the shape is known: false for extents that are variables, for what has negative ones or
  /// 2^63 bytes, for bare pointers, and for vectors passed by value.
  bool has_shape = true;
  /// A number passed by value: its shape is empty.
  bool is_scalar = false;
  /// It lies in a pool and is no parameter: which of `pools`, and its first byte.
  struct Place {
    size_t pool = 0;
    int64_t offset = 0;
  };
  std::optional<Place> place;
  /// As OutputParams says; what is no output is an input.
  bool is_output = false;
};

/// Which parameters of an entry function are outputs. The attribute attr_key::kOutputs lists them;
/// without it they are the pointers that the function, or something that it calls, writes through.
std::vector<bool> OutputParams(const PrimFunc& function, const FunctionEffects& effects);

/// The inputs and outputs of an entry function in order, whether they are parameters, allocations
/// to be planned (create-io-allocates) or places in pools. `place` is not set. Parameters that
/// `link_params` binds, pools, and a last handle that points to nothing known are not among them.
std::vector<EntryTensor> EntryTensors(const PrimFunc& function, const FunctionEffects& effects);

/// What the entry function takes: tensors in order (also those that lie in its pools), then pools
/// if it is planned.
struct EntrySignature {
  const Function* entry = nullptr;
  std::vector<EntryTensor> tensors;
  /// The pools that are parameters.
  std::vector<PoolArg> pools;
  /// Parameter indexes of the pools.
  std::vector<size_t> pool_params;
  /// Parameter index of a device handle behind them.
  std::optional<size_t> resource_handle;

  /// Which of `pools` has that name.
  std::optional<size_t> PoolNamed(std::string_view name) const;
};

/// Says what is wrong with a signature.
using SignatureError = std::function<void(std::string message)>;

/// The signature of `entry`, of whose effects `effects` is the summary. Tensors in pools that the
/// function does not take, or that are too small, are errors, and are left out. A declared output
/// that the entry does not have is an error.
EntrySignature ReadEntrySignature(const Function& entry, const FunctionEffects& effects,
                                  const SignatureError& error);

/// A constant that has to be in a pool before the function runs, with the pools' indexes.
struct PlacedLoad {
  LoadedConstant constant;
  /// Where it goes.
  size_t pool = 0;
  /// Where it is stored; nullopt: by itself.
  std::optional<size_t> stored_pool;
};

/// The constants that are loaded before the entry runs, in order. What cannot be loaded, because
/// the pools are others than its attribute says or it has no data, is an error, and is left out.
std::vector<PlacedLoad> ReadPlacedLoads(const EntrySignature& signature,
                                        const SignatureError& error);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_ENTRY_SIGNATURE_H_

#ifndef TENON_IR_ANALYSIS_MODEL_ENTRY_H_
#define TENON_IR_ANALYSIS_MODEL_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/analysis/entry_signature.h"
#include "ir/external_code.h"
#include "ir/row_feed.h"

// The interface by which an application runs a model. make-entry writes the functions from this
// description. Back ends and the interpreter take the functions' data and structs from it, and the
// C header declares them.

namespace tenon {

/// Status codes of the entry functions. 0 is success; other negative numbers are failures of the
/// model's own functions.
inline constexpr int32_t kStatusNotLoaded = -2;
inline constexpr int32_t kStatusDamagedConstant = -3;
/// More rows than are still to come.
inline constexpr int32_t kStatusTooManyRows = -4;

/// The functions of an entry: the values of attr_key::kEntryFunction. The name of each in the
/// emitted code is `<prefix>_<value>`.
namespace entry_function {
inline constexpr std::string_view kRun = "run";
inline constexpr std::string_view kInit = "init";
inline constexpr std::string_view kFini = "fini";
/// Takes the next rows of the input.
inline constexpr std::string_view kFeedRows = "feed_rows";
/// Forgets the rows that were taken.
inline constexpr std::string_view kBeginRows = "begin_rows";
inline constexpr std::string_view kMapInputs = "map_inputs";
inline constexpr std::string_view kMapOutputs = "map_outputs";
/// Initialises external functions exactly once.
inline constexpr std::string_view kInitExternals = "init_externals";
/// Decodes an LZ4 block.
inline constexpr std::string_view kLz4 = "lz4";
}  // namespace entry_function

/// The structs of pointers that the functions of an entry take, by their parameters. The type of
/// each in the C header is `struct <prefix>_<value>`.
namespace entry_struct {
inline constexpr std::string_view kInputs = "inputs";
inline constexpr std::string_view kOutputs = "outputs";
inline constexpr std::string_view kPools = "workspace_pools";
/// The struct of the outputs, or of the inputs.
constexpr std::string_view OfTensors(bool is_output) { return is_output ? kOutputs : kInputs; }
}  // namespace entry_struct

/// The kinds of data that `T.entry_data(kind, name)` refers to.
namespace entry_data {
/// A pool of the entry that the generated code owns.
inline constexpr std::string_view kPool = "pool";
/// The stored bytes of a loaded constant that is in no pool.
inline constexpr std::string_view kStored = "stored";
/// An int32 that is 0 when the program starts: kIsLoaded, kExternalsState or kFedRows.
inline constexpr std::string_view kFlag = "flag";
/// 1 when the constants have been loaded.
inline constexpr std::string_view kIsLoaded = "is_loaded";
/// 0 before external functions are initialised, 1 meanwhile, 2 from then on.
inline constexpr std::string_view kExternalsState = "externals_state";
/// The rows of the input that were taken.
inline constexpr std::string_view kFedRows = "fed_rows";
}  // namespace entry_data

/// The entry of a model, as an application sees it. The run function takes structs of pointers:
/// `inputs`, `outputs` and `workspace_pools`. A struct without fields, or whose tensors all lie in
/// pools, is not a parameter.
struct ModelEntry {
  EntrySignature signature;
  /// The constants that are loaded into RAM before the first run.
  std::vector<PlacedLoad> loads;
  /// The calls before the first run that initialise external functions.
  std::vector<ExternalInit> inits;
  /// The index in `signature.pools` of the memory that `inits` fill.
  std::optional<size_t> state_pool;
  /// The function that takes rows of the input.
  std::optional<RowFeed> feed;

  /// The inputs or outputs, as indices in `signature.tensors`: the fields of their struct.
  std::vector<size_t> Fields(bool is_output) const;
  /// The field of pool number `pool` in the struct of the caller's pools; nullopt if the generated
  /// code owns the pool.
  std::optional<size_t> PoolField(size_t pool) const;
  /// Whether the caller owns a pool.
  bool HasCallerPools() const;
  /// Whether some input or output lies in a pool; a map function then exists.
  bool MapsAny(bool is_output) const;
  /// Whether all inputs or outputs lie in pools, or there are none.
  bool MapsAll(bool is_output) const;
  bool HasInit() const { return !loads.empty() || !inits.empty(); }
  /// Whether external functions can end what their inits began.
  bool HasFini() const;
  /// Whether the caller must call the init function before the first run, since constants are
  /// loaded into the caller's pools.
  bool NeedsInit() const;
};

/// Reads the entry from its function's attributes. Tensors, constants and states whose pools are
/// not what the attributes say are errors and are left out.
ModelEntry ReadModelEntry(const Function& entry, const FunctionEffects& effects,
                          const SignatureError& error);

/// The value of attr_key::kEntryFunction; empty for other functions.
std::string_view EntryFunctionOf(const Function& function);
/// The functions that make-entry added, in the order of the module.
std::vector<const Function*> EntryFunctions(const IRModule& module);
/// The module without these functions.
IRModule WithoutEntryFunctions(IRModule module);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_MODEL_ENTRY_H_

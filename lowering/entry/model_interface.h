#ifndef TENON_LOWERING_ENTRY_MODEL_INTERFACE_H_
#define TENON_LOWERING_ENTRY_MODEL_INTERFACE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/model_entry.h"
#include "ir/storage_defaults.h"
#include "lowering/entry_abi.h"
#include "lowering/module_constants.h"
#include "lowering/parallel_loops.h"
#include "lowering/provenance.h"
#include "lowering/update_manifest.h"
#include "support/diagnostics.h"

// The interface by which applications call a model: names, sizes, structs and the C header. C and
// LLVM code have the same one.

namespace tenon {

struct InterfaceOptions {
  /// Minimum alignments in bytes, and default sections; a pool may override them.
  int64_t constant_alignment = kDefaultAlignment;
  int64_t workspace_alignment = kDefaultAlignment;
  std::string constant_section = ".rodata.tvm";
  std::string workspace_section = ".bss.noinit.tvm";
  ParallelLoops parallel = ParallelLoops::kSerial;
  /// Other files and libraries to compile and link; becomes a comment in the header.
  std::string link_note = {};
  /// Scales and zero points of tensors are data that a function returns; else they are macros.
  bool dynamic_scales = false;
  /// Becomes a comment, and the macro of the model's hash.
  Provenance provenance = {};
};

/// An input or output: a field of its struct.
struct InterfaceTensor : EntryTensor {
  std::string field;
  std::string macro;        ///< the macro of its size
  std::string_view scalar;  ///< the C type of a number; empty for tensors
};

/// A pool of the entry.
struct InterfacePool {
  std::string field;
  int64_t bytes = 0;
  bool is_constant = false;
  bool is_internal = true;
  int64_t alignment = 1;
  std::string section;  ///< for an internal pool
  std::string header;   ///< for a pool that is defined elsewhere: the header that declares it
};

/// The facts about the generated code that its header states.
struct HeaderFacts {
  /// Functions of the C library that the code may call.
  std::vector<std::string> math = {};
  /// The bytes of constants outside of pools.
  int64_t constant_bytes = 0;
  /// Constants are in a file, which is aligned to this many bytes in memory.
  std::optional<int64_t> file_alignment = {};
  /// That file may be replaced by one with other bytes.
  bool replaceable = false;
};

/// The comment with which generated files say where they come from. Ends with a line break.
std::string ProvenanceComment(const Provenance& provenance);

/// The interface of an entry.
class ModelInterface {
 public:
  /// Reads the interface from the entry's attributes. Names begin with `prefix`. Reports what C
  /// cannot name, as errors of the kind `lowering-c`. The arguments outlive the object.
  ModelInterface(const Function& entry, const FunctionEffects& effects, std::string_view prefix,
                 const InterfaceOptions& options, Diagnostics& diagnostics);

  const ModelEntry& model() const { return model_; }
  const EntrySignature& signature() const { return model_.signature; }
  /// In the order of the signature's pools.
  const std::vector<InterfacePool>& pools() const { return pools_; }
  const EntryAbi& abi() const { return abi_; }
  /// The scales of all inputs and outputs, in the order of the function that returns them. Empty
  /// without InterfaceOptions::dynamic_scales.
  std::vector<InterfaceScale> Scales() const;

  /// The C header.
  std::string Header(const HeaderFacts& facts) const;

 private:
  void AddPools();
  InterfacePool MakePool(const PoolArg& arg);
  void AddTensors();
  void AddInits();
  std::string SizeMacro(const std::string& field);
  std::string PoolMacro(const InterfacePool& pool) const;
  static std::string TypeText(const InterfaceTensor& tensor);
  static std::string MacroOf(const InterfaceTensor& tensor, std::string_view what);
  std::string TensorMacros(const InterfaceTensor& tensor) const;
  std::string TensorsText() const;
  std::string StructsText() const;
  std::string MapsText() const;
  std::string InitText() const;
  std::string FiniText() const;
  std::string FeedText() const;
  std::string FileText(int64_t alignment, bool replaceable) const;
  std::string QuantizationText() const;
  std::string PoolMacros(int64_t constant_bytes) const;
  void Error(std::string message) const;

  const Function& entry_;
  std::string_view prefix_;
  const InterfaceOptions& options_;
  Diagnostics& diagnostics_;
  ModelEntry model_;
  std::vector<InterfaceTensor> tensors_;
  std::vector<InterfacePool> pools_;
  EntryAbi abi_;
  /// Names of the header's size macros.
  absl::flat_hash_set<std::string> macros_;
};

/// The prefix of a module's names. Entry functions that make-entry added have it already.
std::string InterfacePrefix(const IRModule& module, std::string_view module_name);

/// The bytes of constants that are in no pool: arrays, and stored forms of `loads`.
int64_t ConstantBytesOutsidePools(const ModuleConstants& constants,
                                  const std::vector<PlacedLoad>& loads);

/// The decompressors that the loads of an entry need.
void AddDecoders(const std::vector<PlacedLoad>& loads, RuntimeNeeds& needs);

/// The declaration of `<prefix>_<role>`, a function of entry_function that applications call.
std::string EntryDeclaration(const EntryAbi& abi, std::string_view role);

/// The struct that a map function returns, without the prefix; empty for other functions.
std::string_view MappedStruct(std::string_view role);

/// The interface of a module whose code another back end than C emits. A module without an entry
/// has no header.
std::optional<EntryInterface> MakeEntryInterface(const IRModule& module,
                                                 std::string_view module_name,
                                                 const InterfaceOptions& options,
                                                 Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_LOWERING_ENTRY_MODEL_INTERFACE_H_

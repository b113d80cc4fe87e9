#ifndef TENON_LOWERING_BACKEND_H_
#define TENON_LOWERING_BACKEND_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/module.h"
#include "ir/storage_defaults.h"
#include "lowering/blob.h"
#include "lowering/emitted_file.h"
#include "lowering/entry_abi.h"
#include "lowering/external_files.h"
#include "lowering/operator_note.h"
#include "lowering/parallel_loops.h"
#include "lowering/provenance.h"
#include "lowering/stack_estimate.h"
#include "lowering/target_spec.h"
#include "lowering/update_manifest.h"
#include "support/diagnostics.h"

// A back end is a value: the passes that bring a planned module into the form that the back end
// takes, and a function that emits files. compile/ calls it; a program lists its back ends
// (docs/internals/adding.md).

namespace tenon {

class Pipeline;  // passes/pipeline/pipeline.h

/// One thing that a back end can emit: a value of --emit.
struct OutputKind {
  std::string_view name;
  std::string_view summary;
  /// Several files in a folder; else one file, possibly with others next to it.
  bool is_folder = false;
  /// The emitted code is linked with a program, so a header goes with it.
  bool has_header = true;
};

/// An emitted file and its role.
struct Artifact {
  enum class Role : uint8_t {
    kCode,       ///< the requested output: a source, an object, a library
    kHeader,     ///< the interface of the model
    kRuntime,    ///< runtime files that the code includes or is compiled with
    kConstants,  ///< constants that are not in the code
    kParams,     ///< values of constants that became inputs
    kExternal,   ///< code of external code generators, and its headers
    kUpdate,     ///< what an update of replaceable constants is compared with
  };
  Role role = Role::kCode;
  EmittedFile file;
};

/// The files for WriteFolder; they borrow the bytes of `artifacts`.
std::vector<FolderFile> FolderFiles(std::span<const Artifact> artifacts);

/// Adds files of external code generators. AlreadyExists if another file has the same name.
absl::Status AddExternalFiles(const ExternalFiles& externals, std::vector<Artifact>& files);

/// One module of a program, lowered by the passes of its back end.
struct BackendUnit {
  const IRModule* module = nullptr;
  /// The file that it was read from, for messages.
  std::string source;
  /// The base of all names: `tvmgen_<module_name>`. Empty: derived from the entry's global symbol.
  std::string module_name;
  /// Minimum alignments of workspace buffers and of constants, in bytes; powers of two.
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;
  /// Constants share bytes in a way that is only correct on little-endian machines.
  bool is_little_endian = false;
  /// The interface by which applications call the model. Set only for a back end with
  /// `needs_interface`.
  EntryInterface interface = {};
  /// Code that belongs to the module; null: none.
  const ExternalFiles* externals = nullptr;
  /// External code generators made some of that code. It declares its functions itself.
  bool has_generated_externals = false;
  Provenance provenance = {};
  /// The operators of the entry in order, for a back end with `notes_operators`.
  std::vector<OperatorNote> operators = {};
};

/// Options for emitting a program.
struct BackendOptions {
  /// The name of an OutputKind of the back end.
  std::string_view output;
  TargetSpec target;
  CodeOptions code;
  ParallelLoops parallel = ParallelLoops::kSerial;
  ConstantStorage constant_storage = ConstantStorage::kAuto;
  /// The file of constants may be replaced by one with other bytes; and their scales, which the
  /// header then has no macros for.
  bool replaceable = false;
  bool dynamic_scales = false;
  AutoStorage auto_storage = kStorageForMachine;
  /// The program runs on a system with libraries.
  bool hosted = true;
  /// The program that links shared objects.
  std::string linker = "cc";
  /// Models run one at a time and share their workspace: `tvmgen_<shared_name>_<pool>`.
  bool share_workspace = false;
  std::string shared_name = "shared";
  /// Called after each step with its duration in seconds; may be empty.
  std::function<void(std::string_view step, double seconds)> on_step = nullptr;
};

/// The result for one module.
struct EmittedUnit {
  EntryAbi abi;
  RuntimeNeeds needs;
  /// The storage of the constants; never kAuto. Nullopt if the back end decides for each constant.
  std::optional<ConstantStorage> constant_storage;
  /// With BackendOptions::replaceable. Facts and words are the caller's.
  std::optional<UpdateManifest> update = {};
};

/// The result for a whole program.
struct EmittedProgram {
  /// In the order of the modules.
  std::vector<EmittedUnit> units;
  /// The names are those that the code uses, such as `tvmgen_default.h`.
  std::vector<Artifact> files;
  /// Instructions for the person who links the files, one sentence each.
  std::vector<std::string> notes;
  /// The stack that the code needs, if the back end emits machine code.
  std::optional<StackEstimate> stack = {};
};

/// A back end. All functions are pure: the same arguments give the same bytes.
struct Backend {
  std::string_view name;
  std::span<const OutputKind> outputs;
  /// Several modules become one file; else each has its own files.
  bool joins_modules = false;
  /// Constants that several modules share can be in separate files.
  bool shares_constants = false;
  /// Passes that make loops faster run by default from CodeOptions::opt_level 2 on.
  bool optimises_loops = false;
  /// The emitted code is called through the C header of EntryInterface, which the back end does not
  /// write.
  bool needs_interface = false;
  /// Constants get a pool by default. Code in memory reads them where they are instead.
  bool pools_constants = true;
  /// The emitted files have the LZ4 decoder of runtime/tenon_lz4.h, which entry functions call.
  bool has_lz4_runtime = false;
  /// The emitted code has a comment for each operator.
  bool notes_operators = false;
  /// The passes that bring a planned module into the form that `emit` takes.
  Pipeline (*passes)(bool gnu_vectors) = nullptr;
  /// The facts about a target that passes need; an error if the back end does not support the
  /// target.
  absl::StatusOr<TargetFacts> (*facts)(const TargetSpec& target) = nullptr;
  /// Emits the modules as one program. Nullopt after an error, which the diagnostics describe.
  std::optional<EmittedProgram> (*emit)(std::span<const BackendUnit> units,
                                        const BackendOptions& options,
                                        Diagnostics& diagnostics) = nullptr;

  /// The output of that name, or null.
  const OutputKind* FindOutput(std::string_view output) const;
};

}  // namespace tenon

#endif  // TENON_LOWERING_BACKEND_H_

#ifndef TENON_COMPILE_OPTIONS_H_
#define TENON_COMPILE_OPTIONS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/board.h"
#include "ir/memory_pools.h"
#include "ir/storage_defaults.h"
#include "ir/weight_facts.h"
#include "lowering/backend.h"
#include "lowering/external_files.h"
#include "passes/constants/compress_constants.h"
#include "passes/constants/promote_constants.h"
#include "passes/fusion/fold_constants.h"
#include "passes/pipeline/runner.h"
#include "planner/planner.h"

namespace tenon {

/// Whether something is done; kAuto means that other options decide.
enum class Switch : uint8_t { kAuto, kOn, kOff };
inline constexpr std::array<std::string_view, 3> kSwitchNames = {"auto", "on", "off"};

/// Whether outputs of calls may reuse bytes of dying inputs: at the same place, or also shifted.
enum class Overlap : uint8_t { kAuto, kOff, kInPlace, kOn };
inline constexpr std::array<std::string_view, 4> kOverlapNames = {"auto", "off", "in-place", "on"};
constexpr std::string_view OverlapName(Overlap overlap) {
  return kOverlapNames[static_cast<size_t>(overlap)];
}

/// Whether operators run together row by row (stream-operators): never, as far as the workspace
/// gets smaller and pools with limits need it, or with the least workspace.
enum class Streaming : uint8_t { kOff, kAuto, kMax };
inline constexpr std::array<std::string_view, 3> kStreamingNames = {"off", "auto", "max"};
constexpr std::string_view StreamingName(Streaming streaming) {
  return kStreamingNames[static_cast<size_t>(streaming)];
}

/// Treatment of functions that have an external code generator.
enum class ExternalsUse : uint8_t {
  /// Call their generated code.
  kCall,
  /// Compile their bodies like all other functions.
  kBody,
  /// Engines run both on the same inputs and compare the results.
  kBoth,
  /// Call functions that do nothing: what remains is the host's own time and memory.
  kSkip,
  /// Engines call their generated code, and measure its time.
  kTime,
  /// Call their generated code if the machine can run it, and otherwise their bodies, which are
  /// compiled as well. The first init or check that answers TENON_EXTERNAL_UNAVAILABLE decides for
  /// all.
  kFallback,
};

/// The external code generators for operators, and their options.
struct ExternalsOptions {
  /// Targets in order of preference, such as `blas` or `npu:1`. If empty, only functions that the
  /// module assigns to an available generator.
  std::vector<std::string> targets;
  /// True if sums of floats may be reordered.
  bool may_reassociate = true;
  /// Kinds of operators whose integer results need not be exact.
  std::vector<std::string> inexact;
  /// If a generator fails, its operators go to their next target, and finally to the host.
  bool falls_back = false;
  ExternalsUse use = ExternalsUse::kCall;
  /// With kFallback: engines learn which bodies ran.
  bool notes_fallback = false;
};

/// The options of a compilation.
struct CompileOptions {
  /// The name of a planning algorithm; see planner::AlgorithmNames().
  std::string planner = std::string(planner::kDefaultAlgorithm);
  /// The alignments of workspace buffers and of constants in their pools: bytes, powers of two.
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;
  /// off, or the level of merge-constants. If empty, `exact`, but off for TVM's layout.
  std::string merge_constants;
  /// `fuse` fuses operators of the entry and forwards values; `narrow` stores values in fewer bytes
  /// where that is exact (FusionPipeline of passes/pipeline/default_pipelines.h).
  /// WorkspaceChoiceOf of compile/plan.h resolves kAuto.
  Switch fuse = Switch::kAuto;
  Switch narrow = Switch::kAuto;
  /// Operations that each run of fold-constants may take; there are up to three runs.
  int64_t fold_operations = FoldConstantsOptions().max_operations;
  /// Needs `fuse` or `narrow`.
  Streaming stream = Streaming::kOff;
  /// The code also takes the rows of its input one after another (`<prefix>_feed_rows`), and has
  /// only those in memory that are still needed. The group that reads them is streamed, and others
  /// as with Streaming::kMax unless `stream` is kAuto. Needs `fuse`, and a model with one input;
  /// otherwise an error. `map_inputs` then has no effect.
  bool feed_rows = false;
  /// For plan-memory.
  Overlap overlap = Overlap::kAuto;
  /// Derive overlaps again from the functions' accesses to check them (verify-plan).
  bool verify_plan = true;
  /// The order of constants in their pools: packed, first_use, or tvm (plan-memory). TVM's
  /// algorithms imply tvm.
  std::string layout = "packed";
  /// Constants that the first run loads into RAM, to be read there (promote), or because they are
  /// stored compressed (compress). These add to the constants that the module marks. An empty pool
  /// name means the first of `workspace_pools`, if there are any.
  std::optional<PromoteConstantsOptions> promote;
  std::optional<CompressConstantsOptions> compress;
  /// Pools in order of preference, as `name` or `name:bytes`, separated by `;`. If empty, the
  /// module's pools, or else one of each kind with TVM's name, owned by the generated code.
  std::string workspace_pools;
  std::string constant_pools;
  /// A JSON file of pools of both kinds (passes/memory/pools_file.h) that replaces the two lists;
  /// empty for none.
  std::string pools_file;
  /// Pools of both kinds that replace the module's; empty for none. Lists and file come first.
  std::vector<PoolInfo> pools;
  /// As in --board and --reserve, which set `pools`, `board` and `target`.
  std::string board_name;
  std::vector<std::string> reserve;
  /// For messages: the board whose memories are the pools; null for none.
  std::shared_ptr<const Board> board;
  /// Places inputs, outputs, or both in the workspace; the generated code returns their addresses.
  /// The caller fills inputs before each run, unless keep_inputs preserves them.
  bool map_inputs = false;
  bool map_outputs = false;
  bool keep_inputs = false;
  /// The caller owns the workspace pools and may share them between models.
  bool share_workspace = false;
  /// With share_workspace, the names of shared memory and constants begin with
  /// `tvmgen_<shared_name>`.
  std::string shared_name = "shared";
  /// If true, constants are part of the code; otherwise they are inputs (LinkModule of
  /// compile/link_params.h).
  bool link_params = true;
  /// C uses GNU vector types where they can express a vector; otherwise vectors become loops.
  bool gnu_vectors = false;
  /// The execution of parallel loops, and the number of iterations that may have large scratch
  /// memory at once (passes/memory/place_parallel_scratch.h). The loops of an already planned
  /// module stay serial, since its plan assumes that.
  ParallelLoops parallel = ParallelLoops::kSerial;
  int64_t parallel_copies = 4;
  /// The storage of constants in the program. kAuto uses C arrays up to `c_array_limit` bytes in
  /// total, by default as AutoStorageOf says.
  ConstantStorage constant_storage = ConstantStorage::kAuto;
  std::optional<int64_t> c_array_limit;
  /// Constants are in a file that may be replaced by one with other bytes: the code rests on no
  /// byte, except for `weight_facts`. Needs the C back end and kFile.
  bool replaceable = false;
  /// The same for scales and zero points, which the reader of the module made data.
  bool dynamic_scales = false;
  /// The facts that the reader of the module asked for; null for none.
  std::shared_ptr<const WeightFacts> weight_facts;
  /// The words of the command line, for UpdateManifest::words.
  std::vector<std::string> update_words;
  /// The files among them whose contents shape the code, for UpdateManifest::files.
  std::vector<UpdateFile> update_files;
  /// The program runs on this machine, even if `target` does not say so.
  bool is_for_this_machine = false;
  /// Whether the program runs on a system with libraries; by default the target decides.
  std::optional<bool> hosted;
  /// The machine for which code and objects are generated.
  TargetSpec target;
  /// Options of back ends that generate machine code.
  CodeOptions code;
  /// Whether the passes run that make loops faster (LoopPipeline of
  /// passes/pipeline/default_pipelines.h). kAuto: with a back end that optimises loops, from -O2
  /// on, unless one of TVM's algorithms must reproduce TVM's sizes.
  Switch loop_passes = Switch::kAuto;
  /// Whether loops are made faster by dot products of integers (dot-products). kAuto: for targets
  /// with instructions for them.
  Switch dot_products = Switch::kAuto;
  /// Align buffers and constants in pools to the widest vector register, if loop passes run and no
  /// pools are named. A vector that spans two cache lines takes two accesses. If false, the
  /// alignments above are exact.
  bool align_to_vectors = true;
  /// The name of the OutputKind to emit; if empty, the back end's first.
  std::string output;
  /// Add a report on memory to the artifacts.
  bool wants_report = false;
  /// The program that links shared objects.
  std::string linker = "cc";
  /// Files and libraries that define external functions of the module: they are linked with the
  /// first module.
  ExternalFiles link;
  /// The selection of external code generators; RunOptions::generators contains the generators.
  ExternalsOptions externals;
  /// The code calls a function with each tensor between operators (debug-tensors).
  bool debug_tensors = false;
  /// For the comments of generated files: see Provenance.
  std::string program;
  std::string shaping_options;
  /// Dumps and verification between passes.
  RunOptions run;
};

/// The meaning of ConstantStorage::kAuto: large constants are an object if the machine is known,
/// otherwise a file.
AutoStorage AutoStorageOf(const CompileOptions& options);

}  // namespace tenon

#endif  // TENON_COMPILE_OPTIONS_H_

#ifndef TENON_COMPILE_OPTIONS_H_
#define TENON_COMPILE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/storage_defaults.h"
#include "lowering/backend.h"
#include "passes/constants/compress_constants.h"
#include "passes/constants/promote_constants.h"
#include "passes/pipeline/runner.h"
#include "planner/planner.h"

namespace tenon {

/// Whether the passes run that make loops faster (LoopPipeline of
/// passes/pipeline/default_pipelines.h).
enum class LoopPasses : uint8_t {
  /// With a back end that optimises loops, from -O2 on. Not if loops are parallel, or if an
  /// algorithm of TVM is to give the sizes of TVM.
  kAuto,
  kOff,
  kOn,
};

/// The use of functions that have an external code generator.
enum class ExternalsUse : uint8_t {
  /// Their generated code is called.
  kCall,
  /// Their bodies are compiled as those of all other functions.
  kBody,
  /// Engines call both on the same inputs and compare the results.
  kBoth,
};

/// The external code generators that get operators, and their options.
struct ExternalsOptions {
  /// Targets in order of preference, such as `blas` or `npu:1`. Empty: the functions that the
  /// module itself gives to a generator that is there.
  std::vector<std::string> targets;
  /// Sums of floats may be computed in another order.
  bool may_reassociate = true;
  /// Kinds of operators whose integers need not be exact.
  std::vector<std::string> inexact;
  /// Where a generator fails, its operators go to their next target, at last to the host.
  bool falls_back = false;
  ExternalsUse use = ExternalsUse::kCall;
};

/// How modules are compiled.
struct CompileOptions {
  /// Name of a planner's algorithm; see planner::AlgorithmNames().
  std::string planner = std::string(planner::kDefaultAlgorithm);
  /// Bytes, powers of two: alignment of workspace buffers and of constants in their pools.
  int64_t workspace_alignment = kDefaultAlignment;
  int64_t constant_alignment = kDefaultAlignment;
  /// off, or the level of merge-constants. Empty: exact, but off for TVM's layout.
  std::string merge_constants;
  /// Operators of the entry are fused and values forwarded; values are stored in fewer bytes where
  /// that changes nothing (FusionPipeline of passes/pipeline/default_pipelines.h): on, off or auto,
  /// which WorkspaceChoiceOf of compile/plan.h resolves.
  std::string fuse = "auto";
  std::string narrow = "auto";
  /// Outputs of calls take bytes of inputs that die there (plan-memory): off, in-place, on or auto.
  std::string overlap = "auto";
  /// Overlaps are derived again from the accesses of the functions (verify-plan).
  bool verify_plan = true;
  /// Order of constants in their pools: packed, first_use, or tvm (plan-memory). The algorithms of
  /// TVM imply tvm.
  std::string layout = "packed";
  /// Constants that the first run brings into RAM, to be read there, or to be stored compressed
  /// until then. In addition to those that the module marks. An empty pool stands for the first of
  /// `workspace_pools`, if there are any.
  std::optional<PromoteConstantsOptions> promote;
  std::optional<CompressConstantsOptions> compress;
  /// Pools in order of preference, as `name` or `name:bytes`, separated by `;`. Empty: those of the
  /// module, else one of each kind with TVM's name, owned by the generated code.
  std::string workspace_pools;
  std::string constant_pools;
  /// A JSON file of pools of both kinds (passes/memory/pools_file.h) instead of the two lists;
  /// empty: none.
  std::string pools_file;
  /// Inputs, outputs, or both lie in the workspace, and the generated code says where. The caller
  /// fills inputs before each run, unless keep_inputs keeps them.
  bool map_inputs = false;
  bool map_outputs = false;
  bool keep_inputs = false;
  /// The caller owns the workspace pools and may share them between models.
  bool share_workspace = false;
  /// With share_workspace, the names of shared memory and constants begin with
  /// `tvmgen_<shared_name>`.
  std::string shared_name = "shared";
  /// Constants are part of the code; else they are inputs (LinkModule of compile/link_params.h).
  bool link_params = true;
  /// C uses GNU vector types for vectors that they can express; else vectors are loops.
  bool gnu_vectors = false;
  /// How parallel loops run, and how many iterations of one may have large scratch at once
  /// (passes/memory/place_parallel_scratch.h). Those of a module that came planned are serial: its
  /// plan was made for serial loops.
  ParallelLoops parallel = ParallelLoops::kSerial;
  int64_t parallel_copies = 4;
  /// How constants get into the program. kAuto takes C arrays up to `c_array_limit` bytes in total,
  /// else an object.
  ConstantStorage constant_storage = ConstantStorage::kAuto;
  int64_t c_array_limit = kDefaultCArrayLimit;
  /// The program runs on a system that has libraries; by default as the target says.
  std::optional<bool> hosted;
  /// The machine that code and objects are for.
  TargetSpec target;
  /// How a back end that makes machine code makes it.
  CodeOptions code;
  LoopPasses loop_passes = LoopPasses::kAuto;
  /// Buffers and constants in pools are aligned to the widest vector register where loops are made
  /// faster and no pools are named: a vector in two cache lines takes two accesses. False: the
  /// alignments above are exact.
  bool align_to_vectors = true;
  /// The name of the OutputKind to emit; empty: the first of the back end.
  std::string output;
  /// Artifacts have a report on memory.
  bool wants_report = false;
  /// The program that links shared objects.
  std::string linker = "cc";
  /// External code generators; RunOptions::generators has them.
  ExternalsOptions externals;
  /// Dumps and verification between passes.
  RunOptions run;
};

}  // namespace tenon

#endif  // TENON_COMPILE_OPTIONS_H_

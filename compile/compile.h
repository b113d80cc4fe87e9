#ifndef TENON_COMPILE_COMPILE_H_
#define TENON_COMPILE_COMPILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/module.h"
#include "lowering/c/emit_c.h"
#include "passes/constants/compress_constants.h"
#include "passes/constants/promote_constants.h"
#include "passes/pipeline/runner.h"
#include "planner/planner.h"
#include "support/diagnostics.h"

// The library call behind `tenon compile`: a parsed and verified module in, planned memory and C
// out.

namespace tenon {

/// Whether the passes run that make loops faster (LoopPipeline of
/// passes/pipeline/default_pipelines.h).
enum class LoopPasses : uint8_t {
  /// For LLVM from -O2 on, unless loops are to be parallel or a planner of TVM's is to give
  /// TVM's sizes.
  kAuto,
  kOff,
  kOn,
};

/// How a module is compiled.
struct CompileOptions {
  /// Name of a planner's algorithm; see planner::AlgorithmNames().
  std::string planner = std::string(planner::kDefaultAlgorithm);
  /// Bytes, powers of two: alignment of workspace buffers and of constants in their pools.
  int64_t workspace_alignment = 16;
  int64_t constant_alignment = 16;
  /// off, or the level of merge-constants. Empty: exact, but off where TVM's layout is wanted.
  std::string merge_constants;
  /// Order of constants in their pools: packed, first_use, or tvm (plan-memory). TVM's planners
  /// have TVM's.
  std::string layout = "packed";
  /// Constants that the first run brings into RAM, to be read there, or to be stored compressed
  /// until then. In addition to those of which the module says so. An empty pool stands for the
  /// first of `workspace_pools`, if there are any.
  std::optional<PromoteConstantsOptions> promote;
  std::optional<CompressConstantsOptions> compress;
  /// Pools in order of preference, as `name` or `name:bytes`, separated by `;`. Empty: those of the
  /// module, else one of each kind with TVM's name, owned by the generated code.
  std::string workspace_pools;
  std::string constant_pools;
  /// A JSON file of pools of both kinds (passes/memory/pools_file.h) instead of the two lists;
  /// empty: none.
  std::string pools_file;
  /// Inputs, outputs, or both lie in the workspace, and the generated code tells where. Inputs are
  /// to be filled before each run, unless they are kept as they are.
  bool map_inputs = false;
  bool map_outputs = false;
  bool keep_inputs = false;
  /// Workspace pools are the caller's, who has other models use them, too.
  bool share_workspace = false;
  /// Constants are part of the code; else they are inputs (LinkModule of compile/link_params.h).
  bool link_params = true;
  /// Base name of what is emitted, `tvmgen_<module_name>`; empty: from the entry's global symbol.
  std::string module_name;
  /// C has GNU vector types for the vectors that they can express; else vectors are loops.
  bool gnu_vectors = false;
  /// What becomes of parallel loops, and how many iterations of one may have large scratch at once
  /// (passes/memory/place_parallel_scratch.h). Those of a module that is planned already are
  /// serial: its plan is one for serial loops.
  ParallelLoops parallel = ParallelLoops::kSerial;
  int64_t parallel_copies = 4;
  /// How constants get into the program; what kAuto takes is C arrays up to `c_array_limit` bytes
  /// in total, else an object.
  ConstantStorage constant_storage = ConstantStorage::kAuto;
  int64_t c_array_limit = kDefaultCArrayLimit;
  /// The program runs on a system that has libraries (EmitCOptions); by default as `target` says.
  std::optional<bool> hosted;
  /// The machine of that object, as a triple or name, and its ABI (lowering/image/elf_target.h).
  std::string target;
  std::string target_abi;
  LoopPasses loop_passes = LoopPasses::kAuto;
  /// The level of LLVM's optimisation; 0 for C.
  int llvm_level = 0;
  /// LLVM's target has the high byte of a number first.
  bool big_endian = false;
  /// Bytes of all vector registers of the target together; 0: it has none.
  int64_t vector_bytes = 512;
  /// Bytes of the widest vector register. Where LLVM makes code of loops made faster, and nobody
  /// said which pools there are, buffers and constants in pools are aligned to it if that is more
  /// than they are anyway: a vector that lies in two cache lines takes two accesses. 0: as they
  /// are.
  int64_t vector_width = 0;
  /// False: they are not, the alignments are those that somebody wants.
  bool align_to_vectors = true;
  /// Dumps and verification between passes.
  RunOptions run;
};

/// A module whose memory is planned.
struct PlannedModule {
  /// After plan-memory: allocations carry their places. What a report is made of.
  IRModule noted;
  /// After convert-pool-allocations-to-offsets: functions take pools as parameters.
  IRModule converted;
  /// The module came planned, or has no entry function to plan from; `noted` is then `converted`.
  bool as_given = false;
};

/// A module before its memory is planned: allocations have their candidate pools.
struct PreparedModule {
  IRModule module;
  /// It stays as it is: it came planned, or has no entry function to plan from.
  bool as_given = false;
};

/// True when the entry function takes pools already (attribute `pool_args`).
bool IsPlanned(const IRModule& module);

/// Parameters that `link_params` binds become constants of their functions: the module as it is
/// planned, compiled and run. Nullopt after an error.
std::optional<IRModule> LinkParams(const IRModule& module, const CompileOptions& options,
                                   Diagnostics& diagnostics);

/// The level of merge-constants that the options ask for; `off` where they want none.
std::string MergeLevel(const CompileOptions& options);

/// The two steps of PlanModule. Between them constants of several modules may be shared
/// (passes/constants/merge/share_constants.h).
std::optional<PreparedModule> PrepareModule(const IRModule& module, const CompileOptions& options,
                                            Diagnostics& diagnostics);
std::optional<PlannedModule> PlanPrepared(const PreparedModule& prepared,
                                          const CompileOptions& options, Diagnostics& diagnostics);

/// Links parameters, makes loops serial unless they are to be parallel, blocks and buffers flat and
/// calls direct, then plans memory. A module that is planned already is only lowered. Nullopt after
/// an error.
std::optional<PlannedModule> PlanModule(const IRModule& module, const CompileOptions& options,
                                        Diagnostics& diagnostics);

/// What `tenon compile --emit=c` makes.
struct CompiledC {
  PlannedModule planned;
  EmittedC c;
  /// What is to be done about constants that are in files of their own; empty for C arrays.
  std::string constants_use;
};

/// The options with the alignments that `vector_width` stands for.
CompileOptions WithVectorAlignment(const IRModule& module, CompileOptions options);

/// PlanModule, what else C needs, and EmitC. Nullopt after an error.
std::optional<CompiledC> CompileToC(const IRModule& module, const CompileOptions& options,
                                    Diagnostics& diagnostics);

/// What CompileToC does after PrepareModule.
std::optional<CompiledC> CompilePreparedToC(const PreparedModule& prepared,
                                            const CompileOptions& options,
                                            Diagnostics& diagnostics);

/// What code is made of through LLVM (lowering/llvm).
struct CompiledForLlvm {
  PlannedModule planned;
  IRModule lowered;
  /// The header that serves the code as it serves EmitC's, and what it declares.
  EmittedC interface;
};

/// PlanModule and what else LLVM needs. Nullopt after an error.
std::optional<CompiledForLlvm> CompileForLlvm(const IRModule& module, const CompileOptions& options,
                                              Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_COMPILE_COMPILE_H_

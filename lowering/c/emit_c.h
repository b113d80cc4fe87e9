#ifndef TENON_LOWERING_C_EMIT_C_H_
#define TENON_LOWERING_C_EMIT_C_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "lowering/blob.h"
#include "lowering/emitted_file.h"
#include "lowering/parallel_loops.h"
#include "support/diagnostics.h"

namespace tenon {

/// What a C compiler still takes without being noticed; see docs/constants.md.
inline constexpr int64_t kDefaultCArrayLimit = 64 << 10;

struct EmitCOptions {
  /// `tvmgen_<name>`, and so the names of files, functions and macros. Empty: from the entry's
  /// global symbol.
  std::string module_name;
  /// Section and least alignment of constants and of internal pools; a pool may say more.
  std::string constant_section = ".rodata.tvm";
  std::string workspace_section = ".bss.noinit.tvm";
  int64_t constant_alignment = 16;
  int64_t workspace_alignment = 16;
  /// How constants get into the program. With kAuto they are C arrays as long as they are no more
  /// than c_array_limit bytes in total, else kObject is taken.
  ConstantStorage constant_storage = ConstantStorage::kCArray;
  int64_t c_array_limit = kDefaultCArrayLimit;
  ParallelLoops parallel = ParallelLoops::kSerial;
  /// The program runs on a system that has libraries; without, constants compressed by zstd are an
  /// error.
  bool hosted = true;
  /// Constants share bytes that a big-endian machine has in another order for each (see
  /// CheckBigEndian), which pools do not show: the source refuses to be compiled for such a
  /// machine.
  bool is_little_endian = false;
};

/// A pool that the caller of the model owns.
struct EmittedPool {
  /// Its field in the workspace_pools struct.
  std::string field;
  bool is_constant = false;
  int64_t bytes = 0;
  /// What its address is to be a multiple of, less `beside`.
  int64_t alignment = 1;
  int64_t beside = 0;
  /// -1: no limit.
  int64_t capacity = -1;
  /// Where scratch memory goes if nobody says where: what the pool says, or the options.
  std::string section;
};

/// What was emitted, for reports and for those who link it.
struct EmittedC {
  /// `tvmgen_default`.
  std::string prefix;
  /// Header, source, and the runtime header they include.
  std::vector<EmittedFile> files;
  /// Fields of the inputs and outputs structs, in order; with sizes in bytes.
  std::vector<std::pair<std::string, int64_t>> inputs;
  std::vector<std::pair<std::string, int64_t>> outputs;
  /// Parallel to these: whether `<prefix>_map_inputs`, `<prefix>_map_outputs` sets the field, to an
  /// address in a pool. A struct of which they set all is no parameter of the run function.
  std::vector<bool> input_mapped;
  std::vector<bool> output_mapped;
  /// Fields of the workspace_pools struct: pools that the caller owns.
  std::vector<std::pair<std::string, int64_t>> external_pools;
  /// The same pools, in the same order.
  std::vector<EmittedPool> caller_pools;
  /// What became of EmitCOptions::constant_storage; never kAuto.
  ConstantStorage constant_storage = ConstantStorage::kCArray;
  /// Constants that the source has as external names of `<prefix>_constants.h`, which it includes:
  /// empty for C arrays. Parts are settled.
  std::vector<Blob> blobs;
  /// `<prefix>_init` brings constants into RAM; the caller has to call it where `needs_init` says
  /// so (they go to pools of the caller), else the first run does.
  bool has_init = false;
  bool needs_init = false;
  /// What the constants are decompressed with: tenon_lz4.h, which is among the files, and the
  /// library zstd, to be linked.
  bool uses_lz4 = false;
  bool uses_zstd = false;
  /// Parallel loops call TENON_PARALLEL_FOR of tenon_parallel.h, which is among the files; the pool
  /// tenon_parallel.c is, too, and needs `-pthread`.
  bool uses_parallel = false;
  bool uses_pool = false;
  /// Entry points of modules without a `__tvm_main__`-like entry: name and number of arguments.
  bool has_run = false;
};

/// What the names of a module begin with that is called so: `tvmgen_<name>`.
std::string EmittedPrefix(std::string_view module_name);

/// Constants as C arrays that several sources use: `<prefix>_constants.c` defines what
/// `<prefix>_constants.h` declares. The blobs are settled. For `is_little_endian` see EmitCOptions.
std::vector<EmittedFile> EmitConstantArrays(const std::string& prefix,
                                            const std::vector<Blob>& blobs, bool is_little_endian);

/// The pool of threads that parallel loops run on, tenon_parallel.c, and its header: for code that
/// others make and that calls tenon_parallel_for.
std::vector<EmittedFile> ParallelPoolFiles();

/// C99 (and C++17) for a module, in the shape of TVM's C interface: `<prefix>_run(inputs, outputs[,
/// workspace_pools])`, `<prefix>_map_inputs` and `_map_outputs` if these lie in pools, size macros,
/// internal pools as static arrays, constants as initialised const data. The module must be
/// lowered: flat buffers, scalar expressions, no blocks. What cannot be said in C is reported;
/// nullopt then.
std::optional<EmittedC> EmitC(const IRModule& module, const EmitCOptions& options,
                              Diagnostics& diagnostics);

/// Of all that, the header of the entry's interface alone, and what EmittedC says of it: for code
/// that others make with these names. No file when the module has no entry.
std::optional<EmittedC> EmitCInterface(const IRModule& module, const EmitCOptions& options,
                                       Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_LOWERING_C_EMIT_C_H_

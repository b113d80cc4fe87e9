#ifndef TENON_LOWERING_C_EMIT_C_H_
#define TENON_LOWERING_C_EMIT_C_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/storage_defaults.h"
#include "lowering/blob.h"
#include "lowering/emitted_file.h"
#include "lowering/entry_abi.h"
#include "lowering/parallel_loops.h"
#include "support/diagnostics.h"

namespace tenon {

struct EmitCOptions {
  /// `tvmgen_<name>`, and so the names of files, functions and macros. Empty: from the entry's
  /// global symbol.
  std::string module_name;
  /// Not empty: the module is a library for code that calls its functions by their symbols. They
  /// keep these, and this is the name of the source. There is no entry then.
  std::string library_name = {};
  /// Section and least alignment of constants and of internal pools; a pool may say more.
  std::string constant_section = ".rodata.tvm";
  std::string workspace_section = ".bss.noinit.tvm";
  int64_t constant_alignment = kDefaultAlignment;
  int64_t workspace_alignment = kDefaultAlignment;
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
  /// Larger vectors are cut in pieces of so many bytes: compilers make poor code of what is larger
  /// than a register, and many machines have no larger ones.
  int64_t vector_bytes = 32;
  /// What a person has to compile and link beside the code; a comment of the header has it.
  std::string link_note = {};
};

/// The C of a module, and what linking it takes.
struct EmittedC {
  EntryAbi abi;
  RuntimeNeeds needs;
  /// The header, the source, and the headers of the runtime that they include.
  std::vector<EmittedFile> files;
  /// How constants get into the program: EmitCOptions::constant_storage, kAuto resolved.
  ConstantStorage constant_storage = ConstantStorage::kCArray;
  /// Constants that the source uses as external symbols of `<prefix>_constants.h`. Empty for C
  /// arrays. Parts are settled (lowering/blob.h).
  std::vector<Blob> blobs;
};

/// Constants as C arrays that several sources use: `<prefix>_constants.c` defines what
/// `<prefix>_constants.h` declares. The blobs are settled. For `is_little_endian` see EmitCOptions.
std::vector<EmittedFile> EmitConstantArrays(const std::string& prefix,
                                            const std::vector<Blob>& blobs, bool is_little_endian);

/// C99 (and C++17) for a module, in the shape of TVM's C interface: `<prefix>_run(inputs, outputs[,
/// workspace_pools])`, `<prefix>_map_inputs` and `_map_outputs` if these lie in pools, size macros,
/// internal pools as static arrays, constants as initialised const data. The module must be
/// lowered: flat buffers, scalar expressions, no blocks. What cannot be said in C is reported;
/// nullopt then.
std::optional<EmittedC> EmitC(const IRModule& module, const EmitCOptions& options,
                              Diagnostics& diagnostics);

/// The interface of the entry alone, for code of another back end that has these names.
std::optional<EntryInterface> EmitEntryInterface(const IRModule& module,
                                                 const EmitCOptions& options,
                                                 Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_LOWERING_C_EMIT_C_H_

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
#include "lowering/entry/model_interface.h"
#include "lowering/entry_abi.h"
#include "lowering/operator_note.h"
#include "support/diagnostics.h"

namespace tenon {

/// Sections and alignments are those of constants and of internal pools as well.
struct EmitCOptions : InterfaceOptions {
  /// The prefix `tvmgen_<name>` of files, functions and macros. Empty: derived from the entry's
  /// global symbol.
  std::string module_name;
  /// If not empty, the module is a library whose functions are called by their symbols. Functions
  /// keep their symbols, this is the name of the source, and there is no entry.
  std::string library_name = {};
  /// The form of constants in the program, and the meaning of kAuto.
  ConstantStorage constant_storage = ConstantStorage::kCArray;
  AutoStorage auto_storage = kStorageForMachine;
  /// The program runs on a system with libraries. If false, constants compressed by zstd are an
  /// error.
  bool hosted = true;
  /// Constants share bytes that they need in different orders on a big-endian machine (see
  /// CheckBigEndian), which pools do not show. The source then fails to compile for such a machine.
  bool is_little_endian = false;
  /// Larger vectors are split into pieces of this many bytes. Compilers generate poor code for
  /// vectors that are larger than a register, and many machines have no larger registers.
  int64_t vector_bytes = 32;
  /// The machine has no vectors and few registers. GCC then gets hints for faster code: it keeps
  /// operators apart, and writes out short loops.
  bool is_small_machine = false;
  /// The application defines the external functions, so their declarations are in a header,
  /// `<prefix>_externs.h`, which its author can include. Otherwise they are in the source.
  bool externs_header = true;
  /// The file of constants may be replaced (ConstantStorage::kFile).
  bool replaceable = false;
  /// The operators of the entry, in the order of its statements. If they are fewer or more, because
  /// a pass removed or added statements, or none, because they are too many, comments have only the
  /// names of functions.
  std::vector<OperatorNote> operators = {};
};

/// The C of a module, and the requirements for linking it.
struct EmittedC {
  EntryAbi abi;
  RuntimeNeeds needs;
  /// The header, the source, and the headers of the runtime that they include.
  std::vector<EmittedFile> files;
  /// The form of constants in the program: EmitCOptions::constant_storage, or the one that kAuto
  /// chooses.
  ConstantStorage constant_storage = ConstantStorage::kCArray;
  /// Constants that the source uses as external symbols, declared in `<prefix>_constants.h`. Empty
  /// for C arrays. The parts are settled (see Settle in lowering/blob.h).
  std::vector<Blob> blobs;
  /// InterfaceOptions::dynamic_scales: the scales that the file of constants has.
  std::vector<InterfaceScale> scales = {};
};

/// Constants as C arrays that several sources share: `<prefix>_constants.h` declares them and
/// `<prefix>_constants.c` defines them. The blobs are settled. For `is_little_endian` see
/// EmitCOptions.
std::vector<EmittedFile> EmitConstantArrays(const std::string& prefix,
                                            const std::vector<Blob>& blobs, bool is_little_endian);

/// C99 (and C++17) for a module, in the shape of TVM's C interface: `<prefix>_run(inputs, outputs[,
/// workspace_pools])`, `<prefix>_map_inputs` and `_map_outputs` if these lie in pools, size macros,
/// internal pools as static arrays, constants as initialized const data. The module must be
/// lowered: flat buffers, scalar expressions, no blocks. Reports constructs that C cannot express,
/// and returns nullopt.
std::optional<EmittedC> EmitC(const IRModule& module, const EmitCOptions& options,
                              Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_LOWERING_C_EMIT_C_H_

#ifndef TENON_PASSES_LOWERING_MAKE_ENTRY_H_
#define TENON_PASSES_LOWERING_MAKE_ENTRY_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct MakeEntryOptions {
  /// The functions are `tvmgen_<module_name>_run` and so on. Empty: derived from the entry's global
  /// symbol (EmittedPrefix in ir/emitted_names.h).
  std::string module_name;
  /// The constants are in a file, so that the code must find them and check them: C with
  /// ConstantStorage::kFile.
  bool constants_file = false;
  /// LZ4 blocks are decoded by `tenon_lz4_decompress` of runtime/tenon_lz4.h, else by a function
  /// that the pass adds.
  bool runtime_lz4 = false;

  static constexpr auto List() {
    using O = MakeEntryOptions;
    return std::make_tuple(PassOption{"module-name", &O::module_name,
                                      "the functions are tvmgen_<module-name>_run, ..."},
                           PassOption{"constants-file", &O::constants_file,
                                      "constants are in a file, which the functions check"},
                           PassOption{"runtime-lz4", &O::runtime_lz4,
                                      "call the LZ4 decoder of tenon_lz4.h instead of adding one"});
  }
};

/// Adds the functions through which an application runs the model: the interface of the header that
/// `tenon compile` writes. Back ends print these functions like any other, and the interpreter runs
/// them. Builtins of docs/reference/ir.md#call stand for the structs of the application and for the
/// data of the code.
///
/// - `<prefix>_run`: prepares what the first run needs, then runs the model once
/// - `<prefix>_init`: loads constants into RAM and initialises external functions; absent if the
///   model needs neither
/// - `<prefix>_map_inputs`, `_map_outputs`: give the addresses of tensors that lie in pools, if
///   there are any. The function sets a struct, which the code returns by value
/// - `<prefix>_init_externals`: private: initialises external functions once, in the first thread
/// - `<prefix>_lz4`: private: decodes constants that are stored as LZ4 blocks. C has `tenon_lz4.h`
///   instead (`runtime-lz4`)
///
/// The attribute `tenon.entry_function` of each says which it is. The prefix is
/// `tvmgen_<module-name>`, or follows from the entry's global symbol. With `constants-file`, the
/// functions also check the file of constants (`--constant-storage=file`). The back end's passes
/// run before it. `tenon compile` and `tenon run` drop such functions from a module that they read,
/// and make their own. `init` loads constants, and `run` calls it before the first run, unless it
/// needs the caller's pools. An entry whose attributes contradict each other is an error. A module
/// without an entry stays unchanged.
///
///   before:
///     def main(x: T.Buffer((2,), "int8"), n: T.int32, y: T.Buffer((2,), "int8")):
///         y[0] = x[n]
///   after:
///     def tvmgen_default_run(inputs: T.handle, outputs: T.handle) -> T.int32:
///         T.func_attr({"tenon.entry_function": "run"})
///         n: T.handle("int32", "global") = T.entry_field(inputs, 1)
///         n_1 = T.Buffer((1,), "int32", data=n)
///         T.ret(T.call_extern("int32", "main", T.entry_field(inputs, 0), n_1[0],
///             T.entry_field(outputs, 0)))
///
///     def main(...):
///         y[0] = x[n]
absl::StatusOr<IRModule> MakeEntry(const IRModule& module, const MakeEntryOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_MAKE_ENTRY_H_

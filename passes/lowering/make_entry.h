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

/// Adds the functions through which an application runs the model. Their interface is that of
/// ModelEntry (ir/analysis/model_entry.h). Other passes should run before it.
///
///   before:  def __tvm_main__(x: T.handle, y: T.handle, ws: T.handle): ...
///   after:   def __tvm_main__(x: T.handle, y: T.handle, ws: T.handle): ...
///            def tvmgen_default_run(inputs: T.handle, outputs: T.handle) -> T.int32:
///                T.func_attr({"tenon.entry_function": "run"})
///                T.evaluate(T.ret(T.call_extern("int32", "__tvm_main__",
///                    T.entry_field(inputs, 0), T.entry_field(outputs, 0),
///                    T.entry_data("pool", "global_workspace"))))
///
/// `map_inputs` and `map_outputs` store the addresses of tensors that lie in pools to a struct, in
/// the order of its fields. `init` loads constants into RAM and calls `init_externals`, which
/// initialises external functions exactly once, in the first thread that calls it. `run` calls them
/// before its first run, except for an `init` that needs the caller's pools. See docs/ir.md for the
/// builtins.
///
/// Functions that an earlier run of the pass added are replaced. An entry whose attributes
/// contradict each other is an error. A module without an entry stays unchanged.
absl::StatusOr<IRModule> MakeEntry(const IRModule& module, const MakeEntryOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_MAKE_ENTRY_H_

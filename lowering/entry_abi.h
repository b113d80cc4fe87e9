#ifndef TENON_LOWERING_ENTRY_ABI_H_
#define TENON_LOWERING_ENTRY_ABI_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lowering/emitted_file.h"

// The functions and structs through which an application runs a model. They are the same for C and
// LLVM code.

namespace tenon {

/// A field of the inputs or outputs struct: the address of a tensor, or of a scalar.
struct EntryField {
  std::string name;
  int64_t size_bytes = 0;
  /// The tensor lies in a pool: `<prefix>_map_inputs` or `<prefix>_map_outputs` sets the field.
  bool is_mapped = false;
  /// The bytes of a row, if the caller needs only one row at a time; else 0.
  int64_t row_bytes = 0;
  /// In C: the type of an element, the macro of `size_bytes`, and the alignment of the address.
  std::string type = "uint8_t";
  std::string size_macro = {};
  int64_t alignment = 1;
};

/// A field of the workspace_pools struct: a pool that the caller owns.
struct EntryPool {
  std::string name;
  bool is_constant = false;
  int64_t size_bytes = 0;
  /// The address of the pool is a multiple of `alignment` plus `beside`, in bytes.
  int64_t alignment = 1;
  int64_t beside = 0;
  /// The section for scratch memory unless the application chooses another.
  std::string section;
};

/// The interface by which an application calls a model. A struct without fields, or whose fields
/// are all mapped, is not a parameter of `<prefix>_run`.
struct EntryAbi {
  /// The beginning of all names: `tvmgen_default`.
  std::string prefix;
  /// In the order of the entry function's parameters.
  std::vector<EntryField> inputs;
  std::vector<EntryField> outputs;
  std::vector<EntryPool> pools;
  /// False for a module without an entry function: it has no `<prefix>_run`.
  bool has_run = false;
  /// `<prefix>_init` loads constants into RAM. If `needs_init` (the constants go to caller-owned
  /// pools), the caller must call it first; else the first run does.
  bool has_init = false;
  bool needs_init = false;

  const std::vector<EntryField>& Fields(bool is_output) const {
    return is_output ? outputs : inputs;
  }
  /// Whether `<prefix>_map_inputs` or `<prefix>_map_outputs` exists.
  bool MapsAny(bool is_output) const {
    const std::vector<EntryField>& fields = Fields(is_output);
    return std::any_of(fields.begin(), fields.end(), [](const auto& f) { return f.is_mapped; });
  }
  /// Whether the struct is left out of the parameters of `<prefix>_run`.
  bool MapsAll(bool is_output) const {
    const std::vector<EntryField>& fields = Fields(is_output);
    return std::all_of(fields.begin(), fields.end(), [](const auto& f) { return f.is_mapped; });
  }
};

/// Libraries and runtime files that generated code needs when it is linked.
struct RuntimeNeeds {
  /// The decompressors of constants: tenon_lz4.h, and the library zstd.
  bool lz4 = false;
  bool zstd = false;
  /// Vectors of products: tenon_products.h.
  bool products = false;
  /// Parallel loops call TENON_PARALLEL_FOR of tenon_parallel.h.
  bool parallel = false;
  /// The pool of threads of tenon_parallel.c, which needs `-pthread`.
  bool thread_pool = false;
  /// The functions of <math.h> that the code calls, by name; they need `-lm`.
  std::vector<std::string> math = {};
};

/// The interface of a model for applications.
struct EntryInterface {
  EntryAbi abi;
  RuntimeNeeds needs;
  /// The C header; its name is empty if the module has no entry function.
  EmittedFile header;
};

}  // namespace tenon

#endif  // TENON_LOWERING_ENTRY_ABI_H_

#ifndef TENON_IR_EXTERNAL_CODE_H_
#define TENON_IR_EXTERNAL_CODE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

// The description that an external code generator gave of its code for a function. The attribute
// `tenon.external` keeps it: on the function while the module has the function's body, and on the
// module, by symbol, if the function is only declared.

namespace tenon {

/// The pool of the memory that init functions fill. It belongs to the generated code.
inline constexpr std::string_view kStatePool = "tenon_state";
/// The alignment of states in bytes.
inline constexpr int64_t kStateAlignment = 64;

/// The value of `tenon.external` for one function.
struct ExternalCode {
  std::string symbol;
  /// The effect of the code on the memory of each argument, in the letters of `tenon.externs`.
  std::vector<std::string> effects;
  /// Size and alignment in bytes of the scratch memory that an argument points to. Size 0: no such
  /// argument.
  int64_t workspace_bytes = 0;
  int64_t workspace_alignment = 1;
  /// Size in bytes of the memory that `init` fills and an argument points to. 0: no such argument.
  int64_t state_bytes = 0;
  /// The function to call once before the first call; empty: none.
  std::string init;
  /// The function that ends what `init` began; empty: none.
  std::string fini = {};
  /// Pairs of an input and an output, as argument indices, that may share memory.
  std::vector<std::pair<int, int>> in_place;

  bool operator==(const ExternalCode&) const = default;
};

/// A call that the generated code makes once before the first run: `int32_t symbol(void* state,
/// int64_t bytes)`, which returns 0 on success.
struct ExternalInit {
  std::string symbol;
  /// The offset of the state in the pool kStatePool; meaningless if `bytes` is 0.
  int64_t offset = 0;
  int64_t bytes = 0;
  /// `int32_t fini(void* state, int64_t bytes)`, which `<prefix>_fini` calls; empty: none.
  std::string fini = {};

  bool operator==(const ExternalInit&) const = default;
};

/// A generator's description of the function; nullopt if no generator made code for it.
std::optional<ExternalCode> ReadExternalCode(const Function& function);
/// Generators' descriptions of functions that the module declares, in the order of their symbols.
std::vector<ExternalCode> ReadDeclaredExternals(const IRModule& module);
const MapAttr* WriteExternalCode(NodeBuilder& builder, const ExternalCode& code);
/// The value of the module's attribute; null if `externals` is empty.
const MapAttr* WriteDeclaredExternals(NodeBuilder& builder, const std::vector<ExternalCode>& all);

/// The init calls that the code of an entry function makes before its first run, in order.
std::vector<ExternalInit> ReadExternalInits(const PrimFunc& entry);
const MapAttr* WriteExternalInits(NodeBuilder& builder, const std::vector<ExternalInit>& inits);

}  // namespace tenon

#endif  // TENON_IR_EXTERNAL_CODE_H_

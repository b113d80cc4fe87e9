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

// What an external code generator said of the code that it made for a function. The attribute
// `tenon.external` keeps it: on the function while the module has the function's body, and on the
// module, by symbol, where the function is only declared.

namespace tenon {

/// The pool of the memory that init functions fill. It belongs to the generated code.
inline constexpr std::string_view kStatePool = "tenon_state";
/// States lie at multiples of this many bytes.
inline constexpr int64_t kStateAlignment = 64;

/// The value of `tenon.external` for one function.
struct ExternalCode {
  std::string symbol;
  /// What the code does with the memory of each argument, with the letters of `tenon.externs`.
  std::vector<std::string> effects;
  /// Bytes of the argument that points to scratch memory, and its alignment; 0 bytes: no argument.
  int64_t workspace_bytes = 0;
  int64_t workspace_alignment = 1;
  /// Bytes of the argument that points to memory that `init` fills; 0: no argument.
  int64_t state_bytes = 0;
  /// Called once before the first call; empty: nothing is.
  std::string init;
  /// Pairs of an input and an output, as indices of arguments, that may be the same memory.
  std::vector<std::pair<int, int>> in_place;

  bool operator==(const ExternalCode&) const = default;
};

/// A call that the generated code makes once before the first run:
/// `int32_t symbol(void* state, int64_t bytes)`, which answers 0 when it worked.
struct ExternalInit {
  std::string symbol;
  /// The state, from the begin of the pool kStatePool; nothing where `bytes` is 0.
  int64_t offset = 0;
  int64_t bytes = 0;

  bool operator==(const ExternalInit&) const = default;
};

/// What a generator said of the function; nullopt where none made code for it.
std::optional<ExternalCode> ReadExternalCode(const Function& function);
/// What generators said of functions that the module declares, in the order of their symbols.
std::vector<ExternalCode> ReadDeclaredExternals(const IRModule& module);
const MapAttr* WriteExternalCode(NodeBuilder& builder, const ExternalCode& code);
/// The value of the module's attribute; null for none.
const MapAttr* WriteDeclaredExternals(NodeBuilder& builder, const std::vector<ExternalCode>& all);

/// The calls that the code of an entry function makes before its first run, in order.
std::vector<ExternalInit> ReadExternalInits(const PrimFunc& entry);
const MapAttr* WriteExternalInits(NodeBuilder& builder, const std::vector<ExternalInit>& inits);

}  // namespace tenon

#endif  // TENON_IR_EXTERNAL_CODE_H_

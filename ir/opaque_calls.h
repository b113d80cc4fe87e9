#ifndef TENON_IR_OPAQUE_CALLS_H_
#define TENON_IR_OPAQUE_CALLS_H_

#include <optional>
#include <string_view>

#include "ir/expr.h"
#include "ir/op.h"

namespace tenon {

/// A builtin that TVM registers for other targets, such as GPUs (opaque_calls.def). The kind is
/// OpKind::kUnknown: Tenon reads and prints the call, and no engine runs it. `text` is the name
/// after `T.`. Null for other names.
const Op* FindOpaqueCall(std::string_view text);

/// Whether `text` is a name after `T.` in a namespace of builtins for one target, such as
/// `ptx.cp_async` or `cuda.func_call`. TVM 0.25 and later have hundreds of them. Tenon reads and
/// prints their calls as statements, whatever the name.
bool IsInTargetNamespace(std::string_view text);

/// Whether `op` is an opaque builtin.
bool IsOpaqueCall(const Op& op);

/// The result dtype that the text `T.NAME(...)` implies for a call of an opaque builtin. Nullopt:
/// the text must be `T.Call(dtype, "tir.NAME", [...])`, which states the dtype.
std::optional<DataType> ImpliedDType(const Op& op, Span<const Expr*> args);

}  // namespace tenon

#endif  // TENON_IR_OPAQUE_CALLS_H_

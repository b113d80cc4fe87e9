#ifndef TENON_IR_DIALECT_H_
#define TENON_IR_DIALECT_H_

#include <optional>
#include <span>
#include <string_view>

#include "ir/module.h"
#include "ir/op.h"

// The differences between two dialects of the text, and between the releases of `tirx`: TVM 0.15 to
// 0.19 print `tir`, and TVM 0.25 to 0.27 print `tirx`. The parser and the printer use these tables.
// docs/reference/text_format.md shows them.

namespace tenon {

/// How the metadata's JSON gives the type of a text in an expression.
enum class TextType : uint8_t {
  kDType,   ///< the field `dtype`, `handle`
  kShared,  ///< a node `ir.PrimType` that all texts share
  kOwn,     ///< a node `ir.StringType` for each text
};

/// The spelling of a release. DialectNames() lists further names that only one dialect has.
struct DialectRules {
  std::string_view release;      ///< TVM's version in the metadata: `0.26.0`
  std::string_view name;         ///< `tir` or `tirx`: in the header and in --dialect
  std::string_view header;       ///< the comment lines that import the dialect
  std::string_view attr_prefix;  ///< of TVM's attribute keys: `tir.` or `tirx.`
  std::string_view block;        ///< `T.block`
  std::string_view block_attr;   ///< `T.block_attr`
  std::string_view block_alloc;  ///< of a block's buffer: `T.alloc_buffer`
  /// Allocations, declarations of buffers, lets and assertions are statements of their block, not
  /// scopes with bodies; an allocation declares a buffer, and `x: T.let[T.int32] = e` is a let.
  bool has_flat_scopes;
  /// `x: T.int32 = e` is a variable that later statements may change; in `tir` it is a let.
  bool has_scalars;
  /// A parameter's annotation says all about its buffer; in `tir` a `T.match_buffer` line may.
  bool annotates_all_params;
  /// A buffer that no statement declares is `B = T.decl_buffer((4,), data=A.data)` or a view;
  /// otherwise `B = T.Buffer((4,), data=A.data)`.
  bool declares_aliases;
  /// `T.func_attr({"k": True})` keeps True as it is; in `tir` it becomes `T.bool(True)`.
  bool has_bare_values;
  /// A 64-bit extent that is not a parameter is `n = TypeVar("n")` before the module.
  bool has_type_vars;
  /// `a >> b`, `a & b`, `~a`; otherwise these are calls.
  bool has_bit_operators;
  /// A load of consecutive elements is `A[0:4]`; otherwise `A[T.Ramp(0, 1, 4)]`. A store is
  /// always `A[0:4] = x`.
  bool loads_slices;
  /// `assert c, ("RuntimeError", ["text"])`; in `tir` the message is a string.
  bool has_error_kinds;
  /// The types of metadata objects: a string, a string in an expression, a tensor.
  std::string_view string_type;
  std::string_view string_imm_type;
  std::string_view tensor_type;
  TextType text_type;
  /// `T.handle().ty` is the dtype of a call that returns a pointer; otherwise it is `"handle"`.
  bool has_pointer_types;
  /// `T.attr({"k": 1})` for attributes of the node 0.
  bool merges_attrs;
  /// The decorator's `s_tir=True`.
  bool marks_s_tir;
};

const DialectRules& RulesOf(Dialect dialect);

/// The release of TVM's version `version`, such as `0.27.0.post1`; nullopt for versions that print
/// `tir`, whose texts show their release, and for unknown ones.
std::optional<Dialect> TirxReleaseOf(std::string_view version);

/// Whether the release has the dialect `tirx`.
constexpr bool IsTirx(Dialect dialect) { return dialect >= Dialect::kV025; }
/// The newest release of `tirx`.
inline constexpr Dialect kNewestTirx = Dialect::kV027;

/// A name after `T.` that only one of the dialects has.
struct DialectName {
  std::string_view text;
  bool is_tirx;  ///< true: `tirx` has the name; false: `tir` has it
  /// The spelling in the other dialect, for messages.
  std::string_view instead;
};

/// The names that only one dialect has, sorted.
std::span<const DialectName> DialectNames();
/// The row of `text`; null if both dialects have the name, or neither has it.
const DialectName* FindDialectName(std::string_view text);

/// The builtin that `T.text` means in `dialect` if it is not the builtin of that name:
/// `T.round` rounds halves to even in `tirx`, and away from zero in `tir`. Null: no difference.
const Op* MeaningOf(std::string_view text, Dialect dialect);
/// The word for `op` after `T.` in `dialect`; empty if the dialect has none.
std::string_view WordOf(const Op& op, Dialect dialect);

/// The function that rounds halves away from zero, for which `tirx` has no word: C's (`roundf`), or
/// LLVM's for dtypes that C lacks (`llvm.round`).
std::string_view RoundFunctionOf(DataType dtype);

/// The dialect called `name`: its newest release.
std::optional<Dialect> DialectOf(std::string_view name);

/// The dtype as the dialect spells it: `e4m3_float8` is `float8_e4m3fn` in `tirx`.
std::string_view TypeCodeName(TypeCode code, Dialect dialect);

/// Converts the properties that the printer can't derive from the nodes to another dialect:
/// functions get or lose `s_tir`, bools in attributes become bare or `T.bool`, and builtins without
/// a word in `tir` become their equals. Returns `module` unchanged if it has that dialect already.
IRModule InDialect(const IRModule& module, Dialect dialect);

}  // namespace tenon

#endif  // TENON_IR_DIALECT_H_

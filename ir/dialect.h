#ifndef TENON_IR_DIALECT_H_
#define TENON_IR_DIALECT_H_

#include <optional>
#include <span>
#include <string_view>

#include "ir/module.h"

// The differences between two dialects of the text: TVM 0.15 to 0.19 print `tir`, and TVM 0.25 to
// 0.27 print `tirx`. The parser and the printer use this table. docs/text_format.md shows it.

namespace tenon {

/// The spelling of a dialect. DialectNames() lists further names that only one dialect has.
struct DialectRules {
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
  /// `T.func_attr({"k": True})` keeps True as it is; in `tir` it becomes `T.bool(True)`.
  bool has_bare_values;
  /// `a >> b`, `a & b`, `~a`; in `tir` these are calls.
  bool has_bit_operators;
  /// `assert c, ("RuntimeError", ["text"])`; in `tir` the message is a string.
  bool has_error_kinds;
  /// `T.attr({"k": 1})` for attributes of the node 0.
  bool merges_attrs;
  /// The decorator's `s_tir=True`.
  bool marks_s_tir;
};

/// The rules of TVM's releases from 0.15 to 0.19, or of 0.25 to 0.27.
const DialectRules& RulesOf(Dialect dialect);

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

/// The dialect called `name`. For `tir` this is its newest release.
std::optional<Dialect> DialectOf(std::string_view name);

/// The dtype as the dialect spells it: `e4m3_float8` is `float8_e4m3fn` in `tirx`.
std::string_view TypeCodeName(TypeCode code, Dialect dialect);

/// Converts the properties that the printer can't derive from the nodes to another dialect:
/// functions get or lose `s_tir`, and bools in attributes become bare or `T.bool`. Returns `module`
/// unchanged if it has that dialect already.
IRModule InDialect(const IRModule& module, Dialect dialect);

}  // namespace tenon

#endif  // TENON_IR_DIALECT_H_

#ifndef TENON_PARSER_TEXT_DIALECT_H_
#define TENON_PARSER_TEXT_DIALECT_H_

#include <optional>
#include <string_view>

#include "ir/module.h"
#include "parser/names.h"
#include "support/source.h"

namespace tenon {

/// The dialect of a text, and the place that shows it.
struct TextDialect {
  Dialect dialect = Dialect::kV015;
  /// The import, the decorator's argument or the first name that only this dialect has; invalid if
  /// both dialects read the text alike.
  SourceRange where;
};

/// Finds the dialect of `text`: its import of `tir` or `tirx`, in a comment or not; without one,
/// the first word that only one dialect has. Both dialects read other texts alike, except for typed
/// assignments; these texts count as `tir`. `base` is the text's place in the source manager's
/// space.
TextDialect DialectOfText(std::string_view text, uint32_t base, NameTable& names);

}  // namespace tenon

#endif  // TENON_PARSER_TEXT_DIALECT_H_

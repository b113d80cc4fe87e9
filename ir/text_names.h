#ifndef TENON_IR_TEXT_NAMES_H_
#define TENON_IR_TEXT_NAMES_H_

#include <string_view>

#include "ir/module.h"

namespace tenon {

/// A name that the text could use: only ASCII letters, digits and `_`, no leading digit, not empty.
bool IsPlainName(std::string_view name);
/// Python's keywords, the prefixes `T` and `I`, and other words with a meaning of their own in the
/// text.
bool IsReservedName(std::string_view name, Dialect dialect);

}  // namespace tenon

#endif  // TENON_IR_TEXT_NAMES_H_

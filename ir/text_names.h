#ifndef TENON_IR_TEXT_NAMES_H_
#define TENON_IR_TEXT_NAMES_H_

#include <string_view>

#include "ir/module.h"

namespace tenon {

/// Whether the text could use this name: only ASCII letters, digits and `_`, no leading digit, not
/// empty.
bool IsPlainName(std::string_view name);
/// Whether a name is a Python keyword, the prefix `T` or `I`, or another word that has a meaning in
/// the text.
bool IsReservedName(std::string_view name, Dialect dialect);

}  // namespace tenon

#endif  // TENON_IR_TEXT_NAMES_H_

#ifndef TENON_PASSES_FUNCTION_CHOICE_H_
#define TENON_PASSES_FUNCTION_CHOICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

// Internal to passes/ and byoc/: functions as options of passes name them.

namespace tenon {

/// The words of a list separated by commas, semicolons or blanks.
std::vector<std::string_view> WordsOf(std::string_view list);

/// True if the function has the attribute KEY, or, for KEY=VALUE, if the attribute is that text.
bool HasAttrLike(const Function& function, std::string_view key_or_pair);

/// "the module has no function `name`", with a similar name if there is one.
std::string NoSuchFunction(const IRModule& module, std::string_view name);

}  // namespace tenon

#endif  // TENON_PASSES_FUNCTION_CHOICE_H_

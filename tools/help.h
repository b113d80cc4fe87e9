#ifndef TENON_TOOLS_HELP_H_
#define TENON_TOOLS_HELP_H_

#include <CLI/CLI.hpp>
#include <string>

namespace tenon {

/// The group of the options that most people need. --help lists these and names the other groups;
/// --help-all lists all.
inline constexpr const char* kCommonOptions = "Common options";

/// Gives `app`, and the commands added to it later, help texts in Tenon's form, with --help and
/// --help-all.
///
/// The form: `Usage: ...`, the description, then for each group a line `<Group>:` and for each
/// option a line `  -o, --output PATH  what it does`. Descriptions begin in one column, or on the
/// next line after a long name. scripts/help_pages.py reads this form.
void SetHelp(CLI::App& app);

}  // namespace tenon

#endif  // TENON_TOOLS_HELP_H_

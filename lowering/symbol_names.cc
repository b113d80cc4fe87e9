// One list of the names that generated code defines, since C, LLVM and the checks of externals must
// agree on it.

#include "lowering/symbol_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tenon {

namespace {

/// First the names that an application calls, then the code's internal names.
constexpr std::array kOwn = std::to_array<std::string_view>({
    "_run",
    "_init",
    "_fini",
    "_init_externals",
    "_map_inputs",
    "_map_outputs",
    "_feed_rows",
    "_begin_rows",
    "_set_constants",
    "_open_constants",
    "_check_constants",
    "_constants_damaged",
    "_constants_data",
    "_constants_image",
    "_constants_parts",
    "_constants_result",
    "_constants_states",
    "_exchange_flag",
    "_externals_state",
    "_fed_rows",
    "_forget_constants",
    "_is_loaded",
    "_load_constants",
    "_lz4",
    "_ready_constants",
    "_set_flag",
});

}  // namespace

std::span<const std::string_view> OwnSuffixes() { return kOwn; }

std::string ExternNameError(std::string_view prefix, std::string_view name) {
  if (SanitizeName(name) != name) {
    return fmt::format(
        "expected an identifier of C as the name of an external function, found `{}`", name);
  }
  // New helpers of the headers would break the programs that use other names with this beginning.
  if (name.starts_with("tenon_") || name.starts_with("TENON_")) {
    return fmt::format(
        "names that begin with `{}` belong to Tenon's headers, so an external function cannot have "
        "the name `{}`",
        name.substr(0, 6), name);
  }
  const bool is_own = name.starts_with(prefix) &&
                      std::find(kOwn.begin(), kOwn.end(), name.substr(prefix.size())) != kOwn.end();
  if (!is_own) return {};
  return fmt::format(
      "the generated code itself defines `{}`, so an external function cannot have that name; "
      "choose another --module-name",
      name);
}

}  // namespace tenon

#include "tools/version.h"

#include <fmt/format.h>

namespace tenon {

std::string_view Version() { return TENON_VERSION; }

std::string VersionText(std::string_view tool) { return fmt::format("{} {}", tool, Version()); }

}  // namespace tenon

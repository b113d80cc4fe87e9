#include "tools/version.h"

#include <fmt/format.h>

namespace tenon {

std::string VersionText(std::string_view tool) { return fmt::format("{} {}", tool, TENON_VERSION); }

}  // namespace tenon

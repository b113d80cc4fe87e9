#ifndef TENON_TOOLS_VERSION_H_
#define TENON_TOOLS_VERSION_H_

#include <string>
#include <string_view>

namespace tenon {

/// `0.1.0`.
std::string_view VersionNumber();
/// The output of --version: "<tool> 0.1.0".
std::string VersionText(std::string_view tool);

}  // namespace tenon

#endif  // TENON_TOOLS_VERSION_H_

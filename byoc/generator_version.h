#ifndef TENON_BYOC_GENERATOR_VERSION_H_
#define TENON_BYOC_GENERATOR_VERSION_H_

#include <string_view>

namespace tenon {

/// Whether a text is the version of a generator: 1 to 64 letters, digits and `._+-`.
bool IsGeneratorVersion(std::string_view text);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATOR_VERSION_H_

#ifndef TENON_BYOC_GENERATOR_VERSION_H_
#define TENON_BYOC_GENERATOR_VERSION_H_

#include <string_view>

namespace tenon {

/// Whether a string is a valid version of a generator: 1 to 64 letters, digits and `._+-`.
bool IsGeneratorVersion(std::string_view text);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATOR_VERSION_H_

#ifndef TENON_BYOC_GENERATORS_PROGRAM_REQUEST_H_
#define TENON_BYOC_GENERATORS_PROGRAM_REQUEST_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "byoc/code_generator.h"

// Requests to programs that are code generators, as JSON. docs/guide/generators.md describes them.

namespace tenon {

/// The versions of answers: their member `tenon_generator`. Requests use the first one, and list
/// both.
inline constexpr int64_t kGeneratorProtocol = 1;
inline constexpr int64_t kNewestGeneratorProtocol = 2;

/// The file with the constants of a request, in the folder of the request.
inline constexpr std::string_view kRequestConstants = "constants.safetensors";

/// The request for the operators that the program can compute.
std::string SupportsRequest(std::span<const SupportQuestion> questions,
                            const GeneratorTarget& target, Context& context);

/// The request for the code of functions. Constants that the functions contain are written to a
/// file in `folder`; an error if that fails.
absl::StatusOr<std::string> GenerateRequest(std::span<const ExternalFunction> functions,
                                            const GeneratorTarget& target,
                                            const std::string& folder);

/// The request for the constants of a function in the program's layout. Files are handled in the
/// same way.
absl::StatusOr<std::string> PackRequest(const ExternalFunction& function,
                                        const GeneratorTarget& target, const std::string& folder);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_PROGRAM_REQUEST_H_

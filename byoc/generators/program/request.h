#ifndef TENON_BYOC_GENERATORS_PROGRAM_REQUEST_H_
#define TENON_BYOC_GENERATORS_PROGRAM_REQUEST_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "byoc/code_generator.h"

// Requests to programs that are code generators, as JSON. docs/guide/generators.md describes them.

namespace tenon {

/// The versions of answers: their member `tenon_generator`. Requests have the first one, and name
/// both.
inline constexpr int64_t kGeneratorProtocol = 1;
inline constexpr int64_t kNewestGeneratorProtocol = 2;

/// The file with the constants of a request, in the folder of the request.
inline constexpr std::string_view kRequestConstants = "constants.safetensors";

/// Asks which operators the program can compute.
std::string SupportsRequest(std::span<const SupportQuestion> questions,
                            const GeneratorTarget& target, Context& context);

/// Asks for the code of functions. Constants that the functions contain are written to a file in
/// `folder`; an error if that fails.
absl::StatusOr<std::string> GenerateRequest(std::span<const ExternalFunction> functions,
                                            const GeneratorTarget& target,
                                            const std::string& folder);

/// Asks for the constants of a function in the program's layout. The same for files.
absl::StatusOr<std::string> PackRequest(const ExternalFunction& function,
                                        const GeneratorTarget& target, const std::string& folder);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_PROGRAM_REQUEST_H_

#ifndef TENON_BYOC_GENERATORS_PROGRAM_ANSWER_H_
#define TENON_BYOC_GENERATORS_PROGRAM_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/code_generator.h"
#include "ir/context.h"
#include "support/diagnostics.h"
#include "support/source.h"

// Answers of programs that are code generators. docs/guide/generators.md describes them. These
// functions only read answers, and report each fault at its place in the answer.
// byoc/generate_externals.h checks the contents, as for all generators.

namespace tenon {

/// True if the text is a whole answer of a program that stays alive for the next request: one line
/// that begins with the version and `"stays": true`.
bool IsAnswerThatStays(std::string_view text);

/// The answer to a SupportsRequest.
struct SupportsAnswer {
  /// For each operator of the request.
  std::vector<Support> operators;
  int64_t min_macs = 0;
  /// The least mean of the multiplications of a region's operators.
  int64_t min_operator_macs = 0;
  ConstantsAs constants = ConstantsAs::kArguments;
  /// The program gives constants another layout: it answers to PackRequest.
  bool packs = false;
};

/// Nullopt after an error, also if the answer is that the program failed. `operators` is the number
/// of operators in the request.
std::optional<SupportsAnswer> ReadSupportsAnswer(const SourceFile& answer, size_t operators,
                                                 Diagnostics& diagnostics);

/// The answer of `generator` to a GenerateRequest. Files that it names are read from `folder`.
/// Functions in TIR belong to `context`.
std::optional<GeneratedCode> ReadGenerateAnswer(Context& context, const SourceFile& answer,
                                                std::string_view generator,
                                                const std::string& folder,
                                                Diagnostics& diagnostics);

/// The answer to a PackRequest about a function with `constants`. The bytes of new constants are
/// read from `folder`. The constants have no names yet.
std::optional<std::vector<UpdatedConstant>> ReadPackAnswer(
    const SourceFile& answer, std::span<const FunctionConstant> constants,
    const std::string& folder, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_PROGRAM_ANSWER_H_

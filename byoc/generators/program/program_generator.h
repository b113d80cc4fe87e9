#ifndef TENON_BYOC_GENERATORS_PROGRAM_PROGRAM_GENERATOR_H_
#define TENON_BYOC_GENERATORS_PROGRAM_PROGRAM_GENERATOR_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "byoc/code_generator.h"
#include "support/programs.h"

namespace tenon {

/// A program that is a code generator.
struct GeneratorProgram {
  /// The name of the program's targets.
  std::string name;
  /// The program and its first arguments.
  std::vector<std::string> words;
  /// Instructions for the case that the system cannot find the program; may be empty.
  std::string if_missing = {};
  /// Answers in this process, in place of the program: takes the request and the path of the
  /// temporary folder. Errors are reported as those of a program. May be called from any thread.
  std::function<absl::StatusOr<std::string>(const std::string& request, const std::string& folder)>
      answer = nullptr;
};

/// Reads text such as `npu=./my-npu --fast`.
absl::StatusOr<GeneratorProgram> ParseGeneratorProgram(std::string_view text);

/// A code generator that asks a program: docs/guide/generators.md describes requests and answers.
/// The program runs once for each request, without a shell. A request is JSON on stdin; the answer
/// is JSON on stdout. The last argument is the path of a temporary folder for files of both. The
/// same functions give the same request, byte for byte. `limits` are shared: they may change until
/// the first request. So may `record`, the folder that gets a folder for each request, with its
/// files and `request.json` and `answer.json`; null or empty: none.
std::unique_ptr<const CodeGenerator> ProgramGenerator(
    GeneratorProgram program, std::shared_ptr<const AnswerLimits> limits,
    std::shared_ptr<const std::string> record = nullptr);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_PROGRAM_PROGRAM_GENERATOR_H_

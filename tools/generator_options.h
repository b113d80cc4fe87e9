#ifndef TENON_TOOLS_GENERATOR_OPTIONS_H_
#define TENON_TOOLS_GENERATOR_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "byoc/code_generator.h"

namespace CLI {
class App;
}

namespace tenon {

/// Adds --generator and --generator-timeout. `generators` becomes a set of those that come with
/// Tenon, of the program `tenon-onednn`, and of the programs that --generator gives. The set lives
/// as long as `app`.
void AddGeneratorOptions(CLI::App& app, const CodeGenerators*& generators);

/// Whether a command names a program: with --generator, or in `targets`, a list of targets or the
/// text of a pipeline.
bool NamesGeneratorProgram(const CLI::App& app, std::string_view targets);
bool NamesGeneratorProgram(const CLI::App& app, const std::vector<std::string>& targets);

}  // namespace tenon

#endif  // TENON_TOOLS_GENERATOR_OPTIONS_H_

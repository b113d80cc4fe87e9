#ifndef TENON_TOOLS_GENERATOR_OPTIONS_H_
#define TENON_TOOLS_GENERATOR_OPTIONS_H_

#include "byoc/code_generator.h"

namespace CLI {
class App;
}

namespace tenon {

/// Adds --generator and --generator-timeout. `generators` becomes a set of those that come with
/// Tenon, of the program `tenon-onednn`, and of the programs that --generator gives. The set lives
/// as long as `app`.
void AddGeneratorOptions(CLI::App& app, const CodeGenerators*& generators);

}  // namespace tenon

#endif  // TENON_TOOLS_GENERATOR_OPTIONS_H_

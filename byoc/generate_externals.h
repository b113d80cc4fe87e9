#ifndef TENON_BYOC_GENERATE_EXTERNALS_H_
#define TENON_BYOC_GENERATE_EXTERNALS_H_

#include <optional>
#include <string>
#include <vector>

#include "byoc/code_generator.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// The code of one generator, and the functions for which it was called: external functions and
/// operators.
struct GeneratorAnswer {
  std::string target;
  std::vector<Function> functions;
  GeneratedCode code;
};

/// The generators for functions with `Compiler`, and the changes of results that they may make.
struct GenerateExternalsOptions {
  const CodeGenerators* generators = nullptr;
  /// The targets that the user named. If `Compiler` of a function is another target, code is
  /// generated for it if `generators` contains a generator for that target.
  std::vector<GeneratorTarget> targets;
  /// This member and the next two are those of GeneratorTarget, for targets that the user did not
  /// name.
  bool may_reassociate = true;
  std::vector<std::string> inexact;
  TargetVectors vectors = {};
  /// Answers to modules before this one. A generator is not called for the same functions again;
  /// new answers are added. Null: every generator is called.
  std::vector<GeneratorAnswer>* answers = nullptr;
};

/// A module, and the code of its external functions outside of the module.
struct ExternalProgram {
  /// Each external function has `tenon.external`, keeps its body, and takes its scratch memory and
  /// its state as arguments. Scratch memory is an allocation around the call.
  IRModule module;
  /// Bodies in TIR that back ends use instead, and functions that these bodies call.
  std::vector<Function> tir;
  ExternalFiles files;

  explicit ExternalProgram(IRModule module) : module(std::move(module)) {}
};

/// Calls each generator once, in the order of the targets, for the code of all functions with its
/// target as `Compiler`, and checks the answers:
///   - there is one answer for each function, and no other (generator-failed, duplicate-symbol);
///   - declared effects, and the writes of functions in TIR, match the body (generator-effects);
///   - states belong to functions that the entry calls.
/// A function with `Compiler`, but without calls of operators and without a claim, remains on the
/// host.
///
/// If the resulting module is printed and read again, it is the same program. Nullopt after an
/// error; `failed` then names the target whose generator caused it, if any.
std::optional<ExternalProgram> GenerateExternals(const IRModule& module,
                                                 const GenerateExternalsOptions& options,
                                                 Diagnostics& diagnostics, std::string* failed);

/// True for a function for which a generator generates code: it has `Compiler`, calls operators or
/// is one, and is not the entry.
bool IsExternalRegion(const IRModule& module, const Function& function);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATE_EXTERNALS_H_

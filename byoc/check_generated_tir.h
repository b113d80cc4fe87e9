#ifndef TENON_BYOC_CHECK_GENERATED_TIR_H_
#define TENON_BYOC_CHECK_GENERATED_TIR_H_

#include <span>
#include <string_view>
#include <vector>

#include "byoc/code_generator.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// Compares functions in TIR that a generator gives with the bodies of the external functions that
/// they replace (generator-effects):
///   - a letter of `tenon.externs` is one of r, w, o and c, and numbers have none;
///   - an extern that gets memory is declared, with letters for each pointer;
///   - a parameter is written exactly if the body writes it: written parameters are the outputs of
///     the program.
/// `module` has the bodies. False after an error.
bool CheckGeneratedTir(const IRModule& module, std::string_view target,
                       std::span<const ExternalFunction> functions,
                       const std::vector<Function>& tir, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_CHECK_GENERATED_TIR_H_

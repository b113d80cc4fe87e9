#ifndef TENON_BYOC_CHECK_GENERATED_TIR_H_
#define TENON_BYOC_CHECK_GENERATED_TIR_H_

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "byoc/code_generator.h"
#include "ir/external_code.h"
#include "ir/module.h"
#include "support/diagnostics.h"

namespace tenon {

/// Compares functions in TIR from a generator with the bodies of the external functions that they
/// replace (generator-effects):
///   - a parameter has the type of the body's parameter: dtype, shape and strides;
///   - parameters for the memory of the code, and views of parameters, have at most the bytes of
///     that memory;
///   - a letter of `tenon.externs` is one of r, w, o and c, and numbers have none;
///   - an external function that receives memory is declared, with letters for each pointer;
///   - a parameter is written exactly if the body writes it: written parameters are the outputs of
///     the program.
/// `module` contains the bodies, and `code_of` returns the facts about an external function. False
/// after an error.
bool CheckGeneratedTir(const IRModule& module, std::string_view target,
                       std::span<const ExternalFunction> functions,
                       const std::vector<Function>& tir,
                       const std::function<const ExternalCode&(Symbol)>& code_of,
                       Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_CHECK_GENERATED_TIR_H_

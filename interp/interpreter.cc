#include "interp/interpreter.h"

#include <fmt/format.h>

#include "interp/compiler.h"
#include "interp/machine.h"
#include "ir/verifier.h"

namespace tenon {

std::string EntryDataKey(std::string_view kind, std::string_view name) {
  return fmt::format("{} {}", kind, name);
}

Interpreter::Interpreter(std::unique_ptr<interp::ModuleCode> code, InterpreterOptions options)
    : code_(std::move(code)), options_(std::move(options)) {}
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

absl::StatusOr<Interpreter> Interpreter::Compile(const IRModule& module, Diagnostics& diagnostics,
                                                 InterpreterOptions options) {
  // The interpreter checks every access and divisor when it runs.
  if (!VerifyModule(module, diagnostics, ConstantFaults::kAllowed)) {
    return absl::InvalidArgumentError("the module is not valid");
  }
  auto code = std::make_unique<interp::ModuleCode>(module);
  const std::vector<Function>& functions = code->module.functions();
  for (size_t i = 0; i < functions.size(); ++i) {
    code->index[functions[i].name] = static_cast<int32_t>(i);
  }
  code->functions.resize(functions.size());
  bool ok = true;
  for (size_t i = 0; i < functions.size(); ++i) {
    interp::Compiler compiler(*code, functions[i], diagnostics);
    ok = compiler.Run(&code->functions[i]) && ok;
  }
  if (!ok) return absl::InvalidArgumentError("the module cannot be interpreted");
  return Interpreter(std::move(code), std::move(options));
}

bool Interpreter::Run(std::string_view function, const std::vector<Argument>& arguments,
                      Diagnostics& diagnostics, int64_t* result,
                      const EntryDataArguments* data) const {
  const Function* callee = code_->module.FindCallee(function);
  if (callee == nullptr) {
    diagnostics.Error(DiagnosticKind::kUnknownFunction, {},
                      "the module has no function `" + std::string(function) + "`");
    return false;
  }
  interp::Machine machine(*code_, options_, diagnostics);
  return machine.Start(code_->index.at(callee->name), arguments, result, data);
}

const IRModule& Interpreter::module() const { return code_->module; }

}  // namespace tenon

#include "compile/run/engine.h"
#include "compile/run/interpreted_model.h"

namespace tenon {

namespace {

std::unique_ptr<RunnableModel> Load(const IRModule& module, const EntrySignature& /*signature*/,
                                    const EngineOptions& options, Diagnostics& diagnostics) {
  InterpreterOptions interpreter_options;
  if (options.max_steps > 0) interpreter_options.max_steps = options.max_steps;
  return InterpretedModel::Load(module, std::move(interpreter_options), diagnostics);
}

constexpr Engine kInterpreterEngine = {"interp", "interprets the module, and checks every access",
                                       "interpreting", Load};

}  // namespace

const Engine& InterpreterEngine() { return kInterpreterEngine; }

}  // namespace tenon

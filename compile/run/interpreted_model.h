#ifndef TENON_COMPILE_RUN_INTERPRETED_MODEL_H_
#define TENON_COMPILE_RUN_INTERPRETED_MODEL_H_

#include <memory>
#include <optional>
#include <string_view>

#include "compile/run/engine.h"
#include "interp/interpreter.h"
#include "ir/analysis/model_entry.h"

namespace tenon {

/// A model in the interpreter. It is called through the functions that make-entry adds, as an
/// application calls the compiled code.
class InterpretedModel : public RunnableModel {
 public:
  /// Any module with an entry, planned or not. Null after an error.
  static std::unique_ptr<InterpretedModel> Load(const IRModule& module, InterpreterOptions options,
                                                Diagnostics& diagnostics);

  const EntrySignature& signature() const { return entry_.signature; }
  /// Workspace pools and outputs without a value start undefined in each run.
  bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) override;

 private:
  struct Memory;
  explicit InterpretedModel(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  /// Calls a function of entry_function; false after an error and for a result other than 0.
  bool Call(std::string_view role, std::vector<Argument> arguments, const Memory& memory,
            Diagnostics& diagnostics) const;
  bool Fail(std::string message, Diagnostics& diagnostics) const;
  bool AddStored(Memory& memory, Diagnostics& diagnostics) const;
  bool Prepare(const TensorValues& values, Memory& memory, Diagnostics& diagnostics) const;

  Interpreter interpreter_;
  ModelEntry entry_;
};

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_INTERPRETED_MODEL_H_

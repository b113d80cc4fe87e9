#ifndef TENON_COMPILE_RUN_ENGINE_H_
#define TENON_COMPILE_RUN_ENGINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/byoc_report.h"
#include "compile/options.h"
#include "compile/run/model_call.h"
#include "compile/run/run_times.h"
#include "compile/run/tensors.h"
#include "ir/analysis/entry_signature.h"
#include "support/diagnostics.h"

// Engines run models. The interpreter, compiled C, and LLVM's in-memory code share one interface.

namespace tenon {

struct Package;  // compile/package/package.h

/// The values of the entry's tensors in the order of its signature. Inputs as given; outputs as
/// they are before the run, then as the run left them. C order, little endian.
using TensorValues = std::vector<std::string>;

/// The options for loading a model.
struct EngineOptions {
  /// Options for compiled code. The interpreter runs the module unchanged.
  CompileOptions compile;
  /// The C compiler and its flags, separated by blanks; no shell sees them.
  std::string cc = "cc";
  std::string cflags = "-std=c99 -O2";
  /// Functions of the process that code may call although neither the module nor
  /// CompileOptions::link defines them. Without them, compiled code calls only functions that have
  /// no effects on the machine (docs/reference/trust.md). The interpreter calls no function of the
  /// process in any case.
  std::vector<std::string> allowed_externs;
  /// Threads for the parallel loops of compiled code; the interpreter runs them serially.
  int threads = 1;
  /// Receives the targets of operators before the model runs; may be empty.
  std::function<void(const ByocReport&)> on_externals = nullptr;
  /// Receives a summary of the comparisons of a run with ExternalsUse::kBoth, if all results are
  /// equal; may be empty.
  std::function<void(const std::string&)> on_compared = nullptr;
  /// The interpreter's limit on iterations and calls per run; 0 for its default.
  int64_t max_steps = 0;
  /// The package that the module is from, for PackageEngine; else null.
  const Package* package = nullptr;
};

/// A model that is ready to run. It keeps everything that it needs of the loaded module.
class RunnableModel {
 public:
  virtual ~RunnableModel() = default;
  /// Runs the entry function `runs.count` times. False after an error.
  virtual bool Run(TensorValues& values, Runs& runs, Diagnostics& diagnostics) = 0;
  /// Whether calls can go to the code directly, through Open.
  virtual bool CanOpen() const { return false; }
  /// The code, for many calls; this object must outlive the result. Nullopt after an error.
  virtual std::optional<ModelCall> Open(Diagnostics& /*diagnostics*/) { return std::nullopt; }
};

/// A way to run models.
struct Engine {
  /// The name for --engine.
  std::string_view name;
  std::string_view summary;
  /// The name of loading and running, shown as progress.
  std::string_view progress;
  /// Compiles a module, whose parameters are linked, as far as the engine needs. `signature`
  /// belongs to the module. Null after an error.
  std::unique_ptr<RunnableModel> (*load)(const IRModule& module, const EntrySignature& signature,
                                         const EngineOptions& options,
                                         Diagnostics& diagnostics) = nullptr;
};

/// `interp`: checks every access, and that pools and their constants agree with the module.
const Engine& InterpreterEngine();
/// The code of EngineOptions::package. It is written to a private file, and loaded. The bytes and
/// the machine must have been checked (ReadPackage, CheckMachine).
const Engine& PackageEngine();
/// `c`: C, compiled to a shared object, loaded, and called through the generated interface.
const Engine& CEngine();

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_ENGINE_H_

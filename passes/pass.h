#ifndef TENON_PASSES_PASS_H_
#define TENON_PASSES_PASS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "support/diagnostics.h"

// A pass is a free function
//
//   absl::StatusOr<IRModule> MergeThings(const IRModule&, const MergeThingsOptions&, PassContext&);
//
// declared in a separate header whose comment documents the pass, with one row in
// passes/pass_list.def. It returns the module unchanged (the same function versions) if there is
// nothing to do. Errors in the user's module go to the context's diagnostics; a status other than
// OK says that the pass gave up.

namespace tenon {

class CodeGenerators;
class ConstantUpdaters;
class FunctionEvaluator;

/// The state that passes share in one run of a pipeline.
struct PassContext {
  Diagnostics& diagnostics;
  /// The number of threads that a pass may use for its functions; results never depend on it.
  int threads = 1;
  /// Named counters ("merge-constants.bytes_saved"), in order of their first use.
  std::vector<std::pair<std::string, int64_t>> counters;
  /// The updaters for update-constants (passes/constants/constant_updater.h); null: those that come
  /// with Tenon.
  const ConstantUpdaters* updaters = nullptr;
  /// External code generators (byoc/code_generator.h); null: those that come with Tenon.
  const CodeGenerators* generators = nullptr;
  /// Runs functions for fold-constants (analysis/function_evaluator.h); null: nothing is folded.
  const FunctionEvaluator* evaluator = nullptr;
  /// Passes that write loops for an operator read them back (schedule/check/why_not_equal.h).
  bool verify_schedules = false;
  /// Passes that choose the order of loops show the best schedules with their costs, as notes.
  bool print_schedules = false;
  /// A pass sets this if it adds or removes inputs of the entry on purpose. After any other pass,
  /// the entry must have the same inputs and outputs as before.
  bool changes_interface = false;

  void Count(std::string_view name, int64_t amount);
};

/// An option of a pass: its name, a pointer to the member of the options struct, and a line of
/// help.
template <class Options, class Value>
struct PassOption {
  const char* name;
  Value Options::*member;
  const char* help;
};
/// Compilers before P1816 (clang 14) can't deduce an aggregate's arguments.
template <class Options, class Value>
PassOption(const char*, Value Options::*, const char*) -> PassOption<Options, Value>;

/// The options of a pass without options. Other options structs have members with defaults, and
/// list them in the same way:
///   static constexpr auto List() { return std::make_tuple(PassOption{"level", &MyOptions::level,
///   "what it does"}); }
/// Members are std::string, bool, int64_t or double.
struct NoOptions {
  static constexpr auto List() { return std::make_tuple(); }
};

/// Applies `rewrite` to every function, on up to `context.threads` threads, and puts the changed
/// versions into a copy of the module. `rewrite` gets separate diagnostics, which are joined in the
/// order of the functions.
IRModule ForEachFunction(const IRModule& module, PassContext& context,
                         const std::function<Function(const Function&, Diagnostics&)>& rewrite);

}  // namespace tenon

#endif  // TENON_PASSES_PASS_H_

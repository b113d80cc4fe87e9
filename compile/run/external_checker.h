#ifndef TENON_COMPILE_RUN_EXTERNAL_CHECKER_H_
#define TENON_COMPILE_RUN_EXTERNAL_CHECKER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/check_externals.h"
#include "compile/run/engine.h"
#include "support/diagnostics.h"

namespace tenon {

/// Receives the comparisons of code with checks (byoc/check_externals.h) during a run. Only one
/// thread runs such code at a time.
class ExternalChecker {
 public:
  /// `notes_fallback`: the code comes from AddExternalFallback.
  explicit ExternalChecker(std::vector<ExternalCheck> checks, bool notes_fallback = false)
      : checks_(std::move(checks)), notes_fallback_(notes_fallback) {}

  bool empty() const { return checks_.empty(); }
  /// The names and addresses of the functions that the code calls.
  static std::vector<std::pair<std::string_view, void*>> Functions();
  /// C that defines these functions. `tenon_engine_set_checks` sets their addresses from a list in
  /// the order of Functions().
  static std::string Source();

  /// Calls of the functions above reach this checker while a Scope lives. If there is something to
  /// check, a crash then reports on stderr the external function that was running.
  class Scope {
   public:
    explicit Scope(ExternalChecker& checker);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ExternalChecker* outer_;
    bool has_crash_line_;
  };

  /// False, with an error, if an external function and its body gave different results. Otherwise
  /// `on_compared`, unless empty, receives a summary: "3 functions called 3 times, all equal to
  /// their bodies".
  bool Report(Diagnostics& diagnostics,
              const std::function<void(const std::string&)>& on_compared) const;

  /// The time in milliseconds that the code of external functions has taken so far.
  const double& external_milliseconds() const { return external_milliseconds_; }

  // The implementations of Functions(), which the checked code calls (byoc/check_externals.h).
  void Enter(size_t check);
  void Save(size_t check, size_t input, const void* data);
  void Leave(size_t check);
  void Fallback(size_t check);
  void Unchanged(size_t check, size_t input, const void* data);
  void Compare(size_t check, size_t result, const void* got, const void* expected,
               const void* bound);

 private:
  std::string Summary() const;
  /// The error about the results of a function's code, with facts that help to find the reason.
  void Differ(size_t check, std::string_view what);

  std::vector<ExternalCheck> checks_;
  bool notes_fallback_ = false;
  std::vector<int64_t> calls_ = std::vector<int64_t>(checks_.size());
  /// The inputs of the call that runs, as they were before.
  std::vector<std::string> saved_;
  /// How often bodies ran in place of code.
  std::vector<int64_t> fallbacks_ = std::vector<int64_t>(checks_.size());
  std::chrono::steady_clock::time_point entered_;
  double external_milliseconds_ = 0;
  /// The first difference.
  std::optional<std::string> difference_;
};

/// EngineOptions::on_compared where the options ask for comparisons; else empty.
std::function<void(const std::string&)> OnCompared(const EngineOptions& options);

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_EXTERNAL_CHECKER_H_

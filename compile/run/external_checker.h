#ifndef TENON_COMPILE_RUN_EXTERNAL_CHECKER_H_
#define TENON_COMPILE_RUN_EXTERNAL_CHECKER_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/check_externals.h"
#include "support/diagnostics.h"

namespace tenon {

/// Receives the comparisons of code with checks (byoc/check_externals.h) during a run. Only one
/// thread runs such code at a time.
class ExternalChecker {
 public:
  explicit ExternalChecker(std::vector<ExternalCheck> checks) : checks_(std::move(checks)) {}

  bool empty() const { return checks_.empty(); }
  /// The names and addresses of the functions that the code calls.
  static std::vector<std::pair<std::string_view, void*>> Functions();
  /// C that defines these functions. `tenon_engine_set_checks` sets their addresses from a list in
  /// the order of Functions().
  static std::string Source();

  /// Calls of the functions above reach this checker while a Scope lives.
  class Scope {
   public:
    explicit Scope(ExternalChecker& checker);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ExternalChecker* outer_;
  };

  /// False, with an error, if an external function and its body gave different results.
  bool Report(Diagnostics& diagnostics) const;

  void Compare(size_t check, size_t result, const void* got, const void* expected,
               const void* bound);

 private:
  std::vector<ExternalCheck> checks_;
  /// The first difference.
  std::optional<std::string> difference_;
};

}  // namespace tenon

#endif  // TENON_COMPILE_RUN_EXTERNAL_CHECKER_H_

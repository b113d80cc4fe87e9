#ifndef TENON_PASSES_PIPELINE_PASS_SET_H_
#define TENON_PASSES_PIPELINE_PASS_SET_H_

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pipeline/pipeline.h"

// The named passes of a program. passes/pass_list.def lists those of passes/. A folder above
// passes/ has a separate list (byoc/pass_list.def) and provides it as a table
// (passes/pipeline/pass_table.h).

namespace tenon {

/// An option as help shows it.
struct OptionInfo {
  std::string name;
  /// The kind of its values: "text", "true or false", "an integer" or "a number".
  std::string_view kind;
  std::string default_value;
  std::string help;
};

/// The error for an unknown option of a pass. `names` are the options that the pass has.
std::string UnknownOption(std::string_view name, const std::vector<std::string>& names);

/// A row of a list of passes.
struct PassInfo {
  /// The subfolder of passes/, or the folder with the separate list.
  std::string_view group;
  std::string_view name;
  /// The forms that the module must have before the pass, and the forms that the pass with default
  /// options gives it.
  FormSet needs;
  FormSet gives;
  std::string_view summary;
  /// The pass with options from text, or an error text and the index of the invalid option.
  std::optional<BoundPass> (*bind)(const OptionValues& values, std::string* error, size_t* at);
  std::vector<OptionInfo> (*options)();
};

/// The passes of passes/pass_list.def, in its order.
std::span<const PassInfo> AllPasses();
/// The names of the passes that give a form, separated by " or ".
std::string GiversOf(ModuleForm form);

/// Passes by name: those of passes/, and those of additional tables.
class PassSet {
 public:
  /// Only the passes of passes/.
  PassSet() : PassSet({}) {}
  /// `tables` are static and outlive the set. Names must be unique.
  explicit PassSet(std::initializer_list<std::span<const PassInfo>> tables);
  /// Adds the passes of a table under the same conditions.
  void Add(std::span<const PassInfo> table);

  /// In the order of the lists.
  std::span<const PassInfo* const> passes() const { return passes_; }
  /// The pass of that name, or null.
  const PassInfo* Find(std::string_view name) const;
  /// The names of all passes, in order.
  std::vector<std::string_view> Names() const;

 private:
  std::vector<const PassInfo*> passes_;
};

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_PASS_SET_H_

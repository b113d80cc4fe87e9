#ifndef TENON_PASSES_PIPELINE_REGISTRY_H_
#define TENON_PASSES_PIPELINE_REGISTRY_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pipeline/pipeline.h"

// Internal to passes/: the table made of pass_list.def.

namespace tenon {

/// An option as help shows it.
struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string help;
};

/// A row of the list.
struct PassInfo {
  /// The folder of passes/ that it is in.
  std::string_view group;
  std::string_view name;
  /// Forms that the module has to have before the pass, and that the pass with its default options
  /// gives it.
  FormSet needs;
  FormSet gives;
  std::string_view summary;
  /// The pass with options from text, or an error text and the index of the option at fault.
  std::optional<BoundPass> (*bind)(const OptionValues& values, std::string* error, size_t* at);
  std::vector<OptionInfo> (*options)();
};

std::span<const PassInfo> AllPasses();
const PassInfo* FindPass(std::string_view name);
/// The names of the passes that give a form, separated by " or ".
std::string GiversOf(Form form);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_REGISTRY_H_

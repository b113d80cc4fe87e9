#ifndef TENON_PASSES_PIPELINE_REGISTRY_H_
#define TENON_PASSES_PIPELINE_REGISTRY_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/pipeline/pipeline.h"

// Internal to passes/: the table made of pass_list.def.

namespace tenon {

using OptionValues = std::vector<std::pair<std::string, std::string>>;

/// An option as help shows it.
struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string help;
};

/// A row of the list. `bind` gives the pass with options set, or an error text and the index of the
/// option at fault.
struct PassInfo {
  /// The folder of passes/ that it is in.
  std::string_view group;
  std::string_view name;
  std::string_view summary;
  std::optional<BoundPass> (*bind)(const OptionValues& values, std::string* error, size_t* at);
  std::vector<OptionInfo> (*options)();
};

std::span<const PassInfo> AllPasses();
const PassInfo* FindPass(std::string_view name);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_REGISTRY_H_

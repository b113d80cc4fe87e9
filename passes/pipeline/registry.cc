// The table of passes is the expansion of pass_list.def. Nothing registers itself, so a program has
// the passes that it names, in the order of the list.

#include <fmt/ranges.h>

#include <algorithm>

#include "all_passes.h"
#include "passes/pipeline/pass_table.h"
#include "support/check.h"
#include "support/nearest_name.h"

#define TENON_PASS_LIST "passes/pass_list.def"
#include "passes/pipeline/define_passes.def"

namespace tenon {

std::span<const PassInfo> AllPasses() { return kPasses; }

std::string UnknownOption(std::string_view name, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("unknown option `{}`; the pass has no options", name);
  return fmt::format("unknown option `{}`{}; the pass has {}", name, DidYouMean(name, names),
                     fmt::join(names, ", "));
}

std::string GiversOf(ModuleForm form) {
  std::string names;
  for (const PassInfo& pass : kPasses) {
    if (pass.gives.Has(form))
      names += fmt::format("{}`{}`", names.empty() ? "" : " or ", pass.name);
  }
  return names;
}

PassSet::PassSet(std::initializer_list<std::span<const PassInfo>> tables) {
  for (const PassInfo& pass : kPasses) passes_.push_back(&pass);
  for (const std::span<const PassInfo> table : tables) Add(table);
}

void PassSet::Add(std::span<const PassInfo> table) {
  for (const PassInfo& pass : table) {
    TENON_CHECK(Find(pass.name) == nullptr);
    passes_.push_back(&pass);
  }
}

const PassInfo* PassSet::Find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(passes_, [&](const PassInfo* pass) { return pass->name == name; });
  return found == passes_.end() ? nullptr : *found;
}

std::vector<std::string_view> PassSet::Names() const {
  std::vector<std::string_view> names;
  for (const PassInfo* pass : passes_) names.push_back(pass->name);
  return names;
}

}  // namespace tenon

#include <algorithm>

#include "all_passes.h"
#include "passes/pipeline/pass_table.h"
#include "support/check.h"

namespace tenon {

namespace {

using enum Form;

constexpr PassInfo kPasses[] = {
#define TENON_PASS(group, name, Function, Options, needs, gives, summary) \
  {#group, name, needs, gives, summary, &BindText<&Function>, &OptionsOf<Options>},
#include "passes/pass_list.def"
};

/// Where the rows stand in kPasses.
enum PassIndex : size_t {
#define TENON_PASS(group, name, Function, Options, needs, gives, summary) k##Function##Index,
#include "passes/pass_list.def"
};

}  // namespace

#define TENON_PASS(group, name, Function, Options, needs, gives, summary) \
  template <>                                                             \
  const PassInfo& InfoOf<&Function>() {                                   \
    return kPasses[k##Function##Index];                                   \
  }                                                                       \
  template BoundPass BindPass<&Function>(const Options&);
#include "passes/pass_list.def"

std::span<const PassInfo> AllPasses() { return kPasses; }

std::string GiversOf(Form form) {
  std::string names;
  for (const PassInfo& pass : kPasses) {
    if (pass.gives.Has(form))
      names += fmt::format("{}`{}`", names.empty() ? "" : " or ", pass.name);
  }
  return names;
}

PassSet::PassSet(std::initializer_list<std::span<const PassInfo>> tables) {
  for (const PassInfo& pass : kPasses) passes_.push_back(&pass);
  for (const std::span<const PassInfo> table : tables) {
    for (const PassInfo& pass : table) {
      TENON_CHECK(Find(pass.name) == nullptr);
      passes_.push_back(&pass);
    }
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

#include "byoc/known_passes.h"

#include "byoc_passes.h"
#include "passes/pipeline/pass_table.h"

namespace tenon {

namespace {

using enum Form;

constexpr PassInfo kPasses[] = {
#define TENON_PASS(group, name, Function, Options, needs, gives, summary) \
  {#group, name, needs, gives, summary, &BindText<&Function>, &OptionsOf<Options>},
#include "byoc/pass_list.def"
};

/// Where the rows stand in kPasses.
enum PassIndex : size_t {
#define TENON_PASS(group, name, Function, Options, needs, gives, summary) k##Function##Index,
#include "byoc/pass_list.def"
};

}  // namespace

#define TENON_PASS(group, name, Function, Options, needs, gives, summary) \
  template <>                                                             \
  const PassInfo& InfoOf<&Function>() {                                   \
    return kPasses[k##Function##Index];                                   \
  }                                                                       \
  template BoundPass BindPass<&Function>(const Options&);
#include "byoc/pass_list.def"

PassSet KnownPasses() { return PassSet({kPasses}); }

}  // namespace tenon

// The only file that combines both lists of passes, because passes/ must not depend on byoc/.

#include "byoc/known_passes.h"

#include "byoc_passes.h"
#include "passes/pipeline/pass_table.h"

#define TENON_PASS_LIST "byoc/pass_list.def"
#include "passes/pipeline/define_passes.def"

namespace tenon {

PassSet KnownPasses() { return PassSet({kPasses}); }

}  // namespace tenon

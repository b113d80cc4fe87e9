#ifndef TENON_BYOC_KNOWN_PASSES_H_
#define TENON_BYOC_KNOWN_PASSES_H_

#include "passes/pipeline/pass_set.h"

namespace tenon {

/// All passes of Tenon: those of passes/ and of byoc/.
PassSet KnownPasses();

}  // namespace tenon

#endif  // TENON_BYOC_KNOWN_PASSES_H_

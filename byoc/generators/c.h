#ifndef TENON_BYOC_GENERATORS_C_H_
#define TENON_BYOC_GENERATORS_C_H_

#include <memory>

#include "byoc/code_generator.h"

namespace tenon {

/// The generator `c`: C99 (and C++17) sources, made from claims alone. Sums are computed in rows of
/// accumulators, so that compilers make vector code of the innermost loops. Nothing is allocated at
/// run time: intermediates lie in scratch memory that the caller passes.
std::unique_ptr<const CodeGenerator> CSourceGenerator();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_C_H_

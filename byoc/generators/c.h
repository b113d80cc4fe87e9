#ifndef TENON_BYOC_GENERATORS_C_H_
#define TENON_BYOC_GENERATORS_C_H_

#include <memory>

#include "byoc/code_generator.h"

namespace tenon {

/// The generator `c`: C99 (and C++17) sources, made only from claims. With vectors, sums are
/// computed in blocks of vectors. Otherwise the passes of the host's C run on each region. Nothing
/// is allocated at run time: intermediates lie in scratch memory that the caller passes.
std::unique_ptr<const CodeGenerator> CSourceGenerator();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_C_H_

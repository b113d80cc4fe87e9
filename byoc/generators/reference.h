#ifndef TENON_BYOC_GENERATORS_REFERENCE_H_
#define TENON_BYOC_GENERATORS_REFERENCE_H_

#include <memory>

#include "byoc/code_generator.h"

namespace tenon {

/// The generator `reference`: simple loops in TIR, in the order of the claim, with one accumulator
/// for each output element. It defines the meaning of a claim, and every engine runs it.
std::unique_ptr<const CodeGenerator> ReferenceGenerator();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_REFERENCE_H_

#ifndef TENON_BYOC_GENERATORS_CMSIS_NN_CMSIS_NN_H_
#define TENON_BYOC_GENERATORS_CMSIS_NN_CMSIS_NN_H_

#include <memory>

#include "byoc/code_generator.h"

namespace tenon {

/// The generator `cmsis-nn`: convolutions, depthwise convolutions and dense layers of int8 as calls
/// of Arm's library CMSIS-NN, in TIR, through the adapter runtime/tenon_cmsis_nn.c. It takes an
/// operator if its constants prove that the library's result is equal bit for bit for every input.
/// docs/guide/cmsis_nn.md has the rules.
///
/// The environment names the user's library: CMSIS_NN_INCLUDE is the folder of arm_nnfunctions.h,
/// CMSIS_NN_LIBRARY the library file, or the folder of libcmsis-nn.a.
std::unique_ptr<const CodeGenerator> CmsisNnGenerator();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CMSIS_NN_CMSIS_NN_H_

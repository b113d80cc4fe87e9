#ifndef TENON_BYOC_GENERATORS_CUDA_CUDA_H_
#define TENON_BYOC_GENERATORS_CUDA_CUDA_H_

#include <memory>

#include "byoc/code_generator.h"

namespace tenon {

/// The generator `cuda`: programs for an NVIDIA GPU (docs/guide/cuda.md). Sums of products go to
/// cuBLASLt, everything else to kernels that it writes. A region is one graph on planned memory of
/// the device, and its constants are copied there once.
std::unique_ptr<const CodeGenerator> CudaGenerator();

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_CUDA_H_

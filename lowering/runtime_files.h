#ifndef TENON_LOWERING_RUNTIME_FILES_H_
#define TENON_LOWERING_RUNTIME_FILES_H_

#include <vector>

#include "lowering/emitted_file.h"
#include "lowering/entry_abi.h"

namespace tenon {

/// The files of runtime/ that emitted C includes or is compiled with: tenon_runtime.h always, the
/// others as `needs` says.
std::vector<EmittedFile> RuntimeFiles(const RuntimeNeeds& needs);

/// The thread pool for parallel loops, tenon_parallel.c, and its header, for code that calls
/// tenon_parallel_for.
std::vector<EmittedFile> ParallelPoolFiles();

/// tenon_cmsis_nn.c: calls of CMSIS-NN, for the code generator of that name.
EmittedFile CmsisNnSource();

/// tenon_cuda.c and its headers: the run-time of the code generator `cuda`.
std::vector<EmittedFile> CudaRuntimeFiles();
/// tenon_cuda_device.h: the dialect of its kernels.
EmittedFile CudaDeviceHeader();

/// tenon_external.h: for the code of external generators.
EmittedFile ExternalHeader();

}  // namespace tenon

#endif  // TENON_LOWERING_RUNTIME_FILES_H_

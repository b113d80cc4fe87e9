// The build embeds the files of runtime/ as text in the program, so that emitted code needs no
// installed files.

#include "lowering/runtime_files.h"

#include <string>
#include <string_view>

#include "tenon_runtime_text.h"

namespace tenon {

std::vector<EmittedFile> RuntimeFiles(const RuntimeNeeds& needs) {
  std::vector<EmittedFile> files = {{"tenon_runtime.h", std::string(kRuntimeHeaderText)}};
  if (needs.lz4) files.push_back({"tenon_lz4.h", std::string(kLz4HeaderText)});
  if (needs.products) files.push_back({"tenon_products.h", std::string(kProductsHeaderText)});
  if (needs.thread_pool) {
    for (EmittedFile& file : ParallelPoolFiles()) files.push_back(std::move(file));
  } else if (needs.parallel) {
    files.push_back({"tenon_parallel.h", std::string(kParallelHeaderText)});
  }
  return files;
}

std::vector<EmittedFile> ParallelPoolFiles() {
  return {{"tenon_parallel.h", std::string(kParallelHeaderText)},
          {"tenon_parallel.c", std::string(kParallelSourceText)}};
}

EmittedFile CmsisNnSource() { return {"tenon_cmsis_nn.c", std::string(kCmsisNnSourceText)}; }

std::vector<EmittedFile> CudaRuntimeFiles() {
  return {{"tenon_cuda.h", std::string(kCudaHeaderText)},
          {"tenon_cuda_libraries.h", std::string(kCudaLibrariesHeaderText)},
          {"tenon_cuda.c", std::string(kCudaSourceText)}};
}

EmittedFile CudaDeviceHeader() {
  return {"tenon_cuda_device.h", std::string(kCudaDeviceHeaderText)};
}

EmittedFile ExternalHeader() { return {"tenon_external.h", std::string(kExternalHeaderText)}; }

}  // namespace tenon

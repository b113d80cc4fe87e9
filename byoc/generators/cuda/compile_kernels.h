#ifndef TENON_BYOC_GENERATORS_CUDA_COMPILE_KERNELS_H_
#define TENON_BYOC_GENERATORS_CUDA_COMPILE_KERNELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

// Kernels as bytes that the driver of CUDA loads.

namespace tenon {

/// The numbers of a payload's images (runtime/tenon_cuda.c).
enum class ImageKind : uint8_t { kCubin = 1, kPtx = 2, kSource = 3 };

struct KernelImage {
  ImageKind kind = ImageKind::kCubin;
  /// 90 for the compute capability 9.0; 0 for source.
  int architecture = 0;
  std::string bytes;
};

struct KernelOptions {
  /// Compute capabilities, ascending: 80 for 8.0.
  std::vector<int> architectures;
  /// The program compiles its kernels in its first run.
  bool as_source = false;
};

/// The options in the environment: TENON_CUDA_ARCH, a list such as `80,90`, which is the default,
/// and TENON_CUDA_COMPILE, `run` for source. InvalidArgument for other values.
absl::StatusOr<KernelOptions> KernelOptionsFromEnvironment();

/// Compiles kernels for each architecture, and PTX for the oldest one, from which the driver
/// compiles for newer GPUs. NotFound: NVRTC, which is opened here, does not exist; the message says
/// what to do. Internal: it refuses the source.
absl::StatusOr<std::vector<KernelImage>> CompileKernels(const std::string& source,
                                                        const KernelOptions& options);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_COMPILE_KERNELS_H_

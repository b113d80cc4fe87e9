#ifndef TENON_TESTS_CUDA_HOST_HOST_H_
#define TENON_TESTS_CUDA_HOST_HOST_H_

#include <cstdarg>
#include <functional>

// Functions for the stand-ins of the driver and of cuBLASLt; libcuda.so.1 defines them.

namespace cuda_host {

/// Writes a line to the log of a test.
void Log(const char* format, ...) __attribute__((format(printf, 1, 2)));
/// Runs work on a stream of the stand-in, or captures it.
int Run(void* stream, std::function<int()> work);

}  // namespace cuda_host

#endif  // TENON_TESTS_CUDA_HOST_HOST_H_

// A stand-in for the driver of CUDA, libcuda.so.1: memory of the device is memory of the host
// between guards, kernels are functions of shared objects that tests/cuda_host/nvrtc.cc made, and
// graphs are lists. Mistakes that a real device forgives or hides are errors here: accesses
// outside, unused waits, memory that nobody frees.
//
// Environment:
//   TENON_CUDA_HOST_LOG      a file that gets a line for each call that matters
//   TENON_CUDA_HOST_DEVICES  the number of GPUs (1)
//   TENON_CUDA_HOST_ARCH     the compute capability (90)
//   TENON_CUDA_HOST_MEMORY   bytes of the device (no limit)
//   TENON_CUDA_HOST_FAIL     `function=n`: the n-th call of it fails
//   TENON_CUDA_HOST_ORDER    `backwards`: threads and blocks run in the opposite order
//   TENON_CUDA_HOST_THREADS  threads that share the blocks of a launch (1)

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "host.h"

namespace {

using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kInvalidImage = 200;
constexpr Result kNotFound = 500;
constexpr Result kIllegalAddress = 700;
constexpr Result kLaunchFailed = 719;

constexpr size_t kGuardBytes = 4096;
constexpr unsigned char kGuardByte = 0xa5;
constexpr unsigned char kFreshByte = 0xff;

std::string Environment(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

struct Allocation {
  size_t bytes = 0;
  char* block = nullptr;
};

struct Graph {
  std::vector<std::function<Result()>> nodes;
};

struct Stream {
  Graph* capture = nullptr;
};

struct Module {
  void* library = nullptr;
};

struct State {
  std::mutex lock;
  std::map<uint64_t, Allocation> memory;
  std::map<std::string, int> calls;
  size_t used = 0;
  int contexts = 0, streams = 0, modules = 0, graphs = 0, events = 0;
  bool is_poisoned = false;

  // Everything must be gone at the end.
  ~State() {
    if (contexts == 0 && memory.empty() && streams == 0 && modules == 0 && graphs == 0 &&
        events == 0)
      return;
    std::fprintf(stderr,
                 "cuda_host: left over: %d contexts, %zu allocations, %d streams, %d modules, %d "
                 "graphs, %d events\n",
                 contexts, memory.size(), streams, modules, graphs, events);
    std::_Exit(99);
  }
};
State state;

bool IsGuardWhole(const Allocation& allocation) {
  for (size_t i = 0; i < kGuardBytes; ++i) {
    const auto at = [&](size_t place) {
      return static_cast<unsigned char>(allocation.block[place]);
    };
    if (at(i) != kGuardByte || at(kGuardBytes + allocation.bytes + i) != kGuardByte) return false;
  }
  return true;
}

Result CheckGuards() {
  for (const auto& [address, allocation] : state.memory) {
    if (IsGuardWhole(allocation)) continue;
    std::fprintf(stderr, "cuda_host: a write outside of an allocation of %zu bytes\n",
                 allocation.bytes);
    state.is_poisoned = true;
    return kIllegalAddress;
  }
  return kSuccess;
}

/// True if the bytes lie in one allocation.
bool IsInside(uint64_t address, size_t bytes) {
  auto next = state.memory.upper_bound(address);
  if (next == state.memory.begin()) return false;
  const auto& [first, allocation] = *--next;
  return address + bytes <= first + allocation.bytes;
}

/// Counts a call; the error that a test asks for, or 0.
Result Enter(const char* name) {
  const int count = ++state.calls[name];
  const std::string fail = Environment("TENON_CUDA_HOST_FAIL");
  if (fail == std::string(name) + "=" + std::to_string(count)) {
    cuda_host::Log("%s fails", name);
    return std::strcmp(name, "cuMemAlloc") == 0 ? kOutOfMemory : kLaunchFailed;
  }
  return state.is_poisoned ? kIllegalAddress : kSuccess;
}

/// Runs now, or is captured.
Result Enqueue(Stream* stream, std::function<Result()> work) {
  if (stream->capture != nullptr) {
    stream->capture->nodes.push_back(std::move(work));
    return kSuccess;
  }
  return work();
}

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  Stream* stream;
  void* attributes;
  unsigned attribute_count;
};

// The structure of tenon_cuda_device.h.
struct Args {
  void* p[16];
};
using Kernel = void (*)(Args, int);

void RunBlocks(Kernel kernel, const Args& args, int blocks, bool is_backwards) {
  const int count = std::max(1, std::atoi(Environment("TENON_CUDA_HOST_THREADS", "1").c_str()));
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (int i = next++; i < blocks; i = next++) kernel(args, is_backwards ? blocks - 1 - i : i);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

/// The size of a shared object, which its last table ends.
size_t ObjectBytes(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return header.e_shoff + size_t{header.e_shentsize} * header.e_shnum;
}

}  // namespace

namespace cuda_host {

void Log(const char* format, ...) {
  const std::string path = Environment("TENON_CUDA_HOST_LOG");
  if (path.empty()) return;
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return;
  va_list list;
  va_start(list, format);
  std::vfprintf(file, format, list);
  va_end(list);
  std::fputc('\n', file);
  std::fclose(file);
}

int Run(void* stream, std::function<int()> work) {
  const std::lock_guard<std::mutex> hold(state.lock);
  return Enqueue(static_cast<Stream*>(stream), std::move(work));
}

}  // namespace cuda_host

#define LOCKED(name)                                  \
  const std::lock_guard<std::mutex> hold(state.lock); \
  if (const Result failed = Enter(name); failed != kSuccess) return failed

extern "C" {

Result cuInit(unsigned) {
  LOCKED("cuInit");
  return kSuccess;
}
Result cuDeviceGetCount(int* count) {
  *count = std::atoi(Environment("TENON_CUDA_HOST_DEVICES", "1").c_str());
  return kSuccess;
}
Result cuDeviceGet(int* device, int index) {
  *device = index;
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  const int capability = std::atoi(Environment("TENON_CUDA_HOST_ARCH", "90").c_str());
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : 0;
  return kSuccess;
}
Result cuGetErrorName(Result result, const char** name) {
  *name = result == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == kLaunchFailed   ? "CUDA_ERROR_LAUNCH_FAILED"
                                      : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}
Result cuDevicePrimaryCtxRetain(void** context, int) {
  LOCKED("cuDevicePrimaryCtxRetain");
  ++state.contexts;
  *context = &state;
  return kSuccess;
}
Result cuDevicePrimaryCtxRelease_v2(int) {
  const std::lock_guard<std::mutex> hold(state.lock);
  --state.contexts;
  return kSuccess;
}
Result cuCtxPushCurrent_v2(void*) { return kSuccess; }
Result cuCtxPopCurrent_v2(void** context) {
  *context = &state;
  return kSuccess;
}

Result cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  LOCKED("cuMemAlloc");
  const std::string limit = Environment("TENON_CUDA_HOST_MEMORY");
  if (bytes == 0) return kInvalidValue;
  if (!limit.empty() && state.used + bytes > std::stoull(limit)) return kOutOfMemory;
  const size_t all = (bytes + 2 * kGuardBytes + 255) / 256 * 256;
  char* block = static_cast<char*>(std::aligned_alloc(256, all));
  std::memset(block, kGuardByte, all);
  std::memset(block + kGuardBytes, kFreshByte, bytes);
  *address = reinterpret_cast<uint64_t>(block) + kGuardBytes;
  state.memory[*address] = {bytes, block};
  state.used += bytes;
  cuda_host::Log("allocate %zu", bytes);
  return kSuccess;
}
Result cuMemFree_v2(uint64_t address) {
  const std::lock_guard<std::mutex> hold(state.lock);
  const auto found = state.memory.find(address);
  if (found == state.memory.end()) return kInvalidValue;
  const Result result = CheckGuards();
  state.used -= found->second.bytes;
  std::free(found->second.block);
  state.memory.erase(found);
  return result;
}
Result cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, Stream* stream) {
  LOCKED("cuMemcpyHtoDAsync");
  if (!IsInside(to, bytes)) return kInvalidValue;
  cuda_host::Log("copy in %zu", bytes);
  return Enqueue(stream, [=] {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return kSuccess;
  });
}
Result cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, Stream* stream) {
  LOCKED("cuMemcpyDtoHAsync");
  if (!IsInside(from, bytes)) return kInvalidValue;
  cuda_host::Log("copy out %zu", bytes);
  return Enqueue(stream, [=] {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return kSuccess;
  });
}

Result cuStreamCreate(Stream** stream, unsigned) {
  LOCKED("cuStreamCreate");
  ++state.streams;
  *stream = new Stream;
  return kSuccess;
}
Result cuStreamDestroy_v2(Stream* stream) {
  const std::lock_guard<std::mutex> hold(state.lock);
  --state.streams;
  delete stream;
  return kSuccess;
}
Result cuStreamSynchronize(Stream*) {
  LOCKED("cuStreamSynchronize");
  return CheckGuards();
}
Result cuStreamBeginCapture_v2(Stream* stream, int) {
  LOCKED("cuStreamBeginCapture");
  if (stream->capture != nullptr) return kInvalidValue;
  stream->capture = new Graph;
  ++state.graphs;
  return kSuccess;
}
Result cuStreamEndCapture(Stream* stream, Graph** graph) {
  const std::lock_guard<std::mutex> hold(state.lock);
  *graph = stream->capture;
  stream->capture = nullptr;
  return *graph == nullptr ? kInvalidValue : kSuccess;
}
Result cuGraphInstantiateWithFlags(Graph** exec, Graph* graph, unsigned long long) {
  LOCKED("cuGraphInstantiate");
  *exec = new Graph(*graph);
  ++state.graphs;
  cuda_host::Log("graph of %zu nodes", graph->nodes.size());
  return kSuccess;
}
Result cuGraphUpload(Graph*, Stream*) { return kSuccess; }
Result cuGraphLaunch(Graph* exec, Stream*) {
  LOCKED("cuGraphLaunch");
  cuda_host::Log("launch graph");
  for (const auto& node : exec->nodes) {
    if (const Result result = node(); result != kSuccess) {
      state.is_poisoned = true;
      return result;
    }
  }
  return kSuccess;
}
Result cuGraphExecDestroy(Graph* exec) {
  const std::lock_guard<std::mutex> hold(state.lock);
  --state.graphs;
  delete exec;
  return kSuccess;
}
Result cuGraphDestroy(Graph* graph) {
  const std::lock_guard<std::mutex> hold(state.lock);
  --state.graphs;
  delete graph;
  return kSuccess;
}

Result cuModuleLoadData(Module** module, const void* image) {
  LOCKED("cuModuleLoadData");
  const size_t bytes = ObjectBytes(image);
  if (bytes == 0) return kInvalidImage;
  std::string path = Environment("TMPDIR", "/tmp") + "/cuda_host_XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return kInvalidImage;
  const bool is_written = write(file, image, bytes) == static_cast<ssize_t>(bytes);
  close(file);
  void* library = is_written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  if (library == nullptr) {
    std::fprintf(stderr, "cuda_host: %s\n", dlerror());
    return kInvalidImage;
  }
  if (Environment("TENON_CUDA_HOST_ORDER") == "backwards") {
    if (void* order = dlsym(library, "tn_backwards")) *static_cast<int*>(order) = 1;
  }
  ++state.modules;
  *module = new Module{library};
  return kSuccess;
}
Result cuModuleUnload(Module* module) {
  const std::lock_guard<std::mutex> hold(state.lock);
  --state.modules;
  dlclose(module->library);
  delete module;
  return kSuccess;
}
Result cuModuleGetFunction(void** function, Module* module, const char* name) {
  *function = dlsym(module->library, name);
  return *function == nullptr ? kNotFound : kSuccess;
}
Result cuLaunchKernelEx(const LaunchConfig* config, void* function, void** params, void**) {
  LOCKED("cuLaunchKernel");
  Args args;
  std::memcpy(&args, params[0], sizeof(args));
  const auto kernel = reinterpret_cast<Kernel>(function);
  const int blocks = static_cast<int>(config->grid[0]);
  const bool is_backwards = Environment("TENON_CUDA_HOST_ORDER") == "backwards";
  if (blocks <= 0 || config->block[0] == 0 || config->block[0] > 1024) return kInvalidValue;
  Dl_info info;
  if (dladdr(function, &info) != 0 && info.dli_sname != nullptr)
    cuda_host::Log("kernel %s, %d x %u", info.dli_sname, blocks, config->block[0]);
  return Enqueue(config->stream, [=] {
    RunBlocks(kernel, args, blocks, is_backwards);
    return kSuccess;
  });
}

Result cuEventCreate(void** event, unsigned) {
  LOCKED("cuEventCreate");
  ++state.events;
  *event = new int(0);
  return kSuccess;
}
Result cuEventDestroy_v2(void* event) {
  const std::lock_guard<std::mutex> hold(state.lock);
  --state.events;
  delete static_cast<int*>(event);
  return kSuccess;
}
Result cuEventRecord(void*, Stream*) { return kSuccess; }
Result cuEventElapsedTime(float* milliseconds, void*, void*) {
  *milliseconds = 1;
  return kSuccess;
}

}  // extern "C"

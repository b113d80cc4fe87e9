// NVRTC is opened when kernels are compiled, so that Tenon needs no CUDA to be built. Its log names
// lines of generated code, so only its beginning is shown.

#include "byoc/generators/cuda/compile_kernels.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "passes/function_choice.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr size_t kMostLog = 600;

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// The functions of NVRTC that are used.
class Nvrtc {
 public:
  using Program = void*;

  static absl::StatusOr<Nvrtc> Open() {
    std::vector<std::string> folders = {""};
    if (const std::string_view home = Environment("CUDA_HOME"); !home.empty())
      folders.push_back(fmt::format("{}/lib64/", home));
    folders.emplace_back("/usr/local/cuda/lib64/");
    for (const std::string& folder : folders) {
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
        void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) return Nvrtc(library);
      }
    }
    return absl::NotFoundError(
        "kernels are compiled by NVRTC, and neither libnvrtc.so.13 nor libnvrtc.so.12 can be "
        "opened; install CUDA's NVRTC, set CUDA_HOME to the folder of CUDA, or set "
        "TENON_CUDA_COMPILE=run so that the program compiles its kernels in its first run");
  }

  Nvrtc(Nvrtc&&) = default;

  absl::Status Compile(const std::string& source, int architecture, std::string& cubin,
                       std::string* ptx) const {
    Program program = nullptr;
    const auto create = Function<int(Program*, const char*, const char*, int, const char* const*,
                                     const char* const*)>("nvrtcCreateProgram");
    const auto destroy = Function<int(Program*)>("nvrtcDestroyProgram");
    const auto compile = Function<int(Program, int, const char* const*)>("nvrtcCompileProgram");
    if (create == nullptr || destroy == nullptr || compile == nullptr)
      return absl::InternalError("libnvrtc lacks the functions of NVRTC 12");
    int result = create(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr);
    if (result != 0) return absl::InternalError(fmt::format("NVRTC returns {}", result));
    const std::string arch = fmt::format("-arch=sm_{}", architecture);
    const char* const options[] = {arch.c_str(), "-std=c++17", "-fmad=false"};
    result = compile(program, std::size(options), options);
    absl::Status status;
    if (result != 0) {
      status = absl::InternalError(fmt::format(
          "NVRTC returns {} for the architecture {}: {}", result, architecture,
          Text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").substr(0, kMostLog)));
    } else {
      cubin = Text(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
      if (ptx != nullptr) *ptx = Text(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
      if (cubin.empty()) status = absl::InternalError("NVRTC makes no code");
    }
    destroy(&program);
    return status;
  }

 private:
  explicit Nvrtc(void* library) : library_(library) {}

  template <class F>
  F* Function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }

  std::string Text(Program program, const char* size_name, const char* text_name) const {
    const auto size = Function<int(Program, size_t*)>(size_name);
    const auto text = Function<int(Program, char*)>(text_name);
    size_t bytes = 0;
    if (size == nullptr || text == nullptr || size(program, &bytes) != 0) return {};
    std::string result(bytes, '\0');
    if (bytes == 0 || text(program, result.data()) != 0) return {};
    return result;
  }

  /// Never closed: NVRTC keeps threads and tables for the next use.
  void* library_;
};

}  // namespace

absl::StatusOr<KernelOptions> KernelOptionsFromEnvironment() {
  KernelOptions options;
  const std::string_view when = Environment("TENON_CUDA_COMPILE");
  if (!when.empty() && when != "run" && when != "build")
    return absl::InvalidArgumentError(
        fmt::format("TENON_CUDA_COMPILE is `{}`, expected `build` or `run`", when));
  options.as_source = when == "run";
  std::string_view list = Environment("TENON_CUDA_ARCH");
  if (list.empty()) list = "80,90";
  for (const std::string_view word : WordsOf(list)) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    // Kernels use instructions of the compute capability 8.0.
    if (error != std::errc() || end != word.data() + word.size() || number < 80 || number > 999)
      return absl::InvalidArgumentError(fmt::format(
          "TENON_CUDA_ARCH has `{}`, expected compute capabilities of 80 or more, such as `80,90`",
          word));
    options.architectures.push_back(number);
  }
  std::sort(options.architectures.begin(), options.architectures.end());
  const auto end = std::unique(options.architectures.begin(), options.architectures.end());
  options.architectures.erase(end, options.architectures.end());
  return options;
}

absl::StatusOr<std::vector<KernelImage>> CompileKernels(const std::string& source,
                                                        const KernelOptions& options) {
  std::vector<KernelImage> images;
  if (options.as_source) {
    // The run-time passes it on as a string of C.
    images.push_back({ImageKind::kSource, 0, source + '\0'});
    return images;
  }
  TENON_ASSIGN_OR(const Nvrtc nvrtc, Nvrtc::Open());
  std::string ptx;
  for (const int architecture : options.architectures) {
    KernelImage& image = images.emplace_back();
    image.architecture = architecture;
    TENON_TRY(
        nvrtc.Compile(source, architecture, image.bytes, images.size() == 1 ? &ptx : nullptr));
  }
  if (!ptx.empty())
    images.push_back({ImageKind::kPtx, options.architectures.front(), std::move(ptx)});
  return images;
}

}  // namespace tenon

// All functions of the target share kernels and one payload, so 24 equal layers need the kernels of
// only one.

#include "byoc/generators/cuda/cuda.h"

#include <fmt/format.h>

#include <algorithm>

#include "byoc/generators/cuda/compile_kernels.h"
#include "byoc/generators/cuda/device_function.h"
#include "ir/function_interface.h"
#include "lowering/runtime_files.h"

namespace tenon {

namespace {

/// Bytes of a state: TENON_CUDA_STATE_BYTES of runtime/tenon_cuda.h.
constexpr int64_t kStateBytes = 64;
/// The alignment of a payload and of its images, which the driver reads in place.
constexpr int64_t kImageAlignment = 64;

void AppendNumber(std::string& bytes, uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

void Align(std::string& bytes) {
  while (bytes.size() % kImageAlignment != 0) bytes += '\0';
}

/// The payload that tenon_cuda.c reads: images, then tables, which begin at `tables_offset`.
std::string PayloadOf(const std::vector<KernelImage>& images, const std::string& tables,
                      int64_t& tables_offset) {
  constexpr size_t kRowBytes = 32;
  std::string header = "TENONCU1";
  AppendNumber(header, images.size());
  std::string data(header.size() + images.size() * kRowBytes, '\0');
  for (const KernelImage& image : images) {
    Align(data);
    AppendNumber(header, static_cast<uint64_t>(image.kind));
    AppendNumber(header, static_cast<uint64_t>(image.architecture));
    AppendNumber(header, data.size());
    AppendNumber(header, image.bytes.size());
    data += image.bytes;
  }
  Align(data);
  tables_offset = static_cast<int64_t>(data.size());
  data += tables;
  return data.replace(0, header.size(), header);
}

class Cuda : public CodeGenerator {
 public:
  std::string_view name() const override { return "cuda"; }
  int64_t max_compared_ops() const override { return 1; }

  Support Supports(const OpInfo& op, const GeneratorTarget& target) const override {
    if (!op.bitwise && !target.may_reassociate) return Support::No("changes the order of sums");
    std::string because;
    return CodeOf(op, because) ? Support::Yes() : Support::No(std::move(because));
  }

  std::optional<std::vector<Support>> SupportsAll(std::span<const SupportQuestion> questions,
                                                  const GeneratorTarget& target, Context& context,
                                                  Diagnostics& diagnostics) const override {
    if (!CheckInstance(target, diagnostics)) return std::nullopt;
    return CodeGenerator::SupportsAll(questions, target, context, diagnostics);
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    GeneratedCode code;
    if (!CheckInstance(target, diagnostics)) return std::nullopt;
    if (functions.empty()) return code;
    KernelSet kernels;
    std::vector<DeviceFunction> made;
    for (const ExternalFunction& external : functions) {
      std::optional<DeviceFunction> function =
          MakeDeviceFunction(external, target, kernels, diagnostics);
      if (!function) return std::nullopt;
      made.push_back(*std::move(function));
    }
    const absl::StatusOr<std::vector<KernelImage>> images = Images(kernels);
    if (!images.ok()) {
      diagnostics.Error(
          DiagnosticKind::kGeneratorFailed, functions[0].function.func->range,
          fmt::format("`{}`: {}", target.name, std::string(images.status().message())));
      return std::nullopt;
    }
    Fill(made, kernels, *images, code);
    return code;
  }

 private:
  static bool CheckInstance(const GeneratorTarget& target, Diagnostics& diagnostics) {
    if (target.instance.empty() || target.instance == "0") return true;
    diagnostics.Error(
        DiagnosticKind::kUnknownTarget, {},
        fmt::format("the target `{}` is not possible yet: programs use one GPU, expected `cuda` or "
                    "`cuda:0`; CUDA_VISIBLE_DEVICES chooses the GPU",
                    target.name));
    return false;
  }

  static absl::StatusOr<std::vector<KernelImage>> Images(const KernelSet& kernels) {
    absl::StatusOr<KernelOptions> options = KernelOptionsFromEnvironment();
    if (!options.ok()) return std::move(options).status();
    if (kernels.size() == 0) return std::vector<KernelImage>();
    return CompileKernels(CudaDeviceHeader().text + kernels.text(), *options);
  }

  static void Fill(const std::vector<DeviceFunction>& functions, const KernelSet& kernels,
                   const std::vector<KernelImage>& images, GeneratedCode& code) {
    const std::string& first = functions[0].symbol;
    Payload& payload = code.payloads.emplace_back();
    int64_t tables_offset = 0;
    payload.name = first + "_kernels";
    payload.bytes = PayloadOf(images, kernels.tables(), tables_offset);
    payload.alignment = kImageAlignment;
    payload.runtime_symbol = first + "_run";
    for (const DeviceFunction& function : functions) {
      GeneratedFunction& made = code.functions.emplace_back();
      made.symbol = function.symbol;
      made.state_bytes = kStateBytes;
      made.init_symbol = DeviceInitName(function.symbol);
      made.fini_symbol = DeviceFiniName(function.symbol);
      made.payload = payload.name;
    }
    // Source has no architecture.
    int least = 80;
    for (const KernelImage& image : images) {
      if (&image == &images[0] || image.architecture < least)
        least = std::max(80, image.architecture);
    }
    code.sources.push_back({first + "_device.c",
                            DeviceTables(functions, payload.runtime_symbol, tables_offset, least)});
    for (EmittedFile& file : CudaRuntimeFiles()) code.sources.push_back(std::move(file));
    code.sources.push_back(ExternalHeader());
    code.link.libraries = {"dl", "pthread"};
  }
};

}  // namespace

std::unique_ptr<const CodeGenerator> CudaGenerator() { return std::make_unique<Cuda>(); }

}  // namespace tenon

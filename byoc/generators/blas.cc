// The library is searched for as a linker would, because otherwise a missing library would only be
// reported at link time. blas_operator.cc generates the calls.

#include "byoc/generators/blas.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "byoc/generators/blas_operator.h"
#include "byoc/generators/blas_updater.h"
#include "byoc/generators/external_body.h"
#include "fmt/format.h"
#include "schedule/op_loops.h"

namespace tenon {

namespace {

/// Libraries that provide the functions of cblas.h, the fastest first.
constexpr std::array<std::string_view, 4> kLibraries = {"openblas", "blis", "cblas", "blas"};

/// The folders that linkers search, if they are known without running a linker.
std::vector<std::string> DefaultFolders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("LIBRARY_PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const size_t colon = rest.find(':');
      if (colon != 0) folders.emplace_back(rest.substr(0, colon));
      rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
  }
  folders.emplace_back("/usr/local/lib");
  // Debian uses a separate folder for each architecture.
  std::error_code ignored;
  std::vector<std::string> multiarch;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib", ignored)) {
    const std::string path = entry.path().string();
    if (path.find("-linux-") != std::string::npos) multiarch.push_back(path);
  }
  std::sort(multiarch.begin(), multiarch.end());
  folders.insert(folders.end(), multiarch.begin(), multiarch.end());
  folders.insert(folders.end(), {"/usr/lib64", "/usr/lib", "/opt/homebrew/opt/openblas/lib"});
  return folders;
}

/// The first library that one of the folders contains; empty if there is none.
LinkNeeds FindLibrary(const std::vector<std::string>& folders) {
  LinkNeeds link;
  for (const std::string_view library : kLibraries) {
    for (const std::string& folder : folders) {
      for (const std::string_view ending : {".so", ".a", ".dylib"}) {
        std::error_code ignored;
        if (!std::filesystem::exists(fmt::format("{}/lib{}{}", folder, library, ending), ignored))
          continue;
        link.libraries = {std::string(library)};
        // Linkers search these folders by default.
        if (!folder.starts_with("/usr/")) link.library_folders = {folder};
        return link;
      }
    }
  }
  return link;
}

class Blas : public CodeGenerator {
 public:
  explicit Blas(BlasOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "blas"; }
  /// The values of constants are needed to write them as matrices.
  ConstantsAs constants(const GeneratorTarget&) const override { return ConstantsAs::kInside; }
  const ConstantUpdater* updater(const GeneratorTarget&) const override { return &updater_; }

  Support Supports(const OpInfo& op, const GeneratorTarget& target) const override {
    Support support = CanMakeBlasCalls(op);
    if (support.yes && !target.may_reassociate)
      return Support::No("BLAS adds floats in its own order");
    return support;
  }

  Support AcceptsRegion(const Region& region, const GeneratorTarget& target) const override {
    if (target.min_macs) return CodeGenerator::AcceptsRegion(region, target);
    for (const RegionOp& op : region.ops) {
      if (Support support = IsWorthBlas(op.info, target.host); !support.yes) return support;
    }
    return Support::Yes();
  }

  std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                        const GeneratorTarget& target,
                                        Diagnostics& diagnostics) const override {
    LinkNeeds link = LinkOf(target);
    if (link.libraries.empty()) {
      diagnostics.Error(DiagnosticKind::kMissingLibrary,
                        functions.empty() ? SourceRange() : functions[0].function.func->range,
                        fmt::format("found no BLAS with the interface of C for the target `{}`: "
                                    "install libopenblas-dev (scripts/setup.sh byoc), name the "
                                    "library as in `blas:openblas`, or leave out the target",
                                    target.name));
      return std::nullopt;
    }
    std::optional<ExternalBodies> bodies = MakeExternalBodies(
        functions, {.externs = BlasExterns()},
        [](NodeBuilder& builder, const OperatorToMake& op) { return MakeBlasCalls(builder, op); },
        diagnostics);
    if (!bodies) return std::nullopt;
    GeneratedCode code;
    code.functions = std::move(bodies->functions);
    code.tir = std::move(bodies->tir);
    code.link = std::move(link);
    return code;
  }

 private:
  LinkNeeds LinkOf(const GeneratorTarget& target) const {
    if (target.instance.empty())
      return FindLibrary(options_.folders ? *options_.folders : DefaultFolders());
    LinkNeeds link;
    link.libraries = {target.instance};
    return link;
  }

  BlasOptions options_;
  BlasUpdater updater_;
};

}  // namespace

std::unique_ptr<const CodeGenerator> BlasGenerator(BlasOptions options) {
  return std::make_unique<Blas>(std::move(options));
}

}  // namespace tenon

#include "compile/framework.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/emitted_names.h"
#include "lowering/entry/c_names.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

constexpr std::string_view kHeaderEnd = ".h";

bool IsSource(std::string_view name) {
  constexpr std::string_view kEnds[] = {".c", ".cc", ".cpp", ".S"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

/// `kws` of `tvmgen_kws`.
std::string_view ShortPrefix(std::string_view prefix) {
  constexpr std::string_view kPrefix = "tvmgen_";
  return prefix.starts_with(kPrefix) ? prefix.substr(kPrefix.size()) : prefix;
}

Artifact FileOf(std::string name, std::string text) {
  return {Artifact::Role::kRuntime, {std::move(name), std::move(text)}};
}

/// The facts about the program that all frameworks want.
struct Names {
  /// `kws`, or the name that several models share.
  std::string name;
  /// `the model kws`.
  std::string what;
  std::vector<std::string> sources;
};

Names NamesOf(const Artifacts& artifacts, const FrameworkOptions& options) {
  Names names;
  std::vector<std::string> models;
  for (const EmittedUnit& unit : artifacts.units) models.emplace_back(ShortPrefix(unit.abi.prefix));
  names.name = models.size() == 1 ? models[0] : SanitizeName(options.shared_name);
  names.what =
      fmt::format("the model{} {}", models.size() == 1 ? "" : "s", fmt::join(models, ", "));
  for (const Artifact& artifact : artifacts.files) {
    if (IsSource(artifact.file.name)) names.sources.push_back("src/" + artifact.file.name);
  }
  return names;
}

/// Zephyr has the C library with <math.h> only where an application asks for it.
std::vector<Artifact> ZephyrFiles(const Names& names, const FrameworkOptions& options) {
  const std::string symbol = "TENON_" + MacroName(names.name);
  const std::string made = fmt::format("# Made by {}.\n", options.program);
  return {
      FileOf("zephyr/module.yml", fmt::format("{}name: tenon_{}\n"
                                              "build:\n"
                                              "  cmake: .\n"
                                              "  kconfig: Kconfig\n",
                                              made, names.name)),
      FileOf("Kconfig", fmt::format("{0}config {1}\n"
                                    "\tbool \"Neural network: {2}\"\n"
                                    "\tselect REQUIRES_FULL_LIBC\n"
                                    "\thelp\n"
                                    "\t  Adds the C of {2} to the application.\n",
                                    made, symbol, names.what)),
      FileOf("CMakeLists.txt",
             fmt::format("{0}# The application gets this module with -DEXTRA_ZEPHYR_MODULES=<this "
                         "folder>, and\n# CONFIG_{1}=y in its prj.conf.\n"
                         "if(CONFIG_{1})\n"
                         "  zephyr_library()\n"
                         "  zephyr_library_sources(\n"
                         "    {2})\n"
                         "  zephyr_include_directories(src)\n"
                         "endif()\n",
                         made, symbol, fmt::join(names.sources, "\n    ")))};
}

/// The sketch of one model; it calls the model as the header says.
class Sketch {
 public:
  Sketch(const EntryAbi& abi, const FrameworkOptions& options)
      : abi_(abi), shares_workspace_(!options.shared_name.empty()), options_(options) {}

  /// False for a model that needs more than a sketch shows: rows that are fed one by one, or
  /// memory with constants that the caller fills.
  bool Applies() const {
    const auto feeds = [](const EntryField& field) { return field.row_bytes > 0; };
    return abi_.has_run && !abi_.needs_init && std::ranges::none_of(abi_.inputs, feeds) &&
           std::ranges::none_of(abi_.pools, &EntryPool::is_constant);
  }

  std::string Text() const {
    std::string text = fmt::format(
        "// Runs {} once a second, and prints its outputs. Made by {}.\n"
        "#include <Arduino.h>\n"
        "#include <{}.h>\n{}\n",
        ShortPrefix(abi_.prefix), options_.program, abi_.prefix,
        shares_workspace_ ? fmt::format("#include <tvmgen_{}.h>\n", options_.shared_name) : "");
    for (const bool is_output : {false, true}) {
      for (const EntryField& field : abi_.Fields(is_output)) {
        if (!field.is_mapped)
          text += Array(field.alignment, field.type, VariableOf(field, is_output), CountOf(field));
      }
    }
    if (!shares_workspace_) {
      for (const EntryPool& pool : abi_.pools)
        text +=
            Array(pool.alignment, "uint8_t", "pool_" + pool.name, std::to_string(pool.size_bytes));
    }
    if (!text.ends_with("\n\n")) text += "\n";
    return text +
           "void setup() {\n"
           "  Serial.begin(115200);\n"
           "}\n\n"
           "void loop() {\n" +
           Calls() + Prints() +
           "  delay(1000);\n"
           "}\n";
  }

 private:
  static std::string VariableOf(const EntryField& field, bool is_output) {
    return (is_output ? "output_" : "input_") + field.name;
  }
  static std::string CountOf(const EntryField& field) {
    return fmt::format("{} / sizeof({})", field.size_macro, field.type);
  }
  static std::string Array(int64_t alignment, std::string_view type, std::string_view name,
                           std::string_view count) {
    return fmt::format("alignas({}) static {} {}[{}];\n", alignment, type, name, count);
  }

  /// The struct of the pools, and what passes it to the functions.
  std::string PoolsText() const {
    if (abi_.pools.empty()) return "";
    std::string names;
    for (const EntryPool& pool : abi_.pools)
      names += fmt::format("{}pool_{}", names.empty() ? "" : ", ", pool.name);
    return fmt::format("  struct {}_workspace_pools pools = {};\n", abi_.prefix,
                       shares_workspace_ ? MacroName(abi_.prefix) + "_SHARED_POOLS"
                                         : fmt::format("{{{}}}", names));
  }

  /// The struct of inputs or outputs, and a pointer for each tensor in the workspace.
  std::string StructText(bool is_output) const {
    const std::vector<EntryField>& fields = abi_.Fields(is_output);
    if (fields.empty()) return "";
    const std::string_view name = is_output ? "outputs" : "inputs";
    std::string names;
    std::string after;
    for (const EntryField& field : fields) {
      const std::string variable = VariableOf(field, is_output);
      names += fmt::format("{}{}", names.empty() ? "" : ", ", variable);
      after += field.is_mapped ? fmt::format("  {0}* const {1} = static_cast<{0}*>({2}.{3});\n",
                                             field.type, variable, name, field.name)
                               : fmt::format("  {}.{} = {};\n", name, field.name, variable);
    }
    const std::string type = fmt::format("  struct {}_{} {} = ", abi_.prefix, name, name);
    if (!abi_.MapsAny(is_output)) return fmt::format("{}{{{}}};\n", type, names);
    return fmt::format("{}{}_map_{}({});\n{}", type, abi_.prefix, name,
                       abi_.pools.empty() ? "" : "&pools", after);
  }

  std::string Calls() const {
    std::vector<std::string> arguments;
    if (!abi_.MapsAll(false)) arguments.emplace_back("&inputs");
    if (!abi_.MapsAll(true)) arguments.emplace_back("&outputs");
    if (!abi_.pools.empty()) arguments.emplace_back("&pools");
    std::string wanted;
    for (const EntryField& field : abi_.inputs)
      wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", VariableOf(field, false));
    if (!wanted.empty()) wanted = fmt::format("  // Put your data into {} here.\n", wanted);
    for (const EntryField& field : abi_.inputs) {
      // Other tensors may have used the bytes since the last run.
      if (field.is_mapped)
        wanted += fmt::format("  memset({}, 0, {});\n", VariableOf(field, false), field.size_macro);
    }
    return PoolsText() + StructText(false) + StructText(true) + wanted +
           fmt::format(
               "  const int32_t status = {0}_run({1});\n"
               "  if (status != 0) {{\n"
               "    Serial.print(\"{0}_run returned \");\n"
               "    Serial.println(static_cast<long>(status));\n"
               "  }}\n",
               abi_.prefix, fmt::join(arguments, ", "));
  }

  std::string Prints() const {
    std::string text;
    for (const EntryField& field : abi_.outputs) {
      const bool is_float = field.type == "float" || field.type == "double";
      text += fmt::format(
          "  for (unsigned long i = 0; i < {0}; ++i) {{\n"
          "    Serial.print(\"{1} \");\n"
          "    Serial.println(static_cast<{2}>({3}[i]));\n"
          "  }}\n",
          CountOf(field), field.name, is_float ? "double" : "long", VariableOf(field, true));
    }
    return text;
  }

  const EntryAbi& abi_;
  const bool shares_workspace_;
  const FrameworkOptions& options_;
};

std::vector<Artifact> ArduinoFiles(const Names& names, const Artifacts& artifacts,
                                   const FrameworkOptions& options) {
  std::vector<std::string> headers;
  for (const EmittedUnit& unit : artifacts.units) headers.push_back(unit.abi.prefix + ".h");
  std::vector<Artifact> files = {
      FileOf("library.properties",
             fmt::format("name=tenon_{0}\n"
                         "version={1}\n"
                         "author=Tenon\n"
                         "maintainer=Tenon\n"
                         "sentence=A neural network as C: {2}.\n"
                         "paragraph=Made by {3}. The code needs no other library, and no heap.\n"
                         "category=Data Processing\n"
                         "url=\n"
                         "architectures=*\n"
                         "includes={4}\n",
                         names.name, options.version, names.what, options.program,
                         fmt::join(headers, ",")))};
  for (const EmittedUnit& unit : artifacts.units) {
    const Sketch sketch(unit.abi, options);
    const std::string_view name = ShortPrefix(unit.abi.prefix);
    if (sketch.Applies())
      files.push_back(FileOf(fmt::format("examples/{0}/{0}.ino", name), sketch.Text()));
  }
  return files;
}

}  // namespace

std::optional<Framework> FrameworkOf(std::string_view emit) {
  if (emit == "zephyr") return Framework::kZephyr;
  if (emit == "arduino") return Framework::kArduino;
  return std::nullopt;
}

CompileOptions FrameworkCompileOptions(CompileOptions options) {
  options.output = "c";
  options.constant_storage = ConstantStorage::kCArray;
  return options;
}

absl::StatusOr<std::vector<Artifact>> FrameworkFiles(Framework framework,
                                                     const Artifacts& artifacts,
                                                     const FrameworkOptions& options) {
  const Names names = NamesOf(artifacts, options);
  std::vector<Artifact> files = framework == Framework::kZephyr
                                    ? ZephyrFiles(names, options)
                                    : ArduinoFiles(names, artifacts, options);
  for (const Artifact& artifact : artifacts.files) {
    const std::string& name = artifact.file.name;
    if (!IsSource(name) && !name.ends_with(kHeaderEnd)) {
      return absl::InvalidArgumentError(fmt::format(
          "expected sources in C, which the framework compiles; found `{}`", ShownText(name)));
    }
    files.push_back(artifact);
    files.back().file.name = "src/" + name;
  }
  return files;
}

}  // namespace tenon

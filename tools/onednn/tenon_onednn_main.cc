#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/generators/program/request.h"
#include "ir/context.h"
#include "support/file.h"
#include "support/json_writer.h"
#include "tenon_onednn_text.h"
#include "tools/onednn/function_code.h"
#include "tools/onednn/generator_request.h"
#include "tools/onednn/library_op.h"
#include "tools/onednn/pack_weights.h"

// The code generator of the targets `onednn`: a program that answers to the requests of
// docs/guide/generators.md. docs/guide/onednn.md describes what it accepts.

namespace tenon {

namespace {

constexpr std::string_view kHelp =
    "Use: tenon run|compile model.py --targets=onednn\n"
    "     tenon run|compile model.py --targets=onednn --generator=onednn=\"tenon-onednn OPTIONS\"\n"
    "\n"
    "The code generator `onednn`. Tenon starts this program, and writes requests to its stdin.\n"
    "\n"
    "  --threads=N   threads of the library in the generated code (default: 1)\n"
    "  --unpacked    leave weights as they are, instead of packing them at compile time\n"
    "  --version     the version of the library, and the instructions that it uses\n";

/// Regions with fewer multiplications are not faster than the code of the host.
constexpr int64_t kMinMacs = 1'000'000;
/// The same for the mean of a region's operators, if the loops of the host have vectors of 64
/// bytes.
constexpr int64_t kMinOperatorMacs = 500'000;

class Answer {
 public:
  Answer() : json_(text_) {
    json_.BeginObject(JsonLayout::kLines);
    json_.Member("tenon_generator", kGeneratorProtocol);
  }
  JsonWriter& json() { return json_; }
  absl::Status Write() {
    json_.EndObject();
    return WriteFileAtomically("-", text_ + "\n");
  }

 private:
  std::string text_;
  JsonWriter json_;
};

absl::Status AnswerError(const absl::Status& status) {
  Answer answer;
  answer.json().Member("error", std::string(status.message()));
  return answer.Write();
}

absl::Status AnswerSupports(const GeneratorRequest& request, const LibraryOptions& options) {
  Answer answer;
  answer.json().Key("operators");
  answer.json().List(request.operators, JsonLayout::kLines, [&](const OpInfo& claim) {
    const bool packs = options.packs && claim.weights >= 0;
    absl::StatusOr<LibraryOp> made =
        MatchOperator(claim, request.may_reassociate, packs, options.threads);
    // Weights may be computed, so that there must also be code for the layout of the claim.
    if (packs || !made.ok()) {
      const absl::StatusOr<LibraryOp> plain =
          MatchOperator(claim, request.may_reassociate, false, options.threads);
      if (!plain.ok()) made = plain.status();
    }
    if (made.ok()) {
      answer.json().Value(true);
    } else {
      answer.json().Value(std::string(made.status().message()));
    }
  });
  answer.json().Member("min_macs", kMinMacs);
  answer.json().Member("min_operator_macs", request.has_fast_host ? kMinOperatorMacs : 0);
  answer.json().Member("packs", options.packs);
  return answer.Write();
}

absl::Status AnswerPack(const GeneratorRequest& request, const std::string& folder,
                        const LibraryOptions& options) {
  Answer answer;
  answer.json().Key("constants");
  answer.json().BeginList(JsonLayout::kLines);
  for (const RequestFunction& function : request.functions) {
    const absl::StatusOr<std::vector<PackedWeights>> packed =
        PackWeights(function, request, folder, options);
    if (!packed.ok()) return AnswerError(packed.status());
    for (const PackedWeights& each : *packed) {
      const std::string name = fmt::format("packed{}", each.constant);
      const absl::Status written =
          WriteFileAtomically(fmt::format("{}/{}", folder, name), each.bytes);
      if (!written.ok()) return AnswerError(written);
      answer.json().BeginObject(JsonLayout::kInline);
      answer.json().Member("constant", each.constant);
      answer.json().Member("file", name);
      answer.json().Member("dtype", "uint8");
      answer.json().Member("shape", std::vector<int64_t>{static_cast<int64_t>(each.bytes.size())});
      answer.json().Member("alignment", 64);
      answer.json().EndObject();
    }
  }
  answer.json().EndList();
  return answer.Write();
}

void WriteSource(JsonWriter& json, std::string_view name, std::string_view text) {
  json.BeginObject();
  json.Member("name", name);
  json.Member("text", text);
  json.EndObject();
}

void WriteFunction(JsonWriter& json, const FunctionCode& code) {
  json.BeginObject();
  json.Member("symbol", code.symbol);
  json.Member("workspace_bytes", code.workspace_bytes);
  json.Member("workspace_alignment", 64);
  json.Member("state_bytes", code.state_bytes);
  json.Member("init_symbol", code.init_symbol);
  json.Key("in_place");
  json.List(code.in_place, [&](const std::pair<size_t, size_t>& pair) {
    json.Value(
        std::vector<int64_t>{static_cast<int64_t>(pair.first), static_cast<int64_t>(pair.second)});
  });
  json.EndObject();
}

/// The version of oneDNN: `2.6.3`.
std::string LibraryVersion() {
  const int version = tenon_onednn_version();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

absl::Status AnswerGenerate(const GeneratorRequest& request, const LibraryOptions& options) {
  std::vector<FunctionCode> codes;
  std::string text =
      "/* Made by tenon-onednn: calls of oneDNN. */\n\n"
      "#include \"tenon_onednn.h\"\n\n#include <math.h>\n\n";
  for (const RequestFunction& function : request.functions) {
    absl::StatusOr<FunctionCode> code = MakeFunctionCode(function, request, options);
    if (!code.ok()) return AnswerError(code.status());
    text += code->text;
    codes.push_back(*std::move(code));
  }
  Answer answer;
  JsonWriter& json = answer.json();
  json.Key("functions");
  json.List(codes, JsonLayout::kLines,
            [&](const FunctionCode& code) { WriteFunction(json, code); });
  json.Key("sources");
  json.BeginList(JsonLayout::kLines);
  WriteSource(json, "tenon_onednn.h", kOnednnHeaderText);
  WriteSource(json, "tenon_onednn.c", kOnednnSourceText);
  if (!codes.empty()) WriteSource(json, fmt::format("{}_onednn.c", codes[0].symbol), text);
  json.EndList();
  json.Key("link");
  json.BeginObject();
  std::vector<std::string> libraries = {"dnnl"};
  if (tenon_onednn_has_openmp() != 0) libraries.emplace_back("gomp");
  json.Member("libraries", libraries);
#ifdef TENON_ONEDNN_INCLUDE
  json.Member("include_folders", std::vector<std::string>{TENON_ONEDNN_INCLUDE});
  json.Member("library_folders", std::vector<std::string>{TENON_ONEDNN_LIBRARY});
#endif
  json.EndObject();
  json.Member("checks", std::vector<std::string>{
                            fmt::format("tenon_onednn_version={}", tenon_onednn_version()),
                            fmt::format("tenon_onednn_isa={}", tenon_onednn_isa())});
  json.Member("version", LibraryVersion());
  return answer.Write();
}

/// The arguments of the program. The last one is the folder of the request.
struct Arguments {
  LibraryOptions options;
  std::string folder;
  bool is_wrong = false;
};

Arguments ReadArguments(const std::vector<std::string_view>& words) {
  Arguments read;
  for (const std::string_view word : words) {
    constexpr std::string_view kThreads = "--threads=";
    if (word == "--unpacked") {
      read.options.packs = false;
    } else if (word.starts_with(kThreads)) {
      const std::string_view number = word.substr(kThreads.size());
      const char* const end = number.data() + number.size();
      const auto [rest, error] = std::from_chars(number.data(), end, read.options.threads);
      read.is_wrong |= error != std::errc() || rest != end || read.options.threads < 1 ||
                       read.options.threads > 1024;
    } else if (word.starts_with("-") || !read.folder.empty()) {
      read.is_wrong = true;
    } else {
      read.folder = word;
    }
  }
  read.is_wrong |= read.folder.empty();
  return read;
}

absl::Status Run(const Arguments& arguments) {
  const auto input = ReadFile("-");
  if (!input.ok()) return input.status();
  Context context;
  const absl::StatusOr<GeneratorRequest> request = ReadGeneratorRequest((*input)->view(), context);
  if (!request.ok()) return AnswerError(request.status());
  if (request->action == "supports") return AnswerSupports(*request, arguments.options);
  if (request->action == "pack") return AnswerPack(*request, arguments.folder, arguments.options);
  return AnswerGenerate(*request, arguments.options);
}

int Main(const std::vector<std::string_view>& words) {
  if (words.size() == 1 && words[0] == "--help") {
    std::fputs(std::string(kHelp).c_str(), stdout);
    return 0;
  }
  if (words.size() == 1 && words[0] == "--version") {
    fmt::print("oneDNN {}, instructions {:#x}\n", LibraryVersion(),
               static_cast<unsigned>(tenon_onednn_isa()));
    return 0;
  }
  const Arguments arguments = ReadArguments(words);
  if (arguments.is_wrong) {
    std::fputs(std::string(kHelp).c_str(), stderr);
    return 1;
  }
  const absl::Status status = Run(arguments);
  if (status.ok()) return 0;
  std::fputs(fmt::format("tenon-onednn: {}\n", std::string(status.message())).c_str(), stderr);
  return 1;
}

}  // namespace

}  // namespace tenon

int main(int argc, char** argv) {
  return tenon::Main(std::vector<std::string_view>(argv + 1, argv + argc));
}

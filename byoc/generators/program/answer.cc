// An answer is untrusted input: sizes, names and paths are checked before any file is read. Files
// must be in the request's folder itself, so that an answer cannot name other files.

#include "byoc/generators/program/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "byoc/generators/program/request.h"
#include "ir/verifier.h"
#include "parser/parser.h"
#include "support/ascii.h"
#include "support/checked.h"
#include "support/file.h"
#include "support/json_checks.h"
#include "support/json_reader.h"

namespace tenon {

namespace {

/// The most bytes of all files that one answer names.
constexpr uint64_t kMostFileBytes = uint64_t{1} << 30;

/// True for a name that a command line and a comment in C can contain, and that has no folder.
bool IsPlainName(std::string_view name) {
  return name != "." && name != ".." && !name.starts_with('-') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return ascii::IsWordCharacter(c) || c == '.' || c == '+' || c == '-';
         });
}

/// True for the path of a folder that a comment in C can contain.
bool IsPlainPath(std::string_view path) {
  return path.find("*/") == std::string_view::npos &&
         std::none_of(path.begin(), path.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

/// A sentence of the program for a message or a report.
std::string Sentence(std::string_view text) {
  constexpr size_t kLongest = 400;
  if (text.size() <= kLongest) return EscapeControls(text);
  size_t end = kLongest;
  // Do not cut within a UTF-8 character.
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return EscapeControls(text.substr(0, end)) + "...";
}

/// A member that an object of an answer may have.
struct Member {
  std::string_view key;
  std::function<void(const JsonValue&)> read;
};

/// Whether a file is really in a folder: neither its name nor the folder's name is a link to
/// another location.
bool LiesIn(const std::string& folder, const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(folder).lexically_normal();
  std::error_code error;
  const fs::path place = fs::canonical(path.parent_path(), error) / path.filename();
  if (error) return false;
  const fs::path file = fs::canonical(place / name, error);
  if (error) return false;
  const auto [end, unused] = std::mismatch(place.begin(), place.end(), file.begin(), file.end());
  return end == place.end();
}

class AnswerReader {
 public:
  AnswerReader(const SourceFile& answer, Diagnostics& diagnostics)
      : checks_(answer, diagnostics),
        diagnostics_(diagnostics),
        errors_(diagnostics.error_count()) {}

  std::optional<SupportsAnswer> ReadSupports(size_t operators) {
    SupportsAnswer answer;
    const Member members[] = {
        {"operators", [&](const JsonValue& value) { ReadOperators(value, operators, answer); }},
        {"min_macs",
         [&](const JsonValue& value) { ReadInteger("`min_macs`", value, answer.min_macs); }},
        {"min_operator_macs",
         [&](const JsonValue& value) {
           ReadInteger("`min_operator_macs`", value, answer.min_operator_macs);
         }},
        {"constants", [&](const JsonValue& value) { ReadConstantsAs(value, answer.constants); }},
        {"packs",
         [&](const JsonValue& value) {
           answer.packs = checks_.Bool("`packs`", value).value_or(false);
         }},
    };
    if (!ReadRoot(members, "operators")) return std::nullopt;
    return answer;
  }

  std::optional<std::vector<UpdatedConstant>> ReadPacked(
      std::span<const FunctionConstant> constants, const std::string& folder) {
    std::vector<UpdatedConstant> made;
    const Member members[] = {
        {"constants",
         [&](const JsonValue& value) { ReadPackedConstants(value, constants, folder, made); }},
    };
    if (!ReadRoot(members, "constants")) return std::nullopt;
    return made;
  }

  std::optional<GeneratedCode> ReadGenerated(Context& context, std::string_view generator,
                                             const std::string& folder) {
    GeneratedCode code;
    const Member members[] = {
        {"functions", [&](const JsonValue& value) { ReadFunctions(value, code.functions); }},
        {"tir", [&](const JsonValue& value) { ReadTir(value, context, generator, code.tir); }},
        {"sources", [&](const JsonValue& value) { ReadFiles(value, folder, code.sources); }},
        {"objects", [&](const JsonValue& value) { ReadFiles(value, folder, code.objects); }},
        {"payloads", [&](const JsonValue& value) { ReadPayloads(value, folder, code.payloads); }},
        {"link", [&](const JsonValue& value) { ReadLink(value, code.link); }},
        {"checks", [&](const JsonValue& value) { ReadTexts("`checks`", value, code.checks); }},
        {"version", [&](const JsonValue& value) { ReadText("`version`", value, code.version); }},
    };
    if (!ReadRoot(members, "functions")) return std::nullopt;
    return code;
  }

 private:
  void Error(size_t offset, std::string message) {
    checks_.Error(DiagnosticKind::kGeneratorFailed, offset, std::move(message));
  }

  bool HasErrors() const { return diagnostics_.error_count() != errors_; }

  /// Reads the whole answer. The answer of a program that failed contains only the reason.
  bool ReadRoot(std::span<const Member> members, std::string_view required) {
    JsonLimits limits;
    limits.max_values = 1'000'000;
    limits.max_depth = 16;
    limits.duplicates = JsonDuplicates::kKeepAll;  // reported with the other errors
    const std::optional<JsonValue> root = checks_.Parse(limits);
    if (!root) return false;
    if (checks_.Object("the answer", *root) == nullptr || !CheckVersion(*root)) return false;
    if (const JsonValue* error = root->Find("error")) {
      if (const std::string* text = checks_.Text("`error`", *error))
        Error(error->offset(), fmt::format("the code generator says: {}", Sentence(*text)));
      return false;
    }
    std::vector<Member> all = {
        {"tenon_generator", [](const JsonValue&) {}},
        {"stays", [&](const JsonValue& value) { (void)checks_.Bool("`stays`", value); }}};
    all.insert(all.end(), members.begin(), members.end());
    ReadObject("the answer", *root, all, required);
    return !HasErrors();
  }

  bool CheckVersion(const JsonValue& root) {
    const JsonValue* version = root.Find("tenon_generator");
    const std::optional<int64_t> number = version == nullptr ? std::nullopt : version->as_int64();
    if (number && *number >= kGeneratorProtocol && *number <= kNewestGeneratorProtocol) return true;
    Error(
        version == nullptr ? root.offset() : version->offset(),
        fmt::format("expected `\"tenon_generator\": {}`, or {}, the version of the protocol, found "
                    "{}",
                    kGeneratorProtocol, kNewestGeneratorProtocol,
                    version == nullptr ? "no such member"
                    : number           ? fmt::format("{}", *number)
                                       : std::string(version->kind_name())));
    return false;
  }

  /// Reads the members of an object. `required`, unless empty, must be among them.
  void ReadObject(std::string_view what, const JsonValue& value, std::span<const Member> members,
                  std::string_view required) {
    const JsonValue::Object* object = checks_.Object(what, value);
    if (object == nullptr) return;
    bool has_required = required.empty();
    for (size_t i = 0; i < object->size(); ++i) {
      const JsonMember& member = (*object)[i];
      if (checks_.IsDuplicate(*object, i)) continue;
      has_required |= member.key == required;
      const auto found = std::find_if(members.begin(), members.end(),
                                      [&](const Member& each) { return each.key == member.key; });
      if (found != members.end()) {
        found->read(member.value);
        continue;
      }
      std::vector<std::string_view> keys;
      for (const Member& each : members) keys.push_back(each.key);
      Error(member.key_offset, fmt::format("unknown member `{}` of {}, expected one of {}",
                                           ShownText(member.key), what, fmt::join(keys, ", ")));
    }
    if (!has_required) Error(value.offset(), fmt::format("{} has no `{}`", what, required));
  }

  void ReadInteger(std::string_view what, const JsonValue& value, int64_t& number) {
    number = checks_.Integer(what, value, 0, INT64_MAX).value_or(number);
  }

  void ReadOperators(const JsonValue& value, size_t expected, SupportsAnswer& answer) {
    const JsonValue::Array* list = checks_.List("`operators`", value);
    if (list == nullptr) return;
    if (list->size() != expected) {
      return Error(value.offset(), fmt::format("expected an answer for each of {} operators, found "
                                               "{} answers",
                                               expected, list->size()));
    }
    for (const JsonValue& item : *list) {
      const bool* yes = item.as_bool();
      if (yes != nullptr && *yes) {
        answer.operators.push_back(Support::Yes());
      } else if (item.as_string() != nullptr && !item.as_string()->empty()) {
        answer.operators.push_back(Support::No(Sentence(*item.as_string())));
      } else {
        Error(item.offset(),
              "expected `true`, or the reason why there is no code for the operator, as a string");
      }
    }
  }

  void ReadConstantsAs(const JsonValue& value, ConstantsAs& constants) {
    const std::string* text = value.as_string();
    if (text != nullptr && *text == "inside") {
      constants = ConstantsAs::kInside;
    } else if (text == nullptr || *text != "arguments") {
      Error(value.offset(), "expected `constants` to be \"arguments\" or \"inside\"");
    }
  }

  void ReadFunctions(const JsonValue& value, std::vector<GeneratedFunction>& functions) {
    const JsonValue::Array* list = checks_.List("`functions`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) ReadFunction(item, functions.emplace_back());
  }

  void ReadFunction(const JsonValue& value, GeneratedFunction& function) {
    const auto integer = [this](std::string_view what, int64_t& number) {
      return [this, what, &number](const JsonValue& item) { ReadInteger(what, item, number); };
    };
    const Member members[] = {
        {"symbol", [&](const JsonValue& item) { ReadText("`symbol`", item, function.symbol); }},
        {"effects", [&](const JsonValue& item) { ReadEffects(item, function.effects); }},
        {"workspace_bytes", integer("`workspace_bytes`", function.workspace_bytes)},
        {"workspace_alignment", integer("`workspace_alignment`", function.workspace_alignment)},
        {"state_bytes", integer("`state_bytes`", function.state_bytes)},
        {"in_place", [&](const JsonValue& item) { ReadPairs(item, function.in_place); }},
        {"init_symbol",
         [&](const JsonValue& item) { ReadText("`init_symbol`", item, function.init_symbol); }},
        {"fini_symbol",
         [&](const JsonValue& item) { ReadText("`fini_symbol`", item, function.fini_symbol); }},
        {"payload", [&](const JsonValue& item) { ReadText("`payload`", item, function.payload); }},
        {"may_fail",
         [&](const JsonValue& item) {
           function.may_fail = checks_.Bool("`may_fail`", item).value_or(true);
         }},
    };
    ReadObject("a function", value, members, "symbol");
  }

  void ReadText(std::string_view what, const JsonValue& value, std::string& text) {
    if (const std::string* found = checks_.Text(what, value)) text = *found;
  }

  void ReadTexts(std::string_view what, const JsonValue& value, std::vector<std::string>& texts) {
    const JsonValue::Array* list = checks_.List(what, value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) ReadText("an element", item, texts.emplace_back());
  }

  /// Reads letters for each argument; numbers have no letters.
  void ReadEffects(const JsonValue& value, std::vector<std::string>& effects) {
    const JsonValue::Array* list = checks_.List("`effects`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      if (item.as_string() == nullptr) {
        checks_.WrongType("an effect", item, "a string");
      } else {
        effects.push_back(*item.as_string());
      }
    }
  }

  void ReadPairs(const JsonValue& value, std::vector<std::pair<int, int>>& pairs) {
    const JsonValue::Array* list = checks_.List("`in_place`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      const JsonValue::Array* pair = checks_.List("a pair of `in_place`", item);
      if (pair == nullptr) continue;
      if (pair->size() != 2) {
        Error(item.offset(), "expected a pair of an input and an output");
        continue;
      }
      const auto input = checks_.Integer("an index", (*pair)[0], 0, INT_MAX);
      const auto output = checks_.Integer("an index", (*pair)[1], 0, INT_MAX);
      if (input && output) pairs.emplace_back(static_cast<int>(*input), static_cast<int>(*output));
    }
  }

  /// Reads functions in TVMScript.
  void ReadTir(const JsonValue& value, Context& context, std::string_view generator,
               std::vector<Function>& tir) {
    const std::string* text = checks_.Text("`tir`", value);
    if (text == nullptr) return;
    const std::optional<IRModule> module = ParseModule(
        context, fmt::format("<tir of {}>", generator), *text, nullptr, {}, diagnostics_);
    if (!module || !VerifyModule(*module, diagnostics_)) return;
    if (!module->constants.empty() || !module->attrs()->items.empty()) {
      return Error(value.offset(),
                   "expected only functions in `tir`, found attributes of the module; constants "
                   "are arguments, or data in sources and objects, and `tenon.externs` is an "
                   "attribute of each function");
    }
    tir = module->functions();
  }

  /// Reads files whose contents are in the answer, or that the program wrote.
  void ReadFiles(const JsonValue& value, const std::string& folder,
                 std::vector<EmittedFile>& files) {
    const JsonValue::Array* list = checks_.List("a list of files", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      EmittedFile file;
      bool has_text = false;
      const Member members[] = {
          {"name", [&](const JsonValue& name) { ReadName("a file", name, file.name); }},
          {"text",
           [&](const JsonValue& text) {
             has_text = true;
             if (text.as_string() == nullptr) return checks_.WrongType("`text`", text, "a string");
             file.text = *text.as_string();
           }},
      };
      ReadObject("a file", item, members, "name");
      if (!has_text && !file.name.empty()) ReadFileOf(item, folder, file);
      files.push_back(std::move(file));
    }
  }

  /// Reads payloads, whose bytes are files that the program wrote.
  void ReadPayloads(const JsonValue& value, const std::string& folder,
                    std::vector<Payload>& payloads) {
    const JsonValue::Array* list = checks_.List("`payloads`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      EmittedFile file;
      Payload payload;
      const Member members[] = {
          {"name", [&](const JsonValue& name) { ReadName("a payload", name, file.name); }},
          {"alignment",
           [&](const JsonValue& bytes) { ReadInteger("`alignment`", bytes, payload.alignment); }},
          {"runtime_symbol",
           [&](const JsonValue& name) {
             ReadText("`runtime_symbol`", name, payload.runtime_symbol);
           }},
      };
      ReadObject("a payload", item, members, "name");
      if (!file.name.empty()) ReadFileOf(item, folder, file);
      payload.name = std::move(file.name);
      payload.bytes = std::move(file.text);
      payloads.push_back(std::move(payload));
    }
  }

  /// Reads constants in the program's layout, whose bytes are files that the program wrote.
  void ReadPackedConstants(const JsonValue& value, std::span<const FunctionConstant> constants,
                           const std::string& folder, std::vector<UpdatedConstant>& made) {
    const JsonValue::Array* list = checks_.List("`constants`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) {
      std::optional<int64_t> index;
      EmittedFile file;
      UpdatedConstant now;
      const Member members[] = {
          {"constant",
           [&](const JsonValue& number) {
             index = checks_.Integer("`constant`", number, 0,
                                     static_cast<int64_t>(constants.size()) - 1);
           }},
          {"file", [&](const JsonValue& name) { ReadName("a file", name, file.name); }},
          {"dtype", [&](const JsonValue& text) { ReadDType(text, now.dtype); }},
          {"shape", [&](const JsonValue& shape) { ReadShape(shape, now.shape); }},
          {"alignment",
           [&](const JsonValue& bytes) {
             ReadInteger("`alignment`", bytes, now.placement.alignment);
           }},
      };
      ReadObject("a constant", item, members, "constant");
      if (!index) continue;
      if (std::any_of(made.begin(), made.end(), [&](const UpdatedConstant& other) {
            return other.replaces == static_cast<size_t>(*index);
          }))
        Error(item.offset(), fmt::format("constant {} is packed twice", *index));
      const FunctionConstant& old = constants[static_cast<size_t>(*index)];
      const int64_t alignment = now.placement.alignment;
      now.placement = old.constant->placement();
      now.placement.alignment = std::max(now.placement.alignment, alignment);
      now.replaces = static_cast<size_t>(*index);
      if (file.name.empty()) {
        Error(item.offset(), "a constant has no `file`");
      } else {
        ReadFileOf(item, folder, file);
      }
      now.SetBytes({file.text.begin(), file.text.end()});
      CheckPacked(item, now);
      made.push_back(std::move(now));
    }
  }

  /// An error unless the bytes have the type and the shape of the answer.
  void CheckPacked(const JsonValue& item, const UpdatedConstant& now) {
    if (HasErrors()) return;
    if (now.dtype.bytes() <= 0) return Error(item.offset(), "a constant has no `dtype`");
    const std::optional<int64_t> bytes = BytesOf(now.shape, now.dtype.bytes());
    const auto found = static_cast<int64_t>(now.source.bytes.size());
    if (!bytes || *bytes != found) {
      Error(item.offset(), fmt::format("expected a file of {} bytes for {}[{}], found {} bytes",
                                       bytes ? fmt::format("{}", *bytes) : "at most 2^62",
                                       now.dtype.ToString(), fmt::join(now.shape, ", "), found));
    }
    if (now.placement.alignment != 0 && !IsPowerOfTwo(now.placement.alignment)) {
      Error(item.offset(),
            fmt::format("`alignment` is {}, expected a power of two", now.placement.alignment));
    }
  }

  void ReadDType(const JsonValue& value, DataType& dtype) {
    const std::string* text = checks_.Text("`dtype`", value);
    if (text == nullptr) return;
    const std::optional<DataType> parsed = DataType::Parse(*text);
    if (parsed && parsed->is_scalar() && !parsed->is_handle()) {
      dtype = *parsed;
    } else {
      Error(value.offset(),
            fmt::format("expected a type of numbers, found `{}`", ShownText(*text)));
    }
  }

  void ReadShape(const JsonValue& value, std::vector<int64_t>& shape) {
    const JsonValue::Array* list = checks_.List("`shape`", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) ReadInteger("an extent", item, shape.emplace_back());
  }

  void ReadName(std::string_view what, const JsonValue& value, std::string& name) {
    const std::string* text = checks_.Text("a name", value);
    if (text == nullptr) return;
    if (IsPlainName(*text)) {
      name = *text;
    } else {
      Error(value.offset(), fmt::format("expected the name of {} in letters, digits and `._+-`, "
                                        "found `{}`",
                                        what, ShownText(*text)));
    }
  }

  void ReadFileOf(const JsonValue& value, const std::string& folder, EmittedFile& file) {
    ReadFileOptions options;
    options.regular_only = true;
    const auto bytes = ReadFile(fmt::format("{}/{}", folder, file.name), options);
    if (bytes.ok() && !LiesIn(folder, file.name)) {
      return Error(value.offset(),
                   fmt::format("expected a file `{}` in the folder of the request, found a link to "
                               "another place; copy the file",
                               file.name));
    }
    if (!bytes.ok()) {
      return Error(value.offset(),
                   fmt::format("expected the file `{}` in the folder of the request, found none",
                               file.name));
    }
    file_bytes_ += (*bytes)->size();
    if (file_bytes_ > kMostFileBytes) {
      return Error(value.offset(),
                   fmt::format("the files have more than {} bytes together", kMostFileBytes));
    }
    file.text = (*bytes)->view();
  }

  void ReadLink(const JsonValue& value, LinkNeeds& link) {
    const Member members[] = {
        {"libraries", [&](const JsonValue& item) { ReadNames("a library", item, link.libraries); }},
        {"library_folders", [&](const JsonValue& item) { ReadPaths(item, link.library_folders); }},
        {"include_folders", [&](const JsonValue& item) { ReadPaths(item, link.include_folders); }},
        {"packages", [&](const JsonValue& item) { ReadNames("a package", item, link.packages); }},
        {"cxx",
         [&](const JsonValue& item) { link.cxx = checks_.Bool("`cxx`", item).value_or(false); }},
    };
    ReadObject("`link`", value, members, {});
  }

  void ReadNames(std::string_view what, const JsonValue& value, std::vector<std::string>& names) {
    const JsonValue::Array* list = checks_.List("a list of names", value);
    if (list == nullptr) return;
    for (const JsonValue& item : *list) ReadName(what, item, names.emplace_back());
  }

  void ReadPaths(const JsonValue& value, std::vector<std::string>& paths) {
    ReadTexts("a list of folders", value, paths);
    for (const std::string& path : paths) {
      if (!IsPlainPath(path))
        Error(value.offset(), fmt::format("`{}` is not the path of a folder", ShownText(path)));
    }
  }

  JsonChecks checks_;
  Diagnostics& diagnostics_;
  const size_t errors_;
  uint64_t file_bytes_ = 0;
};

}  // namespace

bool IsAnswerThatStays(std::string_view text) {
  constexpr std::string_view kHead = "{\"tenon_generator\":2,\"stays\":true";
  if (!text.ends_with('\n') || text.find('\n') != text.size() - 1) return false;
  size_t at = 0;
  for (const char c : text) {
    if (at == kHead.size()) return true;
    if (c == ' ') continue;
    if (c != kHead[at]) return false;
    ++at;
  }
  return false;
}

std::optional<SupportsAnswer> ReadSupportsAnswer(const SourceFile& answer, size_t operators,
                                                 Diagnostics& diagnostics) {
  return AnswerReader(answer, diagnostics).ReadSupports(operators);
}

std::optional<std::vector<UpdatedConstant>> ReadPackAnswer(
    const SourceFile& answer, std::span<const FunctionConstant> constants,
    const std::string& folder, Diagnostics& diagnostics) {
  return AnswerReader(answer, diagnostics).ReadPacked(constants, folder);
}

std::optional<GeneratedCode> ReadGenerateAnswer(Context& context, const SourceFile& answer,
                                                std::string_view generator,
                                                const std::string& folder,
                                                Diagnostics& diagnostics) {
  return AnswerReader(answer, diagnostics).ReadGenerated(context, generator, folder);
}

}  // namespace tenon

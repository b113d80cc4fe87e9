#include "passes/pools_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "absl/container/flat_hash_map.h"
#include "support/checked.h"
#include "support/file.h"
#include "support/json_reader.h"

namespace tenon {

namespace {

/// Cost figures beyond this are no figures.
constexpr int64_t kMostFigure = int64_t{1} << 40;

constexpr std::array<std::string_view, 12> kMembers = {"name",
                                                       "kind",
                                                       "size_bytes",
                                                       "alignment",
                                                       "base_address",
                                                       "internal",
                                                       "section",
                                                       "clock_frequency_hz",
                                                       "read_bandwidth_bytes_per_cycle",
                                                       "write_bandwidth_bytes_per_cycle",
                                                       "read_latency_cycles",
                                                       "write_latency_cycles"};

/// Where the token that starts at `offset` ends; a bracket is a token of its own.
size_t EndOfToken(std::string_view text, size_t offset) {
  if (offset >= text.size()) return text.size();
  size_t end = offset + 1;
  if (text[offset] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (text[offset] == '{' || text[offset] == '[') return end;
  return std::min(text.find_first_of(" \t\r\n,:]}", end), text.size());
}

/// What a section may be called without harm to the C text that has it in quotes.
bool IsSectionName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
}

class PoolsReader {
 public:
  PoolsReader(const SourceFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  std::optional<std::vector<PoolInfo>> Read() {
    const size_t errors = diagnostics_.error_count();
    JsonLimits limits;
    limits.max_bytes = size_t{1} << 20;
    limits.max_values = 100'000;
    limits.max_depth = 8;
    limits.duplicates = JsonDuplicates::kKeepAll;  // reported with all else
    JsonError error;
    const absl::StatusOr<JsonValue> root = ParseJson(file_.text(), limits, &error);
    if (!root.ok()) {
      Error(DiagnosticKind::kSyntax, error.offset, error.message);
      return std::nullopt;
    }
    ReadRoot(*root);
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return std::move(pools_);
  }

 private:
  SourceRange RangeAt(size_t offset) const {
    const auto at = static_cast<uint32_t>(offset);
    const auto end = static_cast<uint32_t>(EndOfToken(file_.text(), offset));
    return {file_.base() + at, file_.base() + std::max(end, at + 1)};
  }
  Diagnostic& Error(DiagnosticKind kind, size_t offset, std::string message) {
    return diagnostics_.Error(kind, RangeAt(offset), std::move(message));
  }
  void WrongType(std::string_view what, const JsonValue& value, std::string_view expected) {
    Error(DiagnosticKind::kType, value.offset(),
          fmt::format("{} is {} {}, expected {}", what,
                      value.as_array() != nullptr || value.as_object() != nullptr ||
                              value.kind_name() == "integer"
                          ? "an"
                          : "a",
                      value.kind_name(), expected));
  }

  void ReadRoot(const JsonValue& root) {
    const JsonValue* list = &root;
    if (const JsonValue::Object* members = root.as_object()) {
      list = nullptr;
      for (const JsonMember& member : *members) {
        if (member.key != "pools") {
          Error(DiagnosticKind::kArguments, member.key_offset,
                fmt::format("unknown member `{}`, expected `pools`", Shown(member.key)));
        } else if (list != nullptr) {
          Error(DiagnosticKind::kDuplicateName, member.key_offset, "`pools` is given already");
        } else {
          list = &member.value;
        }
      }
      if (list == nullptr) {
        Error(DiagnosticKind::kArguments, root.offset(), "the object has no list `pools`");
        return;
      }
    }
    const JsonValue::Array* items = list->as_array();
    if (items == nullptr) return WrongType("the root", *list, "a list of pools");
    if (items->empty()) Error(DiagnosticKind::kArguments, list->offset(), "the list has no pools");
    if (items->size() > kMostPools) {
      Error(DiagnosticKind::kLimit, (*items)[kMostPools].offset(),
            fmt::format("{} pools, more than the limit of {}", items->size(), kMostPools));
      return;
    }
    for (const JsonValue& item : *items) ReadPool(item);
  }

  void ReadPool(const JsonValue& value) {
    const JsonValue::Object* members = value.as_object();
    if (members == nullptr) return WrongType("a pool", value, "an object");
    PoolInfo pool;
    absl::flat_hash_map<std::string, size_t> seen;
    for (const JsonMember& member : *members) {
      const auto [first, is_new] = seen.try_emplace(member.key, member.key_offset);
      if (is_new) {
        ReadMember(member, pool);
        continue;
      }
      Diagnostic& error = Error(DiagnosticKind::kDuplicateName, member.key_offset,
                                fmt::format("`{}` is given already", Shown(member.key)));
      Diagnostics::AddNote(error, RangeAt(first->second), "given here");
    }
    if (!seen.contains("name"))
      Error(DiagnosticKind::kArguments, value.offset(), "the pool has no `name`");
    if (pool.is_internal && seen.contains("base_address")) {
      Error(DiagnosticKind::kArguments, seen.at("base_address"),
            "the linker gives an internal pool its address; only a pool of the caller has a known "
            "one");
    }
    if (!pool.is_internal && seen.contains("section")) {
      Error(DiagnosticKind::kArguments, seen.at("section"),
            "only the storage of an internal pool has a section");
    }
    pools_.push_back(std::move(pool));
  }

  void ReadMember(const JsonMember& member, PoolInfo& pool) {
    const std::string& key = member.key;
    const JsonValue& value = member.value;
    if (key == "name") return ReadName(value, pool);
    if (key == "kind") return ReadKind(value, pool);
    if (key == "section") return ReadSection(value, pool);
    if (key == "internal") {
      if (value.as_bool() == nullptr) return WrongType("`internal`", value, "true or false");
      pool.is_internal = *value.as_bool();
      return;
    }
    PoolCostInfo& cost = pool.cost;
    if (key == "size_bytes") return ReadInt(member, 0, kMostPoolSize, pool.size_hint_bytes);
    if (key == "base_address") return ReadAddress(member, pool.base_address);
    if (key == "alignment") return ReadAlignment(member, pool);
    if (key == "clock_frequency_hz")
      return ReadInt(member, 1, kMostFigure, cost.clock_frequency_hz);
    if (key == "read_bandwidth_bytes_per_cycle")
      return ReadInt(member, 1, kMostFigure, cost.read_bandwidth_bytes_per_cycle);
    if (key == "write_bandwidth_bytes_per_cycle")
      return ReadInt(member, 1, kMostFigure, cost.write_bandwidth_bytes_per_cycle);
    if (key == "read_latency_cycles")
      return ReadInt(member, 0, kMostFigure, cost.read_latency_cycles);
    if (key == "write_latency_cycles")
      return ReadInt(member, 0, kMostFigure, cost.write_latency_cycles);
    Error(DiagnosticKind::kArguments, member.key_offset,
          fmt::format("unknown member `{}` of a pool, expected one of {}", Shown(key),
                      fmt::join(kMembers, ", ")));
  }

  void ReadName(const JsonValue& value, PoolInfo& pool) {
    const std::string* name = value.as_string();
    if (name == nullptr) return WrongType("`name`", value, "a string");
    const bool plain = std::all_of(name->begin(), name->end(),
                                   [](char c) { return c >= ' ' && c < 0x7f; });
    if (name->empty() || name->size() > 100 || !plain) {
      Error(DiagnosticKind::kLiteral, value.offset(),
            "the name of a pool has 1 to 100 printable ASCII characters");
      return;
    }
    const auto [first, is_new] = names_.try_emplace(*name, value.offset());
    if (!is_new) {
      Diagnostic& error = Error(DiagnosticKind::kDuplicateName, value.offset(),
                                fmt::format("two pools have the name `{}`", *name));
      Diagnostics::AddNote(error, RangeAt(first->second), "the first is here");
    }
    pool.name = *name;
  }

  void ReadKind(const JsonValue& value, PoolInfo& pool) {
    const std::string* kind = value.as_string();
    if (kind == nullptr) return WrongType("`kind`", value, "`read-write` or `read-only`");
    pool.is_constant = *kind == "read-only";
    if (pool.is_constant || *kind == "read-write") return;
    Error(DiagnosticKind::kLiteral, value.offset(),
          fmt::format("unknown kind `{}`, expected `read-write` or `read-only`", Shown(*kind)));
  }

  void ReadSection(const JsonValue& value, PoolInfo& pool) {
    const std::string* section = value.as_string();
    if (section == nullptr) return WrongType("`section`", value, "a string");
    pool.section = *section;
    if (IsSectionName(*section)) return;
    Error(DiagnosticKind::kLiteral, value.offset(),
          "the name of a section has printable ASCII characters, but no blanks, quotes or "
          "backslashes");
  }

  void ReadInt(const JsonMember& member, int64_t least, int64_t most, int64_t& out) {
    const std::optional<int64_t> value = member.value.as_int64();
    if (value && *value >= least && *value <= most) {
      out = *value;
      return;
    }
    if (!member.value.as_double())
      return WrongType(fmt::format("`{}`", member.key), member.value, "an integer");
    const size_t at = member.value.offset();
    const std::string_view token =
        file_.text().substr(at, EndOfToken(file_.text(), at) - at);
    Error(DiagnosticKind::kLiteral, at,
          fmt::format("`{}` is {}, expected an integer from {} to {}", member.key, Shown(token),
                      least, most));
  }

  void ReadAlignment(const JsonMember& member, PoolInfo& pool) {
    int64_t value = 0;
    ReadInt(member, 1, kMostPoolAlignment, value);
    if (value == 0) return;
    pool.alignment = value;
    if (IsPowerOfTwo(value)) return;
    Error(DiagnosticKind::kLiteral, member.value.offset(),
          fmt::format("`alignment` is {}, expected a power of two", value));
  }

  /// JSON has no hexadecimal numbers, in which addresses are written: a string may have one.
  void ReadAddress(const JsonMember& member, int64_t& out) {
    const std::string* text = member.value.as_string();
    if (text == nullptr) return ReadInt(member, 0, kMostPoolSize, out);
    const char* const end = text->data() + text->size();
    int64_t value = -1;
    if (text->starts_with("0x")) {
      const auto [stop, code] = std::from_chars(text->data() + 2, end, value, 16);
      if (code == std::errc() && stop == end && value >= 0 && value <= kMostPoolSize) {
        out = value;
        return;
      }
    }
    Error(DiagnosticKind::kLiteral, member.value.offset(),
          fmt::format("`base_address` is `{}`, expected a number, or one like `0x20000000` below "
                      "2^62",
                      Shown(*text)));
  }

  /// What was written, cut where it is long.
  static std::string Shown(std::string_view text) {
    constexpr size_t kLongest = 60;
    std::string shown;
    for (const char c : text.substr(0, kLongest)) shown += c >= ' ' && c != 0x7f ? c : '?';
    return text.size() > kLongest ? shown + "..." : shown;
  }

  const SourceFile& file_;
  Diagnostics& diagnostics_;
  std::vector<PoolInfo> pools_;
  absl::flat_hash_map<std::string, size_t> names_;
};

}  // namespace

std::optional<std::vector<PoolInfo>> ParsePoolsFile(Context& context, std::string_view name,
                                                    std::string_view text,
                                                    std::shared_ptr<const void> owner,
                                                    Diagnostics& diagnostics) {
  const auto file = context.sources().Add(name, text, std::move(owner));
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  return PoolsReader(**file, diagnostics).Read();
}

std::optional<std::vector<PoolInfo>> ReadPoolsFile(Context& context, const std::string& path,
                                                   Diagnostics& diagnostics) {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(path);
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kArguments, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  return ParsePoolsFile(context, (*file)->path(), (*file)->view(), *file, diagnostics);
}

}  // namespace tenon

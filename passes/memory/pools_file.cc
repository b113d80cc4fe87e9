// Every error of the file is reported at its place in one run. So the JSON reader keeps duplicate
// members, which are reported here with the other errors.

#include "passes/memory/pools_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "support/byte_size.h"
#include "support/checked.h"
#include "support/file.h"
#include "support/json_checks.h"
#include "support/json_reader.h"

namespace tenon {

namespace {

/// The largest cost figure that a file may contain.
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

/// True for a name that can be in quotes in C text.
bool IsSectionName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
}

class PoolsReader {
 public:
  PoolsReader(const SourceFile& file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), checks_(file, diagnostics) {}

  std::optional<std::vector<PoolInfo>> Read() {
    const size_t errors = diagnostics_.error_count();
    JsonLimits limits;
    limits.max_bytes = size_t{1} << 20;
    limits.max_values = 100'000;
    limits.max_depth = 8;
    limits.duplicates = JsonDuplicates::kKeepAll;  // reported with the other errors
    const std::optional<JsonValue> root = checks_.Parse(limits);
    if (!root) return std::nullopt;
    ReadRoot(*root);
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return std::move(pools_);
  }

 private:
  void ReadRoot(const JsonValue& root) {
    const JsonValue* list = &root;
    if (const JsonValue::Object* members = root.as_object()) {
      list = nullptr;
      for (const JsonMember& member : *members) {
        if (member.key != "pools") {
          checks_.Error(
              DiagnosticKind::kArguments, member.key_offset,
              fmt::format("unknown member `{}`, expected `pools`", ShownText(member.key)));
        } else if (list != nullptr) {
          checks_.Error(DiagnosticKind::kDuplicateName, member.key_offset,
                        "`pools` is given already");
        } else {
          list = &member.value;
        }
      }
      if (list == nullptr) {
        checks_.Error(DiagnosticKind::kArguments, root.offset(), "the object has no list `pools`");
        return;
      }
    }
    const JsonValue::Array* items = checks_.List("the list of pools", *list);
    if (items == nullptr) return;
    if (items->empty())
      checks_.Error(DiagnosticKind::kArguments, list->offset(), "the list has no pools");
    if (items->size() > kMostPools) {
      checks_.Error(DiagnosticKind::kLimit, (*items)[kMostPools].offset(),
                    fmt::format("{} pools, more than the limit of {}", items->size(), kMostPools));
      return;
    }
    for (const JsonValue& item : *items) ReadPool(item);
  }

  void ReadPool(const JsonValue& value) {
    const JsonValue::Object* members = checks_.Object("a pool", value);
    if (members == nullptr) return;
    PoolInfo pool;
    absl::flat_hash_map<std::string, size_t> seen;
    for (size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (checks_.IsDuplicate(*members, i)) continue;
      seen[member.key] = member.key_offset;
      ReadMember(member, pool);
    }
    if (!seen.contains("name"))
      checks_.Error(DiagnosticKind::kArguments, value.offset(), "the pool has no `name`");
    if (pool.is_internal && seen.contains("base_address")) {
      checks_.Error(
          DiagnosticKind::kArguments, seen.at("base_address"),
          "the linker gives an internal pool its address; only a pool of the caller has a known "
          "one");
    }
    if (!pool.is_internal && seen.contains("section")) {
      checks_.Error(DiagnosticKind::kArguments, seen.at("section"),
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
      pool.is_internal = checks_.Bool("`internal`", value).value_or(false);
      return;
    }
    PoolCostInfo& cost = pool.cost;
    if (key == "size_bytes") return ReadBytes(member, 0, kMostPoolSize, pool.size_hint_bytes);
    if (key == "base_address") return ReadBytes(member, 0, kMostPoolSize, pool.base_address);
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
    checks_.Error(DiagnosticKind::kArguments, member.key_offset,
                  fmt::format("unknown member `{}` of a pool, expected one of {}", ShownText(key),
                              fmt::join(kMembers, ", ")));
  }

  void ReadName(const JsonValue& value, PoolInfo& pool) {
    const std::string* name = value.as_string();
    if (name == nullptr) return checks_.WrongType("`name`", value, "a string");
    const bool plain =
        std::all_of(name->begin(), name->end(), [](char c) { return c >= ' ' && c < 0x7f; });
    if (name->empty() || name->size() > 100 || !plain) {
      checks_.Error(DiagnosticKind::kLiteral, value.offset(),
                    "the name of a pool has 1 to 100 printable ASCII characters");
      return;
    }
    const auto [first, is_new] = names_.try_emplace(*name, value.offset());
    if (!is_new) {
      Diagnostic& error = checks_.Error(DiagnosticKind::kDuplicateName, value.offset(),
                                        fmt::format("two pools have the name `{}`", *name));
      Diagnostics::AddNote(error, checks_.RangeAt(first->second), "the first is here");
    }
    pool.name = *name;
  }

  void ReadKind(const JsonValue& value, PoolInfo& pool) {
    const std::string* kind = value.as_string();
    if (kind == nullptr) return checks_.WrongType("`kind`", value, "`read-write` or `read-only`");
    pool.is_constant = *kind == "read-only";
    if (pool.is_constant || *kind == "read-write") return;
    checks_.Error(
        DiagnosticKind::kLiteral, value.offset(),
        fmt::format("unknown kind `{}`, expected `read-write` or `read-only`", ShownText(*kind)));
  }

  void ReadSection(const JsonValue& value, PoolInfo& pool) {
    const std::string* section = value.as_string();
    if (section == nullptr) return checks_.WrongType("`section`", value, "a string");
    pool.section = *section;
    if (IsSectionName(*section)) return;
    checks_.Error(DiagnosticKind::kLiteral, value.offset(),
                  "the name of a section has printable ASCII characters, but no blanks, quotes or "
                  "backslashes");
  }

  void ReadInt(const JsonMember& member, int64_t least, int64_t most, int64_t& out) {
    const std::string what = fmt::format("`{}`", member.key);
    out = checks_.Integer(what, member.value, least, most).value_or(out);
  }

  /// Bytes: a number, or a string such as "64K" or "0x20000000".
  void ReadBytes(const JsonMember& member, int64_t least, int64_t most, int64_t& out) {
    const std::string* text = member.value.as_string();
    if (text == nullptr) return ReadInt(member, least, most, out);
    const std::optional<int64_t> value = ParseByteSize(*text);
    if (value && *value >= least && *value <= most) {
      out = *value;
      return;
    }
    checks_.Error(DiagnosticKind::kLiteral, member.value.offset(),
                  fmt::format("`{}` is `{}`, expected bytes from {} to {}, as a number or as text "
                              "such as \"64K\" or \"0x20000000\"",
                              member.key, ShownText(*text), least, most));
  }

  void ReadAlignment(const JsonMember& member, PoolInfo& pool) {
    int64_t value = 0;
    ReadBytes(member, 1, kMostPoolAlignment, value);
    if (value == 0) return;
    pool.alignment = value;
    if (IsPowerOfTwo(value)) return;
    checks_.Error(DiagnosticKind::kLiteral, member.value.offset(),
                  fmt::format("`alignment` is {}, expected a power of two", value));
  }

  Diagnostics& diagnostics_;
  const JsonChecks checks_;
  std::vector<PoolInfo> pools_;
  absl::flat_hash_map<std::string, size_t> names_;
};

}  // namespace

std::optional<std::vector<PoolInfo>> ParsePoolsFile(Context& context, std::string_view name,
                                                    std::string_view text,
                                                    std::shared_ptr<const void> owner,
                                                    Diagnostics& diagnostics) {
  const SourceFile* const file =
      AddSource(context.sources(), name, text, std::move(owner), diagnostics);
  if (file == nullptr) return std::nullopt;
  return PoolsReader(*file, diagnostics).Read();
}

std::optional<std::vector<PoolInfo>> ReadPoolsFile(Context& context, const std::string& path,
                                                   Diagnostics& diagnostics) {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file =
      ReadFile(path, {.regular_only = true});
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kArguments, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  return ParsePoolsFile(context, (*file)->path(), (*file)->view(), *file, diagnostics);
}

}  // namespace tenon

// Every error of the file is reported at its place in one run. So the JSON reader keeps duplicate
// members, which are reported here with the other errors.

#include "passes/memory/pools_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "absl/container/flat_hash_map.h"
#include "passes/memory/pool_members.h"
#include "support/checked.h"
#include "support/file.h"

namespace tenon {

namespace {

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

class PoolsReader {
 public:
  PoolsReader(const SourceFile& file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), members_(file, diagnostics) {}

  std::optional<std::vector<PoolInfo>> Read() {
    const size_t errors = diagnostics_.error_count();
    const std::optional<JsonValue> root = checks_.Parse(PoolMembers::Limits());
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
    if (key == "section") return members_.Section(value, pool.section);
    if (key == "internal") {
      pool.is_internal = checks_.Bool("`internal`", value).value_or(false);
      return;
    }
    if (key == "size_bytes") return members_.Bytes(member, 0, kMostPoolSize, pool.size_hint_bytes);
    if (key == "base_address") return members_.Bytes(member, 0, kMostPoolSize, pool.base_address);
    if (key == "alignment") return ReadAlignment(member, pool);
    if (members_.Cost(member, pool.cost)) return;
    checks_.Error(DiagnosticKind::kArguments, member.key_offset,
                  fmt::format("unknown member `{}` of a pool, expected one of {}", ShownText(key),
                              fmt::join(kMembers, ", ")));
  }

  void ReadName(const JsonValue& value, PoolInfo& pool) {
    if (const std::optional<std::string> name = members_.Name("a pool", "two pools", value))
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

  void ReadAlignment(const JsonMember& member, PoolInfo& pool) {
    int64_t value = 0;
    members_.Bytes(member, 1, kMostPoolAlignment, value);
    if (value == 0) return;
    pool.alignment = value;
    if (IsPowerOfTwo(value)) return;
    checks_.Error(DiagnosticKind::kLiteral, member.value.offset(),
                  fmt::format("`alignment` is {}, expected a power of two", value));
  }

  Diagnostics& diagnostics_;
  PoolMembers members_;
  const JsonChecks& checks_ = members_.checks();
  std::vector<PoolInfo> pools_;
};

}  // namespace

std::optional<std::vector<PoolInfo>> ParsePoolsFile(SourceManager& sources, std::string_view name,
                                                    std::string_view text,
                                                    std::shared_ptr<const void> owner,
                                                    Diagnostics& diagnostics) {
  const SourceFile* const file = AddSource(sources, name, text, std::move(owner), diagnostics);
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
  return ParsePoolsFile(context.sources(), (*file)->path(), (*file)->view(), *file, diagnostics);
}

}  // namespace tenon

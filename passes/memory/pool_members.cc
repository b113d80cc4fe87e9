#include "passes/memory/pool_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/byte_size.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// The largest cost figure that a file may contain.
constexpr int64_t kMostFigure = int64_t{1} << 40;

/// True for a name that can be in quotes in C text.
bool IsSectionName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\';
  });
}

}  // namespace

JsonLimits PoolMembers::Limits() {
  JsonLimits limits;
  limits.max_bytes = size_t{1} << 20;
  limits.max_values = 100'000;
  limits.max_depth = 8;
  limits.duplicates = JsonDuplicates::kKeepAll;
  return limits;
}

std::optional<std::string> PoolMembers::PlainName(std::string_view what,
                                                  const JsonValue& value) const {
  const std::string* name = value.as_string();
  if (name == nullptr) {
    checks_.WrongType("`name`", value, "a string");
    return std::nullopt;
  }
  const bool plain =
      std::all_of(name->begin(), name->end(), [](char c) { return c >= ' ' && c < 0x7f; });
  if (!name->empty() && name->size() <= 100 && plain) return *name;
  checks_.Error(DiagnosticKind::kLiteral, value.offset(),
                fmt::format("the name of {} has 1 to 100 printable ASCII characters", what));
  return std::nullopt;
}

std::optional<std::string> PoolMembers::Name(std::string_view what, std::string_view both,
                                             const JsonValue& value) {
  std::optional<std::string> name = PlainName(what, value);
  if (!name) return name;
  const auto [first, is_new] = names_.try_emplace(*name, value.offset());
  if (!is_new) {
    Diagnostic& error = checks_.Error(DiagnosticKind::kDuplicateName, value.offset(),
                                      fmt::format("{} have the name `{}`", both, *name));
    Diagnostics::AddNote(error, checks_.RangeAt(first->second), "the first is here");
  }
  return name;
}

void PoolMembers::Section(const JsonValue& value, std::string& out) const {
  const std::string* section = value.as_string();
  if (section == nullptr) return checks_.WrongType("`section`", value, "a string");
  out = *section;
  if (IsSectionName(*section)) return;
  checks_.Error(DiagnosticKind::kLiteral, value.offset(),
                "the name of a section has printable ASCII characters, but no blanks, quotes or "
                "backslashes");
}

void PoolMembers::Int(const JsonMember& member, int64_t least, int64_t most, int64_t& out) const {
  const std::string what = fmt::format("`{}`", member.key);
  out = checks_.Integer(what, member.value, least, most).value_or(out);
}

void PoolMembers::Bytes(const JsonMember& member, int64_t least, int64_t most, int64_t& out) const {
  const std::string* text = member.value.as_string();
  if (text == nullptr) return Int(member, least, most, out);
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

bool PoolMembers::Cost(const JsonMember& member, PoolCostInfo& cost) const {
  const std::string_view key = member.key;
  if (key == "clock_frequency_hz") {
    Int(member, 1, kMostFigure, cost.clock_frequency_hz);
  } else if (key == "read_bandwidth_bytes_per_cycle") {
    Int(member, 1, kMostFigure, cost.read_bandwidth_bytes_per_cycle);
  } else if (key == "write_bandwidth_bytes_per_cycle") {
    Int(member, 1, kMostFigure, cost.write_bandwidth_bytes_per_cycle);
  } else if (key == "read_latency_cycles") {
    Int(member, 0, kMostFigure, cost.read_latency_cycles);
  } else if (key == "write_latency_cycles") {
    Int(member, 0, kMostFigure, cost.write_latency_cycles);
  } else {
    return false;
  }
  return true;
}

}  // namespace tenon

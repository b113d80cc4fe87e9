#include "ir/op.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/builtins.h"
#include "support/check.h"

namespace tenon {

namespace {

// In the order of OpKind.
constexpr Op kOps[] = {
    Op{OpKind::kUnknown, ""},
    Op{OpKind::kGlobalCall, "", DTypePlace::kNone, DTypeRule::kNone, 0, -1, OpEffect::kOpaque},
#define TENON_OP(Enumerator, text, place, rule, min_args, max_args, effect) \
  Op{OpKind::Enumerator, text,     DTypePlace::place, DTypeRule::rule,      \
     min_args,           max_args, OpEffect::effect},
#include "ir/builtins.def"
};
constexpr size_t kFirstBuiltin = 2;
constexpr size_t kBuiltins = std::size(kOps) - kFirstBuiltin;

using NamedOp = std::pair<std::string_view, const Op*>;

constexpr auto kByName = [] {
  std::array<NamedOp, kBuiltins> table{};
  for (size_t i = 0; i < kBuiltins; ++i) {
    const Op& op = kOps[kFirstBuiltin + i];
    table[i] = {op.text, &op};
  }
  std::sort(table.begin(), table.end(),
            [](const NamedOp& a, const NamedOp& b) { return a.first < b.first; });
  return table;
}();

/// Spellings that older texts use.
constexpr std::pair<std::string_view, OpKind> kOldNames[] = {
    {"abs", OpKind::kFabs},
    {"tvm_call_packed", OpKind::kCallPacked},
    {"tvm_call_cpacked", OpKind::kCallCPacked},
    {"tvm_call_packed_lowered", OpKind::kCallPackedLowered},
    {"tvm_call_cpacked_lowered", OpKind::kCallCPackedLowered},
    {"tvm_call_trace_packed", OpKind::kCallTracePacked},
};

}  // namespace

const Op* Op::Get(OpKind kind) {
  TENON_CHECK(kind != OpKind::kUnknown);
  return &kOps[static_cast<size_t>(kind)];
}

const Op* Op::Find(std::string_view text) {
  const auto* found = std::lower_bound(
      kByName.begin(), kByName.end(), text,
      [](const NamedOp& entry, std::string_view name) { return entry.first < name; });
  if (found != kByName.end() && found->first == text) return found->second;
  for (const auto& [name, kind] : kOldNames) {
    if (name == text) return Get(kind);
  }
  return nullptr;
}

}  // namespace tenon

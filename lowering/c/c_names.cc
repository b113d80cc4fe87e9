#include "lowering/c/c_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "lowering/names.h"

namespace tenon::c_lowering {

namespace {

constexpr std::string_view kReserved[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "_Bool",
    "_Complex",
    "INFINITY",
    "NAN",
    "NULL",
    "main",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "gamma",
    "signgam",
    "index",
    "rindex",
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "tanh",
    "pow",
    "floor",
    "ceil",
    "round",
    "fma",
    "div",
    "abs",
    "erf",
    "trunc",
    "linux",
    "unix",
    "i386",
    "memcpy",
    "memset",
    "inputs",
    "outputs",
    "workspace_pools",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
};

}  // namespace

std::string MacroName(std::string_view name) {
  std::string out = SanitizeName(name);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool IsSectionName(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

bool IsHeaderName(std::string_view text) { return !text.empty() && IsSectionName(text); }

bool IsReservedWord(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved) ||
         name.starts_with("tenon_") || name.starts_with("TENON_") || name.starts_with("__") ||
         name.ends_with("_t");
}

std::string NameScope::Unique(std::string_view base) {
  std::string name = SanitizeName(base);
  if (IsReservedWord(name)) name += "_v";
  if (taken_.insert(name).second) {
    order_.emplace_back(name, std::string());
    return name;
  }
  for (int& n = next_[name];;) {
    std::string candidate = fmt::format("{}_{}", name, ++n);
    if (!taken_.insert(candidate).second) continue;
    order_.emplace_back(candidate, name);
    return candidate;
  }
}

void NameScope::Rewind(size_t mark) {
  for (; order_.size() > mark; order_.pop_back()) {
    const auto& [name, base] = order_.back();
    taken_.erase(name);
    // Numbers are given back from the last one on, so the next one is this one again.
    if (!base.empty()) --next_[base];
  }
}

}  // namespace tenon::c_lowering

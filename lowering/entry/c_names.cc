// Lists of the words that C, C++ and their headers reserve, and rules for words that they reserve
// by form. Macros that only some systems define count as well, since generated code must compile
// everywhere.

#include "lowering/entry/c_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/model_entry.h"
#include "lowering/symbol_names.h"

namespace tenon {

namespace {

/// Keywords of C up to C23 and of C++ up to C++20, except those that IsReservedWord recognizes by
/// their form.
constexpr std::string_view kKeywords[] = {
    "alignas",      "alignof",       "and",         "and_eq",   "asm",       "auto",
    "bitand",       "bitor",         "bool",        "break",    "case",      "catch",
    "char",         "class",         "compl",       "concept",  "const",     "const_cast",
    "consteval",    "constexpr",     "constinit",   "continue", "co_await",  "co_return",
    "co_yield",     "decltype",      "default",     "delete",   "do",        "double",
    "dynamic_cast", "else",          "enum",        "explicit", "export",    "extern",
    "false",        "float",         "for",         "friend",   "goto",      "if",
    "inline",       "int",           "long",        "mutable",  "namespace", "new",
    "noexcept",     "not",           "not_eq",      "nullptr",  "operator",  "or",
    "or_eq",        "private",       "protected",   "public",   "register",  "reinterpret_cast",
    "requires",     "restrict",      "return",      "short",    "signed",    "sizeof",
    "static",       "static_assert", "static_cast", "struct",   "switch",    "template",
    "this",         "thread_local",  "throw",       "true",     "try",       "typedef",
    "typeid",       "typename",      "typeof",      "union",    "unsigned",  "using",
    "virtual",      "void",          "volatile",    "while",    "xor",       "xor_eq"};

/// Functions of the headers that generated code calls most, or that compilers warn about. Any other
/// C library function is reserved only in a body that calls it.
constexpr std::string_view kLibraryNames[] = {
    "abs",   "ceil",   "cos",      "div",   "erf",    "exp",   "floor",   "fma",
    "gamma", "index",  "isfinite", "isinf", "isnan",  "j0",    "j1",      "jn",
    "log",   "memcpy", "memset",   "pow",   "rindex", "round", "signbit", "signgam",
    "sin",   "sqrt",   "tan",      "tanh",  "trunc",  "y0",    "y1",      "yn"};

/// Macros without arguments of <math.h>, <stdint.h>, <string.h> and compilers, except those that
/// IsHeaderMacro recognizes by their form.
constexpr std::string_view kMacros[] = {
    "DOMAIN",   "INFINITY", "MATH_ERREXCEPT", "MATH_ERRNO",
    "MAXFLOAT", "NAN",      "NULL",           "OVERFLOW",
    "PLOSS",    "SING",     "TLOSS",          "UNDERFLOW",
    "X_TLOSS",  "i386",     "linux",          "math_errhandling",
    "unix"};

/// Macros without arguments of <stdlib.h> and the system's headers, which <math.h> of C++ includes.
constexpr std::string_view kMacrosOfCxx[] = {
    "BIG_ENDIAN", "BYTE_ORDER", "EXIT_FAILURE", "EXIT_SUCCESS", "FD_SETSIZE", "LITTLE_ENDIAN",
    "MB_CUR_MAX", "NFDBITS",    "PDP_ENDIAN",   "RAND_MAX",     "WCONTINUED", "WEXITED",
    "WNOHANG",    "WNOWAIT",    "WSTOPPED",     "WUNTRACED"};

/// Parameter names of the interface's functions, and `main`.
constexpr std::string_view kOwn[] = {entry_struct::kInputs, "main", entry_struct::kOutputs,
                                     entry_struct::kPools};

/// Prefixes of macros of <math.h>.
constexpr std::string_view kMacroHeads[] = {"FP_FAST_FMA", "FP_ILOGB", "FP_INT_",
                                            "FP_LLOGB",    "HUGE",     "SNAN"};

/// Results of fpclassify(), and numbers of <math.h>, which have a suffix for other float types:
/// `M_PI`, `M_PIf`, `M_PIf64x`.
constexpr std::string_view kMacroStems[] = {
    "FP_INFINITE", "FP_NAN",     "FP_NORMAL", "FP_SUBNORMAL", "FP_ZERO",   "M_1_PI",
    "M_2_PI",      "M_2_SQRTPI", "M_E",       "M_LN10",       "M_LN2",     "M_LOG10E",
    "M_LOG2E",     "M_PI",       "M_PI_2",    "M_PI_4",       "M_SQRT1_2", "M_SQRT2"};

/// Types of <stdint.h> and <stddef.h> that have a largest value.
constexpr std::string_view kLimitedTypes[] = {"INT",  "UINT",  "PTRDIFF", "SIG_ATOMIC",
                                              "SIZE", "WCHAR", "WINT"};

template <size_t N>
bool Contains(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <size_t N>
bool BeginsWithOneOf(const std::string_view (&heads)[N], std::string_view word) {
  return std::any_of(std::begin(heads), std::end(heads),
                     [&](std::string_view head) { return word.starts_with(head); });
}

/// `M_PI` of `M_PIf64x`.
std::string_view WithoutFloatSuffix(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789x");
  if (end != std::string_view::npos && (name[end] == 'f' || name[end] == 'l'))
    name = name.substr(0, end);
  return name;
}

/// Whether some system's <stdint.h> or <math.h> may define a macro of that name.
bool IsHeaderMacro(std::string_view name) {
  const bool is_limit = name.ends_with("_MAX") || name.ends_with("_MIN") ||
                        name.ends_with("_WIDTH") || name.ends_with("_C");
  return Contains(kMacros, name) || Contains(kMacrosOfCxx, name) ||
         BeginsWithOneOf(kMacroHeads, name) || Contains(kMacroStems, name) ||
         Contains(kMacroStems, WithoutFloatSuffix(name)) ||
         (is_limit && BeginsWithOneOf(kLimitedTypes, name));
}

/// Whether C and C++ reserve names of that form: `_Pragma`, `__func__`, `int8_t`.
bool IsReservedForm(std::string_view name) {
  const bool is_capital = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  return is_capital || name.starts_with("__") || name.ends_with("_t");
}

}  // namespace

std::string MacroName(std::string_view name) {
  std::string out = SanitizeName(name);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool IsMacroOf(std::string_view prefix, std::string_view name) {
  return name.starts_with("TVMGEN_") || name.starts_with(MacroName(prefix) + "_");
}

bool IsSectionName(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; });
}

bool IsHeaderName(std::string_view text) { return !text.empty() && IsSectionName(text); }

bool IsReservedWord(std::string_view name) {
  return Contains(kKeywords, name) || Contains(kLibraryNames, name) || Contains(kOwn, name) ||
         IsReservedForm(name) || IsHeaderMacro(name) || name.starts_with("tenon_") ||
         name.starts_with("TENON_") || name.starts_with("ZSTD_");
}

bool IsKeywordOrMacro(std::string_view name) {
  return Contains(kKeywords, name) || IsHeaderMacro(name);
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
    // Numbers are released in reverse order, so the next number is this one again.
    if (!base.empty()) --next_[base];
  }
}

}  // namespace tenon

#include "lowering/c/code_digest.h"

#include <algorithm>

#include "support/hash.h"

namespace tenon {

namespace {

std::string WithoutComments(std::string_view text) {
  std::string out;
  while (true) {
    const size_t begin = text.find("/*");
    out += text.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const size_t end = text.find("*/", begin + 2);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 2);
  }
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The function that begins in this line; empty if none does.
std::string_view FunctionOf(std::string_view line) {
  const size_t bracket = line.find('(');
  if (bracket == std::string_view::npos || line.ends_with(';') || !IsWordCharacter(line[0]))
    return {};
  size_t begin = bracket;
  while (begin > 0 && IsWordCharacter(line[begin - 1])) --begin;
  // A definition has a type before its name.
  return begin == 0 ? std::string_view() : line.substr(begin, bracket - begin);
}

uint64_t HashOf(std::string_view text) {
  Hasher hasher;
  hasher.Update(text);
  return hasher.Finish64();
}

}  // namespace

CodeDigest DigestOf(std::string_view source, std::string_view header) {
  CodeDigest digest;
  const std::string code = WithoutComments(source);
  std::string rest = WithoutComments(header);
  digest.all = HashOf(code + rest);
  std::string name;
  std::string body;
  std::string_view left = code;
  while (!left.empty()) {
    const size_t size = std::min(left.find('\n'), left.size() - 1) + 1;
    const std::string_view line = left.substr(0, size);
    left.remove_prefix(size);
    const std::string_view text = line.substr(0, line.find('\n'));
    if (name.empty() && !text.empty()) name = FunctionOf(text);
    (name.empty() ? rest : body) += line;
    // A declaration over several lines ends like one in a single line.
    if (!name.empty() && !text.empty() && text[0] != ' ' && text.ends_with(';')) name.clear();
    if (name.empty() || text != "}") continue;
    digest.functions.emplace_back(std::move(name), HashOf(body));
    name.clear();
    body.clear();
  }
  digest.functions.emplace_back("", HashOf(rest + body));
  return digest;
}

}  // namespace tenon

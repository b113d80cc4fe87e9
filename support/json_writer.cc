#include "support/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tenon {

bool IsUtf8(std::string_view text) {
  const bool is_ascii =
      std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
  if (is_ascii) return true;
  try {
    return !nlohmann::json(std::string(text)).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void JsonWriter::NewLine() {
  out_ += '\n';
  out_.append(nests_.size(), ' ');
}

void JsonWriter::Separate() {
  if (after_key_ || nests_.empty()) {
    after_key_ = false;
    return;
  }
  Nest& nest = nests_.back();
  const bool new_line = break_line_ || nest.layout == JsonLayout::kLines;
  if (!nest.is_empty) out_ += new_line || nest.layout == JsonLayout::kCompact ? "," : ", ";
  if (new_line) NewLine();
  nest.is_empty = false;
  break_line_ = false;
}

void JsonWriter::Open(char bracket, JsonLayout layout) {
  Separate();
  out_ += bracket;
  nests_.push_back({layout});
}

void JsonWriter::Close(char bracket) {
  const Nest nest = nests_.back();
  nests_.pop_back();
  if (nest.layout == JsonLayout::kLines && !nest.is_empty) NewLine();
  out_ += bracket;
}

void JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  const bool is_compact = !nests_.empty() && nests_.back().layout == JsonLayout::kCompact;
  out_ += is_compact ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::Value(std::string_view text) {
  Separate();
  Quote(text);
}

void JsonWriter::Quote(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
  });
  if (is_plain) {
    ((out_ += '"') += text) += '"';
  } else {
    out_ += nlohmann::json(std::string(text))
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

void JsonWriter::Value(double number) {
  const std::string text = fmt::format("{}", number);
  const bool is_real = text.find_first_of(".en") != std::string::npos;
  Raw(is_real ? text : text + ".0");
}

void JsonWriter::Integer(int64_t number) {
  const fmt::format_int text(number);
  Raw({text.data(), text.size()});
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
}

}  // namespace tenon

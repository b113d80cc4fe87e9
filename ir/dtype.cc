#include "ir/dtype.h"

#include <fmt/format.h>

#include <charconv>

namespace tenon {

std::string_view TypeCodeName(TypeCode code) {
  switch (code) {
    case TypeCode::kInt:
      return "int";
    case TypeCode::kUInt:
      return "uint";
    case TypeCode::kFloat:
      return "float";
    case TypeCode::kBFloat:
      return "bfloat";
    case TypeCode::kE4M3Float:
      return "e4m3_float";
    case TypeCode::kE5M2Float:
      return "e5m2_float";
    case TypeCode::kHandle:
      return "handle";
  }
  return "";
}

namespace {

/// Parses and removes a decimal number at the front of `text`.
std::optional<int> TakeNumber(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool IsWidth(TypeCode code, int bits) {
  switch (code) {
    case TypeCode::kInt:
    case TypeCode::kUInt:
      return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 ||
             bits == 64;
    case TypeCode::kFloat:
      return bits == 16 || bits == 32 || bits == 64;
    case TypeCode::kBFloat:
      return bits == 16;
    default:
      return true;
  }
}

/// Parses and removes the type without its lanes at the front of `text`.
std::optional<DataType> TakeElement(std::string_view& text) {
  if (TakePrefix(text, "e4m3_float8") || TakePrefix(text, "float8_e4m3fn")) {
    return DataType(TypeCode::kE4M3Float, 8);
  }
  if (TakePrefix(text, "e5m2_float8") || TakePrefix(text, "float8_e5m2")) {
    return DataType(TypeCode::kE5M2Float, 8);
  }
  if (TakePrefix(text, "handle")) {
    TakePrefix(text, "64");
    return DataType::Handle();
  }
  if (TakePrefix(text, "bool")) return DataType::Bool();
  for (TypeCode code : {TypeCode::kInt, TypeCode::kUInt, TypeCode::kFloat, TypeCode::kBFloat}) {
    if (!TakePrefix(text, TypeCodeName(code))) continue;
    int bits = code == TypeCode::kBFloat ? 0 : 32;
    if (!text.empty() && text[0] != 'x') {
      const std::optional<int> width = TakeNumber(text);
      if (!width) return std::nullopt;
      bits = *width;
    }
    if (!IsWidth(code, bits)) return std::nullopt;
    return DataType(code, bits);
  }
  return std::nullopt;
}

}  // namespace

std::string DataType::ToString() const {
  if (is_void()) return "void";
  if (is_bool() && is_scalar()) return "bool";
  std::string text(TypeCodeName(code_));
  if (code_ != TypeCode::kHandle) text += fmt::format("{}", bits_);
  if (lanes_ > 1) text += fmt::format("x{}", lanes_);
  if (lanes_ < 0) text += fmt::format("xvscalex{}", -lanes_);
  return text;
}

std::optional<DataType> DataType::Parse(std::string_view text) {
  if (text.empty() || text == "void") return Void();
  const std::optional<DataType> element = TakeElement(text);
  if (!element || text.empty()) return element;
  const bool scalable = TakePrefix(text, "xvscale");
  if (!TakePrefix(text, "x")) return std::nullopt;
  const std::optional<int> lanes = TakeNumber(text);
  if (!lanes || !text.empty() || *lanes < 1 || *lanes > kMostLanes) return std::nullopt;
  return element->with_lanes(scalable ? -*lanes : *lanes);
}

}  // namespace tenon

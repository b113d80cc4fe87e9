#include "support/byte_size.h"

#include <charconv>
#include <cmath>

#include "fmt/format.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// The factor of the unit after the digits; nullopt for text that is not a unit.
std::optional<int64_t> FactorOf(std::string_view unit) {
  if (unit.empty()) return 1;
  if (unit.size() > 1 && unit.substr(1) != "i" && unit.substr(1) != "iB") return std::nullopt;
  switch (unit[0]) {
    case 'k':
    case 'K':
      return int64_t{1} << 10;
    case 'm':
    case 'M':
      return int64_t{1} << 20;
    case 'g':
    case 'G':
      return int64_t{1} << 30;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<int64_t> ParseByteSize(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  if (text.starts_with('-')) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (error != std::errc()) return std::nullopt;
  const std::optional<int64_t> factor =
      FactorOf(text.substr(static_cast<size_t>(end - text.data())));
  if (!factor || __builtin_mul_overflow(value, *factor, &value)) return std::nullopt;
  return value;
}

namespace {

/// `round` turns tenths of a unit into whole ones.
std::string InUnits(int64_t bytes, double (*round)(double)) {
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  std::string text = fmt::format("{:.1f}", round(value * 10) / 10);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return fmt::format("{} {}", text, kUnits[unit]);
}

}  // namespace

std::string ShortBytes(int64_t bytes) { return InUnits(bytes, std::nearbyint); }

std::string ShortRest(int64_t bytes) { return InUnits(bytes, std::floor); }

std::string WrongByteSize(std::string_view what, std::string_view text) {
  return fmt::format("{} is `{}`, expected a size in bytes, such as 65536 or 64K", what,
                     ShownText(text));
}

}  // namespace tenon

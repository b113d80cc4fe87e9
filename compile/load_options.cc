#include "compile/load_options.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "support/byte_size.h"
#include "support/codec.h"

namespace tenon {

namespace {

/// No constant compresses better; a larger ratio is a typing error.
constexpr double kMostRatio = 1e6;

std::optional<double> Number(std::string_view text) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Removes the text up to the next colon from `rest`, and the colon; `more` is set if there was
/// one.
std::string_view NextPart(std::string_view& rest, bool& more) {
  const size_t colon = rest.find(':');
  more = colon != std::string_view::npos;
  const std::string_view part = rest.substr(0, colon);
  rest.remove_prefix(more ? colon + 1 : rest.size());
  return part;
}

/// Reads the rest of the option, the name of a pool, if a colon precedes it.
absl::Status SetPool(std::string_view rest, bool more, std::string& pool) {
  if (!more) return absl::OkStatus();
  if (rest.empty())
    return absl::InvalidArgumentError("expected the name of a pool after the last `:`");
  if (rest.find_first_of("\":;") != std::string_view::npos)
    return absl::InvalidArgumentError(fmt::format("expected the name of a pool, found `{}`", rest));
  pool = rest;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PromoteConstantsOptions> ParsePromotion(std::string_view text) {
  PromoteConstantsOptions promotion;
  bool more = false;
  const std::string_view bytes = NextPart(text, more);
  if (bytes != "all") {
    const std::optional<int64_t> budget = ParseByteSize(bytes);
    if (!budget)
      return absl::InvalidArgumentError(
          fmt::format("expected BYTES[:POOL] or all[:POOL], where BYTES is a size such as 65536 or "
                      "64K; found `{}`",
                      bytes));
    promotion.budget = *budget;
  }
  if (const absl::Status pool = SetPool(text, more, promotion.pool); !pool.ok()) return pool;
  return promotion;
}

absl::StatusOr<CompressConstantsOptions> ParseCompression(std::string_view text) {
  CompressConstantsOptions compression;
  bool more = false;
  compression.codec = NextPart(text, more);
  if (!CodecNamed(compression.codec)) {
    return absl::InvalidArgumentError(
        fmt::format("unknown codec `{}`, expected lz4 or zstd", compression.codec));
  }
  if (!more) return compression;
  const std::string_view ratio = NextPart(text, more);
  const std::optional<double> value = Number(ratio);
  if (!value || !(*value >= 1 && *value <= kMostRatio)) {
    return absl::InvalidArgumentError(fmt::format(
        "expected CODEC[:RATIO[:POOL]], where RATIO is from 1 to {1}; found the ratio `{0}`", ratio,
        kMostRatio));
  }
  compression.min_ratio = *value;
  if (const absl::Status pool = SetPool(text, more, compression.pool); !pool.ok()) return pool;
  return compression;
}

}  // namespace tenon

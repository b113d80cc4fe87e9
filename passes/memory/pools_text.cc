// Pools in one line of a command. This text has no places for carets, unlike pools_file.cc, so that
// each error names the pool and the property instead.

#include "passes/memory/pools_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "support/byte_size.h"
#include "support/checked.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// Reads the properties of one pool, each at most once.
class PoolReader {
 public:
  explicit PoolReader(PoolInfo& pool) : pool_(pool) {}

  absl::Status Read(std::string_view text) {
    if (text.starts_with("align=")) return ReadAlignment(text.substr(6));
    if (text.starts_with("base=")) return ReadBytes(kBase, text.substr(5), pool_.base_address);
    return ReadBytes("size", text, pool_.size_hint_bytes);
  }

 private:
  static constexpr std::string_view kBase = "base address";

  absl::Status ReadBytes(std::string_view what, std::string_view text, int64_t& value) {
    if (std::find(seen_.begin(), seen_.end(), what) != seen_.end())
      return absl::InvalidArgumentError(fmt::format("pool `{}` has a second {}, `{}`",
                                                    ShownText(pool_.name), what, ShownText(text)));
    seen_.push_back(what);
    const std::optional<int64_t> bytes = ParseByteSize(text);
    if (!bytes || *bytes > kMostPoolSize) return absl::InvalidArgumentError(Wrong(what, text));
    value = *bytes;
    return absl::OkStatus();
  }

  std::string Wrong(std::string_view what, std::string_view text) const {
    const std::string subject = fmt::format("the {} of pool `{}`", what, ShownText(pool_.name));
    if (what == kBase)
      return fmt::format("{} is `{}`, expected an address, such as 0x20000000", subject,
                         ShownText(text));
    return WrongByteSize(subject, text);
  }

  absl::Status ReadAlignment(std::string_view text) {
    TENON_TRY(ReadBytes("alignment", text, pool_.alignment));
    if (IsPowerOfTwo(pool_.alignment) && pool_.alignment <= kMostPoolAlignment)
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("the alignment of pool `{}` is {}, expected a power of two up to {}, the "
                    "largest that gcc takes",
                    ShownText(pool_.name), ShownText(text), kMostPoolAlignment));
  }

  PoolInfo& pool_;
  std::vector<std::string_view> seen_;
};

}  // namespace

absl::StatusOr<std::vector<PoolInfo>> ParsePoolList(std::string_view text, bool is_constant) {
  std::vector<PoolInfo> pools;
  absl::flat_hash_set<std::string> names;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    size_t colon = std::min(item.find(':'), item.size());
    PoolInfo& pool = pools.emplace_back();
    pool.name = item.substr(0, colon);
    pool.is_constant = is_constant;
    if (pool.name.empty()) return absl::InvalidArgumentError("a pool has no name");
    if (!names.insert(pool.name).second)
      return absl::InvalidArgumentError(
          fmt::format("two pools have the name `{}`", ShownText(pool.name)));
    PoolReader reader(pool);
    while (colon < item.size()) {
      item.remove_prefix(colon + 1);
      colon = std::min(item.find(':'), item.size());
      TENON_TRY(reader.Read(item.substr(0, colon)));
    }
  }
  return pools;
}

}  // namespace tenon

#ifndef TENON_SUPPORT_HASH_H_
#define TENON_SUPPORT_HASH_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "support/file_pages.h"

namespace tenon {

/// A 128-bit content hash: XXH3-128 with seed 0, the same on every machine. It finds equal contents
/// quickly. It is not collision-resistant against attackers, so the bytes decide about equality.
struct Hash128 {
  uint64_t hi = 0;
  uint64_t lo = 0;

  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// For Abseil's hash containers.
template <typename H>
H AbslHashValue(H state, const Hash128& hash) {
  return H::combine(std::move(state), hash.hi, hash.lo);
}

/// The hash of `bytes`.
Hash128 HashBytes(std::string_view bytes);
/// As above, and drops the pages of a mapped file after they are read.
Hash128 HashBytes(PagedBytes bytes);

/// Hashes bytes in pieces; the result equals HashBytes of their concatenation.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void Update(std::string_view bytes);
  /// The hash of all bytes so far; more may follow.
  Hash128 Finish() const;
  /// XXH3-64 with seed 0 of the same bytes. Generated code checks its constants with this hash.
  uint64_t Finish64() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `xxh3:` and 32 lower-case hexadecimal digits, the upper half first (what `xxh128sum` prints).
std::string HashToString(const Hash128& hash);

/// The inverse of HashToString. Also accepts upper-case digits.
absl::StatusOr<Hash128> ParseHash(std::string_view text);

}  // namespace tenon

#endif  // TENON_SUPPORT_HASH_H_

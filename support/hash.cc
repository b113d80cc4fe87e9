#include "support/hash.h"

#ifdef TENON_XXHASH_DISPATCH
// Replaces the functions by versions that check the CPU once and then use SSE2, AVX2 or AVX-512.
#include "xxh_x86dispatch.h"
#else
#include "xxhash.h"
#endif

#include "absl/status/status.h"
#include "fmt/format.h"
#include "support/check.h"

#if defined(TENON_XXHASH_DISPATCH) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace tenon {
namespace {

constexpr std::string_view kPrefix = "xxh3:";
constexpr size_t kDigits = 16;  // of each half

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

#if defined(TENON_XXHASH_DISPATCH) && defined(__GNUC__)
__attribute__((target("avx"))) void ZeroUpperHalves() { _mm256_zeroupper(); }

/// The AVX code of xxHash leaves values in the upper halves of the vector registers. SSE code
/// preserves these halves, so that each instruction waits for the last one that wrote the same
/// register. JIT code for the default processor then takes up to five times as long.
void EndVectorCode() {
  if (__builtin_cpu_supports("avx")) ZeroUpperHalves();
}
#else
void EndVectorCode() {}
#endif

}  // namespace

struct Hasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() { TENON_CHECK(xxh != nullptr && XXH3_128bits_reset(xxh) == XXH_OK); }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::Update(std::string_view bytes) {
  if (bytes.empty()) return;
  TENON_CHECK(XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size()) == XXH_OK);
  EndVectorCode();
}

Hash128 Hasher::Finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  EndVectorCode();
  return {.hi = hash.high64, .lo = hash.low64};
}

// Both variants accumulate the same state and only differ in the final step.
uint64_t Hasher::Finish64() const {
  const uint64_t hash = XXH3_64bits_digest(state_->xxh);
  EndVectorCode();
  return hash;
}

Hash128 HashBytes(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  EndVectorCode();
  return {.hi = hash.high64, .lo = hash.low64};
}

Hash128 HashBytes(PagedBytes bytes) {
  if (!bytes.is_mapped || bytes.bytes.size() <= kPieceBytes) {
    const Hash128 hash = HashBytes(bytes.bytes);
    DropPages(bytes);
    return hash;
  }
  Hasher hasher;
  ForEachPiece(bytes, [&hasher](std::string_view piece) {
    hasher.Update(piece);
    return true;
  });
  return hasher.Finish();
}

std::string HashToString(const Hash128& hash) {
  return fmt::format("{}{:016x}{:016x}", kPrefix, hash.hi, hash.lo);
}

absl::StatusOr<Hash128> ParseHash(std::string_view text) {
  if (text.substr(0, kPrefix.size()) != kPrefix || text.size() != kPrefix.size() + 2 * kDigits) {
    return absl::InvalidArgumentError("a hash is `xxh3:` and 32 hexadecimal digits");
  }
  Hash128 hash;
  for (size_t i = 0; i < 2 * kDigits; ++i) {
    const int digit = DigitValue(text[kPrefix.size() + i]);
    if (digit < 0) {
      return absl::InvalidArgumentError(
          fmt::format("character {} of the hash is not a hexadecimal digit", kPrefix.size() + i));
    }
    uint64_t& half = i < kDigits ? hash.hi : hash.lo;
    half = half << 4 | static_cast<uint64_t>(digit);
  }
  return hash;
}

}  // namespace tenon

#include "support/codec.h"

#include <algorithm>

#include "runtime/tenon_lz4.h"
#include "tests/fuzz/target.h"

// Compressed constants. The first byte of the input chooses the codec, the next two are the
// decompressed size (little endian), and the rest are the stored bytes. The two LZ4 decoders must
// agree on inputs that both accept. If the highest bit of the first byte is set, the rest is
// compressed and decompressed again.

namespace tenon::fuzz {
namespace {

using Bytes = std::vector<uint8_t>;

void ComesBack(Codec codec, const Bytes& bytes) {
  const auto stored = Compress(codec, bytes);
  Require(stored.ok(), stored.status().ToString());
  Bytes out(bytes.size());
  Require(Decompress(codec, *stored, out).ok() && out == bytes, "what was compressed is lost");
}

}  // namespace

bool TakeInput(std::string_view input) {
  if (input.size() < 3) return false;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(input[i]); };
  const Codec codec = byte(0) % 2 == 0 ? Codec::kLz4 : Codec::kZstd;
  const Bytes stored(input.begin() + 3, input.end());
  if (byte(0) >= 0x80) ComesBack(codec, stored);
  Bytes out(byte(1) + size_t{256} * byte(2));
  const bool accepted = Decompress(codec, stored, out).ok();
  if (codec != Codec::kLz4) return accepted;
  Bytes own(out.size());
  const int result = tenon_lz4_decompress(stored.data(), stored.size(), own.data(), own.size());
  Require(result == 0 || result == -1, "an unknown result");
  Require(result != 0 || !accepted || own == out, "the two decoders differ");
  return accepted || result == 0;
}

}  // namespace tenon::fuzz

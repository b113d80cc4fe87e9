/* Decompresses one LZ4 block (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md), for
 * constants that are stored compressed and loaded into RAM before the first run. C99 and C++17; no
 * allocation, no state, only memcpy and memset of the library, and no access outside the two arrays
 * for any input.
 */
#ifndef TENON_RUNTIME_TENON_LZ4_H_
#define TENON_RUNTIME_TENON_LZ4_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Data is copied in pieces of this size if there is room. */
#define TENON_LZ4_PIECE 16U

/* GCC does not see that matches stay inside the array where it knows the array, and then warns. */
#if defined(__GNUC__)
#define TENON_LZ4_APART static __attribute__((noinline, unused))
#else
#define TENON_LZ4_APART static inline
#endif

/* Adds the bytes of a long length to `length`. Returns 0 if the bytes end too early, or if the
 * length exceeds `limit`. */
static inline int tenon_lz4_length(const uint8_t** in, const uint8_t* in_end, size_t limit,
                                   size_t* length) {
  uint8_t more;
  do {
    if (*in == in_end) return 0;
    more = *(*in)++;
    *length += more;
    if (*length > limit) return 0;
  } while (more == 255);
  return 1;
}

/* Copies `length` bytes from `offset` bytes before `out` to `out`. If the two overlap, bytes that
 * were just written are copied again. `room` bytes, at least `length`, may be written. */
TENON_LZ4_APART void tenon_lz4_match(uint8_t* out, size_t offset, size_t length, size_t room) {
  const uint8_t* from = out - offset;
  size_t i = 0;
  if (offset >= TENON_LZ4_PIECE && room >= length + TENON_LZ4_PIECE) {
    for (; i < length; i += TENON_LZ4_PIECE) memcpy(out + i, from + i, TENON_LZ4_PIECE);
    return;
  }
  if (offset == 1) {
    memset(out, from[0], length);
    return;
  }
  /* The copied bytes repeat, so the distance may double with each copy. It is less than `length`,
   * so that it does not overflow. Compilers see that no copy exceeds `length`. */
  while (length > offset) {
    memcpy(out, from, offset);
    out += offset;
    length -= offset;
    offset *= 2;
  }
  memcpy(out, from, length);
}

/* Fills the `size` bytes at `to` from the `stored` bytes at `from`. Returns 0, or -1 if the stored
 * bytes are damaged or decompress to another size; the contents of `to` are then undefined. The
 * arrays must not overlap. */
static inline int tenon_lz4_decompress(const void* from, size_t stored, void* to, size_t size) {
  const uint8_t* in = (const uint8_t*)from;
  const uint8_t* const in_end = in + stored;
  uint8_t* const begin = (uint8_t*)to;
  size_t done = 0;
  while (in != in_end) {
    const uint32_t token = *in++;
    size_t literals = token >> 4;
    size_t match = token & 15U;
    size_t offset;
    if (literals == 15 && !tenon_lz4_length(&in, in_end, size, &literals)) return -1;
    if (literals > (size_t)(in_end - in) || literals > size - done) return -1;
    if (literals <= TENON_LZ4_PIECE && size - done >= TENON_LZ4_PIECE &&
        (size_t)(in_end - in) >= TENON_LZ4_PIECE) {
      memcpy(begin + done, in, TENON_LZ4_PIECE);
    } else if (literals != 0) {
      memcpy(begin + done, in, literals);
    }
    in += literals;
    done += literals;
    /* Only the last sequence has no match, and it ends the block. */
    if (in == in_end) return done == size && match == 0 ? 0 : -1;
    if (in_end - in < 2) return -1;
    offset = (size_t)in[0] | ((size_t)in[1] << 8);
    in += 2;
    if (match == 15 && !tenon_lz4_length(&in, in_end, size, &match)) return -1;
    match += 4;
    if (offset == 0 || offset > done || match > size - done) return -1;
    tenon_lz4_match(begin + done, offset, match, size - done);
    done += match;
  }
  return -1;
}

#endif /* TENON_RUNTIME_TENON_LZ4_H_ */

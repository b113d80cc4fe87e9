/* Constants of a model in a file next to the program: functions with which generated code checks
 * the bytes that it is given before it uses them. C99 and C++17; no allocation, no state, little
 * endian, only <string.h>.
 *
 * The hash is XXH3-64 with seed 0 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md),
 * as `xxhsum -H3` prints it. Its inner loop multiplies 32-bit numbers, so that it is also fast on
 * machines without wide registers. It detects damage and mistakes, but does not protect against
 * deliberate forgery.
 */
#ifndef TENON_RUNTIME_TENON_CONSTANTS_H_
#define TENON_RUNTIME_TENON_CONSTANTS_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Results of <prefix>_set_constants and <prefix>_run, besides 0, without usable constants. */
#define TENON_CONSTANTS_MISSING (-16) /* not set, or the file cannot be opened */
#define TENON_CONSTANTS_SIZE                                        \
  (-17) /* not the model's number of bytes; another model's file is \
           -18, except for replaceable constants */
#define TENON_CONSTANTS_MODEL                                                              \
  (-18)                                 /* of another model, or the header is damaged; for \
                                           replaceable constants: made for other code */
#define TENON_CONSTANTS_DAMAGED (-19)   /* of this model, but some bytes are damaged */
#define TENON_CONSTANTS_ALIGNMENT (-20) /* the address is not aligned */
#define TENON_CONSTANTS_TENSOR (-21)    /* <prefix>_quantization: the model has no such tensor */

/* A message for one of these codes; NULL for other codes. */
static inline const char* tenon_constants_message(int32_t code) {
  switch (code) {
    case TENON_CONSTANTS_MISSING:
      return "the file of constants was not found, or not handed over";
    case TENON_CONSTANTS_SIZE:
      return "the file of constants has not as many bytes as the model's";
    case TENON_CONSTANTS_MODEL:
      return "the file of constants is another model's or other code's, or its header is damaged";
    case TENON_CONSTANTS_DAMAGED:
      return "the file of constants is damaged";
    case TENON_CONSTANTS_ALIGNMENT:
      return "the constants lie at an address that is not aligned as they need it";
    case TENON_CONSTANTS_TENSOR:
      return "the model has no tensor of this number";
    default:
      return NULL;
  }
}

/* Constants of the specification. */
#define TENON_HASH_PRIME32_1 UINT64_C(0x9E3779B1)
#define TENON_HASH_PRIME64_1 UINT64_C(0x9E3779B185EBCA87)

static inline uint64_t tenon_hash_read(const uint8_t* bytes) {
  uint64_t x;
  memcpy(&x, bytes, sizeof x);
  return x;
}

/* The secret that lanes are mixed with. */
static inline const uint8_t* tenon_hash_secret(void) {
  static const uint8_t secret[192] = {
      0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad,
      0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3,
      0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc,
      0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
      0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65,
      0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
      0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9,
      0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
      0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb,
      0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0,
      0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d,
      0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
      0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};
  return secret;
}

/* Adds stripes of 64 bytes to the eight lanes; the offset in the secret grows by 8 bytes per
 * stripe. */
static inline void tenon_hash_stripes(uint64_t* lanes, const uint8_t* bytes, size_t count,
                                      const uint8_t* secret) {
#if defined(__SSE2__)
  __m128i sums[4];
  int i;
  for (i = 0; i < 4; ++i) sums[i] = _mm_loadu_si128((const __m128i*)(const void*)(lanes + 2 * i));
  for (; count > 0; --count, bytes += 64, secret += 8) {
#define TENON_HASH_PAIR(i)                                                                       \
  {                                                                                              \
    const __m128i value = _mm_loadu_si128((const __m128i*)(const void*)(bytes + 16 * (i)));      \
    const __m128i keyed =                                                                        \
        _mm_xor_si128(value, _mm_loadu_si128((const __m128i*)(const void*)(secret + 16 * (i)))); \
    const __m128i product = _mm_mul_epu32(keyed, _mm_srli_epi64(keyed, 32));                     \
    sums[i] = _mm_add_epi64(sums[i], _mm_add_epi64(product, _mm_shuffle_epi32(value, 0x4e)));    \
  }
    TENON_HASH_PAIR(0)
    TENON_HASH_PAIR(1)
    TENON_HASH_PAIR(2)
    TENON_HASH_PAIR(3)
#undef TENON_HASH_PAIR
  }
  for (i = 0; i < 4; ++i) _mm_storeu_si128((__m128i*)(void*)(lanes + 2 * i), sums[i]);
#else
  int i;
  for (; count > 0; --count, bytes += 64, secret += 8) {
    for (i = 0; i < 8; ++i) {
      const uint64_t value = tenon_hash_read(bytes + 8 * i);
      const uint64_t keyed = value ^ tenon_hash_read(secret + 8 * i);
      lanes[i ^ 1] += value;
      lanes[i] += (uint64_t)(uint32_t)keyed * (keyed >> 32);
    }
  }
#endif
}

/* XORs the two halves of the product of two 64-bit numbers. */
static inline uint64_t tenon_hash_fold(uint64_t a, uint64_t b) {
  const uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b;
  const uint64_t left = (a >> 32) * (uint32_t)b;
  const uint64_t right = (uint64_t)(uint32_t)a * (b >> 32);
  const uint64_t middle = (low >> 32) + (uint32_t)left + (uint32_t)right;
  const uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32);
  return ((middle << 32) | (uint32_t)low) ^ high;
}

/* XXH3-64 of more than 240 bytes; files of constants have at least 4096. */
static inline uint64_t tenon_hash(const uint8_t* bytes, size_t size) {
  const uint8_t* const secret = tenon_hash_secret();
  uint64_t lanes[8] = {UINT64_C(0xC2B2AE3D),         TENON_HASH_PRIME64_1,
                       UINT64_C(0xC2B2AE3D27D4EB4F), UINT64_C(0x165667B19E3779F9),
                       UINT64_C(0x85EBCA77C2B2AE63), UINT64_C(0x85EBCA77),
                       UINT64_C(0x27D4EB2F165667C5), TENON_HASH_PRIME32_1};
  uint64_t hash = (uint64_t)size * TENON_HASH_PRIME64_1;
  size_t at = 0;
  size_t n;
  int i;
  for (; size - at > 1024; at += 1024) {
    tenon_hash_stripes(lanes, bytes + at, 16, secret);
    for (i = 0; i < 8; ++i) {
      lanes[i] ^= lanes[i] >> 47;
      lanes[i] ^= tenon_hash_read(secret + 128 + 8 * i);
      lanes[i] *= TENON_HASH_PRIME32_1;
    }
  }
  n = (size - at - 1) / 64;
  tenon_hash_stripes(lanes, bytes + at, n, secret);
  tenon_hash_stripes(lanes, bytes + size - 64, 1, secret + 121);
  for (i = 0; i < 4; ++i) {
    hash += tenon_hash_fold(lanes[2 * i] ^ tenon_hash_read(secret + 11 + 16 * i),
                            lanes[2 * i + 1] ^ tenon_hash_read(secret + 19 + 16 * i));
  }
  hash ^= hash >> 37;
  hash *= UINT64_C(0x165667919E3779F9);
  return hash ^ (hash >> 32);
}

/* As tenon_hash, for any size: up to 240 bytes are padded with zeros to 256. */
static inline uint64_t tenon_hash_part(const uint8_t* bytes, uint64_t size) {
  uint8_t padded[256];
  if (size > 240) return tenon_hash(bytes, (size_t)size);
  memset(padded, 0, sizeof padded);
  memcpy(padded, bytes, (size_t)size);
  return tenon_hash(padded, sizeof padded);
}

/* Files of up to this many bytes are checked as a whole before the first run. For a larger file,
 * only the header is checked then, and each constant before the first function that reads it. 0
 * always checks separately. */
#ifndef TENON_CONSTANTS_CHECK_AT_ONCE
#define TENON_CONSTANTS_CHECK_AT_ONCE (64 << 20)
#endif

/* The facts about the file that generated code contains. */
struct tenon_constants_file {
  uint64_t size;        /* of the file, in bytes */
  uint32_t header_size; /* where the data begins */
  uint32_t alignment;   /* of the file's first byte */
  uint64_t header_hash; /* of the header: names, types and hashes of all constants, so no other
                           model's */
  uint64_t hash;        /* of the whole file */
};

/* 0 if `bytes` are the file according to the header, which is a fast check. With `all`, every byte
 * is checked. A whole header tells this model's file with bytes missing from another model's. */
static inline int32_t tenon_check_constants(const struct tenon_constants_file* file,
                                            const void* bytes, size_t size, int all) {
  if (bytes == NULL) return TENON_CONSTANTS_MISSING;
  if (size < file->header_size) return TENON_CONSTANTS_SIZE;
  if (size == file->size && (uintptr_t)bytes % file->alignment != 0)
    return TENON_CONSTANTS_ALIGNMENT;
  if (tenon_hash((const uint8_t*)bytes, file->header_size) != file->header_hash)
    return TENON_CONSTANTS_MODEL;
  if (size != file->size) return TENON_CONSTANTS_SIZE;
  if (all && tenon_hash((const uint8_t*)bytes, size) != file->hash) return TENON_CONSTANTS_DAMAGED;
  return 0;
}

/* The facts about a file of replaceable constants. The code knows no byte of its data. The file
 * ends in four words that say which code it was made for, and which bytes it has:
 *   0  the identity of the code
 *   1  tenon_hash of the header
 *   2  tenon_hash_part of the table before the words, with a hash for each constant
 *   3  tenon_hash of all bytes before this word
 */
struct tenon_replaceable_file {
  uint64_t size;        /* of the file, in bytes */
  uint32_t header_size; /* where the data begins */
  uint32_t alignment;   /* of the file's first byte */
  uint64_t identity;    /* of the code: its text and the places of the constants */
  uint32_t hashes;      /* the number of constants */
};

/* As tenon_check_constants. */
static inline int32_t tenon_check_replaceable(const struct tenon_replaceable_file* file,
                                              const void* bytes, size_t size, int all) {
  const uint8_t* const begin = (const uint8_t*)bytes;
  const uint8_t* words;
  uint64_t table;
  if (bytes == NULL) return TENON_CONSTANTS_MISSING;
  if (size != file->size) return TENON_CONSTANTS_SIZE;
  if ((uintptr_t)bytes % file->alignment != 0) return TENON_CONSTANTS_ALIGNMENT;
  words = begin + size - 32;
  if (tenon_hash_read(words) != file->identity) return TENON_CONSTANTS_MODEL;
  if (tenon_hash(begin, file->header_size) != tenon_hash_read(words + 8))
    return TENON_CONSTANTS_DAMAGED;
  table = (uint64_t)file->hashes * 8;
  if (tenon_hash_part(words - table, table) != tenon_hash_read(words + 16))
    return TENON_CONSTANTS_DAMAGED;
  if (all && tenon_hash(begin, size - 8) != tenon_hash_read(words + 24))
    return TENON_CONSTANTS_DAMAGED;
  return 0;
}

/* A constant of a file that is not checked at once. */
struct tenon_constants_part {
  uint64_t offset; /* in the data */
  uint64_t size;
  uint64_t hash; /* tenon_hash_part of its bytes, unless the file has it */
};

/* The state of a constant: one byte that only changes from 0 to one of the other values. Threads
 * may check a constant at the same time without waiting: its bytes do not change, so all threads
 * get the same result. */
#define TENON_CONSTANTS_RIGHT 1
#define TENON_CONSTANTS_WRONG 2
#if defined(__GNUC__) && defined(__GCC_ATOMIC_CHAR_LOCK_FREE) && __GCC_ATOMIC_CHAR_LOCK_FREE == 2
#define TENON_CONSTANTS_KNOWN(state) __atomic_load_n(state, __ATOMIC_RELAXED)
#define TENON_CONSTANTS_LEARN(state, value) __atomic_store_n(state, value, __ATOMIC_RELAXED)
#else
#define TENON_CONSTANTS_KNOWN(state) (*(volatile uint8_t*)(state))
#define TENON_CONSTANTS_LEARN(state, value) (*(volatile uint8_t*)(state) = (value))
#endif

/* 0 if `count` constants are undamaged; `states` are their states. `hashes` are the hashes in a
 * file of replaceable constants, or NULL. Also records damage in `damaged`. */
static inline int32_t tenon_check_parts(const struct tenon_constants_part* parts, uint8_t* states,
                                        uint32_t count, const uint8_t* data, const uint8_t* hashes,
                                        uint8_t* damaged) {
  uint32_t i;
  for (i = 0; i < count; ++i) {
    uint8_t state = TENON_CONSTANTS_KNOWN(states + i);
    if (state == 0) {
      const uint64_t hash =
          hashes == NULL ? parts[i].hash : tenon_hash_read(hashes + (size_t)i * 8);
      const int is_right = tenon_hash_part(data + parts[i].offset, parts[i].size) == hash;
      state = is_right ? TENON_CONSTANTS_RIGHT : TENON_CONSTANTS_WRONG;
      if (!is_right) TENON_CONSTANTS_LEARN(damaged, 1);
      TENON_CONSTANTS_LEARN(states + i, state);
    }
    if (state != TENON_CONSTANTS_RIGHT) return TENON_CONSTANTS_DAMAGED;
  }
  return 0;
}

#endif /* TENON_RUNTIME_TENON_CONSTANTS_H_ */

#ifndef TENON_SUPPORT_HALF_H_
#define TENON_SUPPORT_HALF_H_

#include <cstdint>

// Small floating-point formats as bit patterns: float16 (IEEE 754 binary16), bfloat16 (the upper
// half of a float32), and the two 8-bit formats of "FP8 Formats for Deep Learning" (Micikevicius et
// al., 2022): e5m2 follows IEEE's rules; e4m3fn has no infinities and one NaN pattern (0x7f) for
// each sign.
//
// To a small format: rounds the double once to nearest, ties to even (a float argument converts
// exactly). Out of range, float16, bfloat16 and e5m2 give infinity; e4m3fn gives NaN, also for
// infinities. NaNs stay NaNs: sign and upper payload bits are kept if the format has them, and the
// quiet bit is set. To float: exact for every pattern; NaNs become quiet.

namespace tenon {

uint16_t Float16FromDouble(double value);
uint16_t BFloat16FromDouble(double value);
uint8_t Float8E4M3FromDouble(double value);
uint8_t Float8E5M2FromDouble(double value);

float FloatFromFloat16(uint16_t bits);
float FloatFromBFloat16(uint16_t bits);
float FloatFromFloat8E4M3(uint8_t bits);
float FloatFromFloat8E5M2(uint8_t bits);

}  // namespace tenon

#endif  // TENON_SUPPORT_HALF_H_

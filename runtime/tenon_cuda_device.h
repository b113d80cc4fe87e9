/* The dialect of the kernels of the code generator `cuda`: one text for the device and for a host.
 *
 * A kernel is a list of phases. In a phase, each thread runs alone. Values that outlive a phase are
 * declared by TN_LOCAL, and memory of a block by TN_SHARED. Between phases stand barriers and the
 * operations of a whole block: TN_REDUCE, TN_LDMATRIX, TN_MMA. On a host, a phase is a loop over
 * the threads of a block, so that tests run kernels without a GPU.
 *
 * C++17 without any header, since the compiler of the device (NVRTC) has none. Compile with
 * -fmad=false for the device and -ffp-contract=off for a host: then both give equal bits.
 */
#ifndef TENON_RUNTIME_TENON_CUDA_DEVICE_H_
#define TENON_RUNTIME_TENON_CUDA_DEVICE_H_

typedef signed char tn_i8;
typedef unsigned char tn_u8;
typedef short tn_i16;
typedef unsigned short tn_u16;
typedef int tn_i32;
typedef unsigned int tn_u32;
typedef long long tn_i64;
typedef unsigned long long tn_u64;

/* The operands of a kernel. */
#define TN_ARGS 16
struct tn_args {
  void* p[TN_ARGS];
};

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#define TN_FN static __device__ __forceinline__
#define TN_TABLE static __device__ const
#define TN_KERNEL(name, threads) \
  extern "C" __global__ void __launch_bounds__(threads) name(const tn_args args)
#define TN_PHASE(threads)
#define TN_LOCAL(type, name, threads, n) alignas(16) type name[n]
#define TN_AT(name) name
#define TN_SHARED(type, name, n) __shared__ alignas(128) type name[n]
#define TN_TID ((int)threadIdx.x)
#define TN_BID ((int)blockIdx.x)
#define TN_BARRIER __syncthreads()
#define TN_UNROLL _Pragma("unroll")

TN_FN tn_u32 tn_bits(float x) { return __float_as_uint(x); }
TN_FN float tn_float(tn_u32 x) { return __uint_as_float(x); }
TN_FN tn_u64 tn_bits(double x) { return (tn_u64)__double_as_longlong(x); }
TN_FN double tn_double(tn_u64 x) { return __longlong_as_double((tn_i64)x); }
TN_FN float tn_fma(float a, float b, float c) { return fmaf(a, b, c); }
TN_FN float tn_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
TN_FN float tn_sqrt(float x) { return sqrtf(x); }
TN_FN double tn_sqrt(double x) { return sqrt(x); }
TN_FN float tn_abs(float x) { return fabsf(x); }
TN_FN double tn_abs(double x) { return fabs(x); }
TN_FN float tn_floor(float x) { return floorf(x); }
TN_FN double tn_floor(double x) { return floor(x); }
TN_FN float tn_ceil(float x) { return ceilf(x); }
TN_FN double tn_ceil(double x) { return ceil(x); }
TN_FN float tn_trunc(float x) { return truncf(x); }
TN_FN double tn_trunc(double x) { return trunc(x); }
TN_FN float tn_round(float x) { return roundf(x); }
TN_FN double tn_round(double x) { return round(x); }
TN_FN float tn_nearbyint(float x) { return rintf(x); }
TN_FN double tn_nearbyint(double x) { return rint(x); }
TN_FN float tn_of_f16(tn_u16 h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
TN_FN tn_u16 tn_to_f16(float f) {
  tn_u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}

/* The next kernel may start, and this one waits for those before it. */
TN_FN void tn_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Copies n bytes, as words that are as wide as possible. Both addresses are multiples of n, or of
 * 16. */
template <int n>
TN_FN void tn_copy(void* to, const void* from) {
  if constexpr (n % 16 == 0) {
    for (int i = 0; i < n / 16; ++i) ((uint4*)to)[i] = ((const uint4*)from)[i];
  } else if constexpr (n == 8) {
    *(uint2*)to = *(const uint2*)from;
  } else if constexpr (n == 4) {
    *(tn_u32*)to = *(const tn_u32*)from;
  } else if constexpr (n == 2) {
    *(tn_u16*)to = *(const tn_u16*)from;
  } else {
    *(tn_u8*)to = *(const tn_u8*)from;
  }
}

template <class Op, class T, int width, int threads>
TN_FN T tn_reduce(T v) {
#pragma unroll
  for (int i = 16; i > 0; i >>= 1) v = Op::Do(v, (T)__shfl_xor_sync(0xffffffffu, v, i));
  if constexpr (width > 32) {
    __shared__ T parts[threads / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = parts[0];
#pragma unroll
    for (int i = 1; i < threads / 32; ++i) v = Op::Do(v, parts[i]);
  }
  return v;
}
#define TN_REDUCE(op, type, width, threads, name) \
  name[0] = tn_reduce<op, type, width, threads>(name[0])

/* Two halves; `low` is the first in memory. */
TN_FN tn_u32 tn_pack_f16(float low, float high) {
  tn_u32 pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

TN_FN tn_u32 tn_shared_address(const void* p) { return (tn_u32)__cvta_generic_to_shared(p); }
/* Copies 16 bytes to shared memory, in the background. */
TN_FN void tn_fetch16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tn_shared_address(to)), "l"(from));
}
#define TN_FETCH_COMMIT asm volatile("cp.async.commit_group;")
#define TN_FETCH_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n))

/* Four matrices of 8 x 8 halves; lane 8 i + r has the address of row r of matrix i. */
TN_FN void tn_ldmatrix(tn_u32* r, const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(tn_shared_address(p)));
}
TN_FN void tn_ldmatrix_t(tn_u32* r, const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(tn_shared_address(p)));
}
TN_FN void tn_mma(float* c, const tn_u32* a, const tn_u32* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define TN_LDMATRIX(threads, to, at, from) tn_ldmatrix(to + (at), from[0])
#define TN_LDMATRIX_T(threads, to, at, from) tn_ldmatrix_t(to + (at), from[0])
/* c (16 x 8) += a (16 x 16) * b (16 x 8), for each warp. */
#define TN_MMA(threads, c, ci, a, ai, b, bi) tn_mma(c + (ci), a + (ai), b + (bi))
/* The value of the lane with the number of this one, exclusive or `mask`. */
#define TN_EXCHANGE(threads, to, from, mask) to[0] = __shfl_xor_sync(0xffffffffu, from[0], mask)

#else /* A host. */

#define TN_FN static inline
#define TN_TABLE static const
static thread_local int tn_tid;
/* 1: phases run their threads backwards. Results do not depend on it, unless threads race. */
extern "C" int tn_backwards;
int tn_backwards;
#define TN_KERNEL(name, threads) extern "C" void name(const tn_args args, const int tn_bid)
#define TN_PHASE(threads) \
  for (int tn_i = 0;      \
       tn_i < (threads) && (tn_tid = tn_backwards ? (threads)-1 - tn_i : tn_i, true); ++tn_i)
#define TN_LOCAL(type, name, threads, n) alignas(16) type name[threads][n]
#define TN_AT(name) name[tn_tid]
#define TN_SHARED(type, name, n) alignas(128) type name[n]
#define TN_TID tn_tid
#define TN_BID tn_bid
#define TN_BARRIER
#define TN_UNROLL

TN_FN tn_u32 tn_bits(float x) {
  tn_u32 y;
  __builtin_memcpy(&y, &x, 4);
  return y;
}
TN_FN float tn_float(tn_u32 x) {
  float y;
  __builtin_memcpy(&y, &x, 4);
  return y;
}
TN_FN tn_u64 tn_bits(double x) {
  tn_u64 y;
  __builtin_memcpy(&y, &x, 8);
  return y;
}
TN_FN double tn_double(tn_u64 x) {
  double y;
  __builtin_memcpy(&y, &x, 8);
  return y;
}
TN_FN float tn_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TN_FN float tn_exp2(float x) { return __builtin_exp2f(x); }
TN_FN float tn_sqrt(float x) { return __builtin_sqrtf(x); }
TN_FN double tn_sqrt(double x) { return __builtin_sqrt(x); }
TN_FN float tn_abs(float x) { return __builtin_fabsf(x); }
TN_FN double tn_abs(double x) { return __builtin_fabs(x); }
TN_FN float tn_floor(float x) { return __builtin_floorf(x); }
TN_FN double tn_floor(double x) { return __builtin_floor(x); }
TN_FN float tn_ceil(float x) { return __builtin_ceilf(x); }
TN_FN double tn_ceil(double x) { return __builtin_ceil(x); }
TN_FN float tn_trunc(float x) { return __builtin_truncf(x); }
TN_FN double tn_trunc(double x) { return __builtin_trunc(x); }
TN_FN float tn_round(float x) { return __builtin_roundf(x); }
TN_FN double tn_round(double x) { return __builtin_round(x); }
TN_FN float tn_nearbyint(float x) { return __builtin_rintf(x); }
TN_FN double tn_nearbyint(double x) { return __builtin_rint(x); }
TN_FN float tn_of_f16(tn_u16 h) {
  const tn_u32 sign = (tn_u32)(h & 0x8000u) << 16;
  const tn_u32 rest = h & 0x7fffu;
  if (rest >= 0x7c00u) return tn_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  /* The product is exact, and normalises numbers that are subnormal as halves. */
  return tn_float(sign | tn_bits(tn_float(rest << 13) * tn_float(0x77800000u)));
}
TN_FN tn_u16 tn_to_f16(float f) {
  const tn_u32 sign = tn_bits(f) >> 16 & 0x8000u;
  const tn_u32 rest = tn_bits(f) & 0x7fffffffu;
  if (rest > 0x7f800000u) return (tn_u16)(sign | 0x7e00u);
  if (rest >= 0x47800000u) return (tn_u16)(sign | 0x7c00u);
  /* Adding this number leaves the bits of a subnormal half, rounded once. */
  if (rest < 0x38800000u)
    return (tn_u16)(sign | (tn_bits(tn_float(rest) + tn_float(0x3f000000u)) - 0x3f000000u));
  return (tn_u16)(sign | ((rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13));
}
TN_FN tn_u32 tn_pack_f16(float low, float high) {
  return (tn_u32)tn_to_f16(low) | (tn_u32)tn_to_f16(high) << 16;
}
TN_FN void tn_begin() {}

template <int n>
TN_FN void tn_copy(void* to, const void* from) {
  __builtin_memcpy(to, from, n);
}

template <class Op, class T, int width, int threads>
TN_FN void tn_reduce(T (&v)[threads][1]) {
  for (int first = 0; first < threads; first += 32) {
    for (int s = 16; s > 0; s >>= 1) {
      T was[32];
      for (int i = 0; i < 32; ++i) was[i] = v[first + i][0];
      for (int i = 0; i < 32; ++i) v[first + i][0] = Op::Do(was[i], was[i ^ s]);
    }
  }
  if (width == 32) return;
  T all = v[0][0];
  for (int i = 32; i < threads; i += 32) all = Op::Do(all, v[i][0]);
  for (int i = 0; i < threads; ++i) v[i][0] = all;
}
#define TN_REDUCE(op, type, width, threads, name) tn_reduce<op, type, width, threads>(name)

TN_FN void tn_fetch16(void* to, const void* from) { __builtin_memcpy(to, from, 16); }
#define TN_FETCH_COMMIT
#define TN_FETCH_WAIT(n)

template <bool transposed, int threads, int n>
TN_FN void tn_ldmatrix(tn_u32 (&to)[threads][n], int at, const tn_u16* (&from)[threads][1]) {
  for (int t = 0; t < threads; ++t) {
    const int lane = t % 32;
    for (int i = 0; i < 4; ++i) {
      const auto element = [&](int row, int column) {
        return (tn_u32)from[t - lane + 8 * i + row][0][column];
      };
      const int pair = 2 * (lane % 4);
      const int other = lane / 4;
      to[t][at + i] = transposed ? element(pair, other) | element(pair + 1, other) << 16
                                 : element(other, pair) | element(other, pair + 1) << 16;
    }
  }
}
template <int threads, int nc, int na, int nb>
TN_FN void tn_mma(float (&c)[threads][nc], int ci, const tn_u32 (&a)[threads][na], int ai,
                  const tn_u32 (&b)[threads][nb], int bi) {
  const auto half = [](tn_u32 pair, int k) { return tn_of_f16((tn_u16)(pair >> 16 * (k % 2))); };
  for (int t = 0; t < threads; ++t) {
    const int lane = t % 32;
    const int warp = t - lane;
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4;
      const int column = 2 * (lane % 4) + i % 2;
      float sum = 0;
      for (int k = 0; k < 16; ++k) {
        const int pair = k % 8 / 2;
        sum += half(a[warp + row * 4 + pair][ai + i / 2 + 2 * (k / 8)], k) *
               half(b[warp + column * 4 + pair][bi + k / 8], k);
      }
      c[t][ci + i] += sum;
    }
  }
}
#define TN_LDMATRIX(threads, to, at, from) tn_ldmatrix<false, threads>(to, at, from)
#define TN_LDMATRIX_T(threads, to, at, from) tn_ldmatrix<true, threads>(to, at, from)
#define TN_MMA(threads, c, ci, a, ai, b, bi) tn_mma<threads>(c, ci, a, ai, b, bi)
#define TN_EXCHANGE(threads, to, from, mask) \
  for (int tn_i = 0; tn_i < (threads); ++tn_i) to[tn_i][0] = from[tn_i ^ (mask)][0]

#endif

/* From here on, all is the same everywhere. */

/* Rounds to nearest, ties to even. */
TN_FN tn_u16 tn_to_bf16(float f) {
  const tn_u32 bits = tn_bits(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (tn_u16)(bits >> 16 | 0x40u);
  return (tn_u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
TN_FN float tn_of_bf16(tn_u16 h) { return tn_float((tn_u32)h << 16); }
TN_FN float tn_round_f16(float x) { return tn_of_f16(tn_to_f16(x)); }
TN_FN float tn_round_bf16(float x) { return tn_of_bf16(tn_to_bf16(x)); }
TN_FN float tn_rsqrt(float x) { return 1.0f / tn_sqrt(x); }
TN_FN double tn_rsqrt(double x) { return 1.0 / tn_sqrt(x); }

template <class T>
TN_FN T tn_min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
TN_FN T tn_max(T a, T b) {
  return a > b ? a : b;
}
/* Integers wrap: sums and products are those of an unsigned type. */
template <class T>
TN_FN T tn_add(T a, T b) {
  return (T)((tn_u64)a + (tn_u64)b);
}
template <class T>
TN_FN T tn_sub(T a, T b) {
  return (T)((tn_u64)a - (tn_u64)b);
}
template <class T>
TN_FN T tn_mul(T a, T b) {
  return (T)((tn_u64)a * (tn_u64)b);
}
/* A quotient that does not fit wraps. */
template <class T>
TN_FN T tn_div(T a, T b) {
  return (T)-1 < (T)0 && b == (T)-1 ? tn_sub((T)0, a) : (T)(a / b);
}
template <class T>
TN_FN T tn_mod(T a, T b) {
  return (T)-1 < (T)0 && b == (T)-1 ? (T)0 : (T)(a % b);
}
template <class T>
TN_FN T tn_floordiv(T a, T b) {
  const T rest = tn_mod(a, b);
  const T quotient = tn_div(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? tn_sub(quotient, (T)1) : quotient;
}
template <class T>
TN_FN T tn_floormod(T a, T b) {
  const T rest = tn_mod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? tn_add(rest, b) : rest;
}
template <class T>
TN_FN T tn_shl(T a, T b) {
  return (T)((tn_u64)a << (tn_u64)b);
}
/* Toward zero; numbers out of range become the nearest one of the type, and NaN becomes 0. */
template <class T>
TN_FN T tn_saturate(double x) {
  constexpr bool is_signed = (T)-1 < (T)0;
  constexpr int bits = (int)sizeof(T) * 8 - (is_signed ? 1 : 0);
  constexpr double limit = (double)((tn_u64)1 << (bits - 1)) * 2;
  if (!(x == x)) return (T)0;
  if (x >= limit) return (T)((((tn_u64)1 << (bits - 1)) - 1) * 2 + 1);
  if (x < (is_signed ? -limit : 0.0)) return is_signed ? (T)((tn_u64)1 << (bits % 64)) : (T)0;
  return (T)x;
}

/* T.q_multiply_shift and T.q_multiply_shift_per_axis, as tenon_runtime.h has them. */
TN_FN tn_i32 tn_q_multiply_shift(tn_i32 x, tn_i32 y, tn_i32 q, tn_i32 s) {
  if (y == 1073741824) {
    if (s > 1) return (tn_i32)((tn_u32)x << (s - 1));
    if (s == 1) return x;
    return (tn_i32)((tn_u32)x + (1u << -s)) >> (1 - s);
  }
  const tn_i32 left = s > 0 ? s : 0;
  const tn_i32 right = (s < 0 ? -s : 0) + q;
  const tn_u64 product = ((tn_u64)(tn_i64)x << left) * (tn_u64)(tn_i64)y;
  return (tn_i32)((tn_i64)(product + ((tn_u64)1 << (right - 1))) >> right);
}
TN_FN tn_i32 tn_q_multiply_shift_per_axis(tn_i32 x, tn_i32 y, tn_i32 left, tn_i32 right, tn_i32 q,
                                          bool has_left) {
  const tn_u64 shifted = has_left ? (tn_u64)(tn_i64)x << left : (tn_u64)(tn_i64)x;
  const tn_i32 total = right + q;
  if (total > 63) return 0;
  return (tn_i32)((tn_i64)(shifted * (tn_u64)(tn_i64)y + ((tn_u64)1 << (total - 1))) >> total);
}

TN_FN float tn_plus(float a, float b) { return a + b; }
TN_FN double tn_plus(double a, double b) { return a + b; }
template <class T>
TN_FN T tn_plus(T a, T b) {
  return tn_add(a, b);
}
struct tn_op_add {
  template <class T>
  TN_FN T Do(T a, T b) {
    return tn_plus(a, b);
  }
};
struct tn_op_min {
  template <class T>
  TN_FN T Do(T a, T b) {
    return tn_min(a, b);
  }
};
struct tn_op_max {
  template <class T>
  TN_FN T Do(T a, T b) {
    return tn_max(a, b);
  }
};

/* exp within a few units in the last place, for values whose sums have no fixed order. */
TN_FN float tn_fast_exp(float x) {
  if (!(x > -104.0f)) return x != x ? x : 0.0f;
  if (x > 88.8f) return tn_float(0x7f800000u);
  const float t = tn_fma(x, 1.44269504f, 12582912.0f);
  const float z = t - 12582912.0f;
  float r = tn_fma(z, -6.93145752e-1f, x);
  r = tn_fma(z, -1.42860677e-6f, r);
  float p = 1.37805939e-3f;
  p = tn_fma(p, r, 8.37312452e-3f);
  p = tn_fma(p, r, 4.16695364e-2f);
  p = tn_fma(p, r, 1.66664720e-1f);
  p = tn_fma(p, r, 4.99999851e-1f);
  p = tn_fma(p, r, 1.0f);
  p = tn_fma(p, r, 1.0f);
  const int n = (int)tn_bits(t) - 0x4b400000;
  const int half = n / 2;
  return p * tn_float((tn_u32)(half + 127) << 23) * tn_float((tn_u32)(n - half + 127) << 23);
}

/* exp and erf of float32, operation for operation as expand-math computes them
 * (passes/lowering/expand_exp.cc): the bits of the C library. */
TN_TABLE double tn_powers[32] = {0x1p+0,
                                 0x1.059b0d3158574p+0,
                                 0x1.0b5586cf9890fp+0,
                                 0x1.11301d0125b51p+0,
                                 0x1.172b83c7d517bp+0,
                                 0x1.1d4873168b9aap+0,
                                 0x1.2387a6e756238p+0,
                                 0x1.29e9df51fdee1p+0,
                                 0x1.306fe0a31b715p+0,
                                 0x1.371a7373aa9cbp+0,
                                 0x1.3dea64c123422p+0,
                                 0x1.44e086061892dp+0,
                                 0x1.4bfdad5362a27p+0,
                                 0x1.5342b569d4f82p+0,
                                 0x1.5ab07dd485429p+0,
                                 0x1.6247eb03a5585p+0,
                                 0x1.6a09e667f3bcdp+0,
                                 0x1.71f75e8ec5f74p+0,
                                 0x1.7a11473eb0187p+0,
                                 0x1.82589994cce13p+0,
                                 0x1.8ace5422aa0dbp+0,
                                 0x1.93737b0cdc5e5p+0,
                                 0x1.9c49182a3f09p+0,
                                 0x1.a5503b23e255dp+0,
                                 0x1.ae89f995ad3adp+0,
                                 0x1.b7f76f2fb5e47p+0,
                                 0x1.c199bdd85529cp+0,
                                 0x1.cb720dcef9069p+0,
                                 0x1.d5818dcfba487p+0,
                                 0x1.dfc97337b9b5fp+0,
                                 0x1.ea4afa2a490dap+0,
                                 0x1.f50765b6e454p+0};
TN_FN float tn_power(float x) {
  const double d = x;
  const double one = 0x1.71547652b82fep+5;
  const double high = 0x1.7154764p+5;
  const tn_u64 bits = tn_bits(one * d + 0x1.8p+52);
  const int k = (int)bits;
  const double r = (high * d - (double)k) + (one - high) * d;
  const double upper = 0x1.c6af84b912394p-20 * r + 0x1.ebfce50fac4f3p-13;
  const double lower = 0x1.62e42ff0c52d6p-6 * r + 1.0;
  const int i = k & 31;
  const tn_u64 entry = tn_bits(tn_powers[i]) - ((tn_u64)i << 47);
  return (float)((upper * (r * r) + lower) * tn_double(entry + (bits << 47)));
}
TN_FN float tn_exp(float x) {
  if (x > 0x1.62e42ep+6f) return tn_float(0x7f800000u);
  if (x < -0x1.9fe368p+6f) return 0.0f;
  return tn_power(x);
}
template <int n>
TN_FN float tn_polynomial(const float (&c)[n], float x) {
  float sum = c[n - 1];
  for (int i = n - 2; i >= 0; --i) sum = c[i] + x * sum;
  return sum;
}
TN_TABLE float tn_erf_small_over[] = {1.2837916613e-01f, -3.2504209876e-01f, -2.8481749818e-02f,
                                      -5.7702702470e-03f, -2.3763017452e-05f};
TN_TABLE float tn_erf_small_under[] = {1.0f,
                                       3.9791721106e-01f,
                                       6.5022252500e-02f,
                                       5.0813062117e-03f,
                                       1.3249473704e-04f,
                                       -3.9602282413e-06f};
TN_TABLE float tn_erf_middle_over[] = {-2.3621185683e-03f, 4.1485610604e-01f,  -3.7220788002e-01f,
                                       3.1834661961e-01f,  -1.1089469492e-01f, 3.5478305072e-02f,
                                       -2.1663755178e-03f};
TN_TABLE float tn_erf_middle_under[] = {1.0f,
                                        1.0642088205e-01f,
                                        5.4039794207e-01f,
                                        7.1828655899e-02f,
                                        1.2617121637e-01f,
                                        1.3637083583e-02f,
                                        1.1984500103e-02f};
TN_TABLE float tn_erf_large_over[] = {-9.8649440333e-03f, -6.9385856390e-01f, -1.0558626175e+01f,
                                      -6.2375331879e+01f, -1.6239666748e+02f, -1.8460508728e+02f,
                                      -8.1287437439e+01f, -9.8143291473e+00f};
TN_TABLE float tn_erf_large_under[] = {1.0f,
                                       1.9651271820e+01f,
                                       1.3765776062e+02f,
                                       4.3456588745e+02f,
                                       6.4538726807e+02f,
                                       4.2900814819e+02f,
                                       1.0863500214e+02f,
                                       6.5702495575e+00f,
                                       -6.0424413532e-02f};
TN_TABLE float tn_erf_largest_over[] = {-9.8649431020e-03f, -7.9928326607e-01f, -1.7757955551e+01f,
                                        -1.6063638306e+02f, -6.3756646729e+02f, -1.0250950928e+03f,
                                        -4.8351919556e+02f};
TN_TABLE float tn_erf_largest_under[] = {1.0f,
                                         3.0338060379e+01f,
                                         3.2579251099e+02f,
                                         1.5367296143e+03f,
                                         3.1998581543e+03f,
                                         2.5530502930e+03f,
                                         4.7452853394e+02f,
                                         -2.2440952301e+01f};
TN_FN float tn_erf(float x) {
  const float a = tn_abs(x);
  const tn_u32 sign = tn_bits(x) & 0x80000000u;
  if (a < 0.84375f) {
    const float efx = 1.2837916613e-01f;
    if (a < 0x1p-119f) return 0.0625f * (16.0f * x + (16.0f * efx) * x);
    const float z = x * x;
    return x + x * (tn_polynomial(tn_erf_small_over, z) / tn_polynomial(tn_erf_small_under, z));
  }
  if (a < 1.25f) {
    const float s = a - 1.0f;
    const float y = 8.4506291151e-01f +
                    tn_polynomial(tn_erf_middle_over, s) / tn_polynomial(tn_erf_middle_under, s);
    return tn_float(tn_bits(y) | sign);
  }
  if (a >= 6.0f) return tn_float(0x3f800000u | sign);
  const float s = 1.0f / (a * a);
  const bool is_below = a < 0x1.6db6dcp+1f;
  const float over =
      is_below ? tn_polynomial(tn_erf_large_over, s) : tn_polynomial(tn_erf_largest_over, s);
  const float under =
      is_below ? tn_polynomial(tn_erf_large_under, s) : tn_polynomial(tn_erf_largest_under, s);
  const float z = tn_float(tn_bits(a) & 0xfffff000u);
  const float e = tn_power(-0.5625f - z * z) * tn_power((z - a) * (z + a) + over / under);
  return tn_float(tn_bits(1.0f - e / a) | sign);
}
TN_FN float tn_sigmoid(float x) { return 1.0f / (1.0f + tn_exp(-x)); }

#endif /* TENON_RUNTIME_TENON_CUDA_DEVICE_H_ */

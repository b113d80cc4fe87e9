/* Definitions for code of external generators and for the code that calls it.
 *
 * An init function runs once, before the first call of its code: in <prefix>_init, or in the first
 * run. `state` points to `bytes` bytes that stay valid afterwards; both are 0 for code without a
 * state. If it does not return TENON_EXTERNAL_OK, <prefix>_init or the run returns its result.
 *
 *   int32_t my_init(void* state, int64_t bytes) {
 *     if (!TENON_CPU_HAS(avx2)) return TENON_EXTERNAL_UNAVAILABLE;
 *     ...
 *     return TENON_EXTERNAL_OK;
 *   }
 *
 * C99 and C++17; it needs no C library.
 */
#ifndef TENON_RUNTIME_TENON_EXTERNAL_H_
#define TENON_RUNTIME_TENON_EXTERNAL_H_

#include <stdint.h>

#define TENON_EXTERNAL_OK 0
/* The code cannot run on this machine, or with this version of a library. */
#define TENON_EXTERNAL_UNAVAILABLE 1

typedef int32_t (*tenon_external_init)(void* state, int64_t bytes);

/* A call of an external function that a payload computes. */
typedef struct tenon_payload_call {
  const char* symbol; /* the external function */
  const void* payload;
  int64_t payload_bytes;
  void* const* args; /* the tensors of its parameters; it may write only its results */
  int32_t arg_count;
  void* scratch; /* memory that holds nothing between calls; 0 without */
  int64_t scratch_bytes;
  void* state; /* memory that an init function fills once; 0 without */
  int64_t state_bytes;
} tenon_payload_call;

/* A run-time function that understands payloads. If its result is not 0, the run fails. */
typedef int32_t (*tenon_payload_function)(const tenon_payload_call* call);

/* TENON_CPU_HAS(avx2): not 0 if the processor has these instructions. On x86 this is checked at run
 * time; on other machines the compiler's target decides. */
#define TENON_CPU_HAS(name) TENON_CPU_HAS_##name

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#define TENON_X86_HAS(name) (__builtin_cpu_init(), __builtin_cpu_supports(name) != 0)
#else
#define TENON_X86_HAS(name) 0
#endif
#define TENON_CPU_HAS_sse4_1 TENON_X86_HAS("sse4.1")
#define TENON_CPU_HAS_sse4_2 TENON_X86_HAS("sse4.2")
#define TENON_CPU_HAS_avx TENON_X86_HAS("avx")
#define TENON_CPU_HAS_avx2 TENON_X86_HAS("avx2")
#define TENON_CPU_HAS_fma TENON_X86_HAS("fma")
#define TENON_CPU_HAS_bmi2 TENON_X86_HAS("bmi2")
#define TENON_CPU_HAS_avx512f TENON_X86_HAS("avx512f")
#define TENON_CPU_HAS_avx512bw TENON_X86_HAS("avx512bw")
#define TENON_CPU_HAS_avx512dq TENON_X86_HAS("avx512dq")
#define TENON_CPU_HAS_avx512vl TENON_X86_HAS("avx512vl")
#define TENON_CPU_HAS_avx512vnni TENON_X86_HAS("avx512vnni")

#if defined(__ARM_NEON)
#define TENON_CPU_HAS_neon 1
#else
#define TENON_CPU_HAS_neon 0
#endif
#if defined(__ARM_FEATURE_DOTPROD)
#define TENON_CPU_HAS_dotprod 1
#else
#define TENON_CPU_HAS_dotprod 0
#endif
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define TENON_CPU_HAS_i8mm 1
#else
#define TENON_CPU_HAS_i8mm 0
#endif
#if defined(__ARM_FEATURE_SVE)
#define TENON_CPU_HAS_sve 1
#else
#define TENON_CPU_HAS_sve 0
#endif
#if defined(__ARM_FEATURE_DSP)
#define TENON_CPU_HAS_dsp 1
#else
#define TENON_CPU_HAS_dsp 0
#endif
#if defined(__ARM_FEATURE_MVE)
#define TENON_CPU_HAS_mve 1
#else
#define TENON_CPU_HAS_mve 0
#endif

#endif /* TENON_RUNTIME_TENON_EXTERNAL_H_ */

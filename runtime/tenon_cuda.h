/* Programs for NVIDIA GPUs, as the code generator `cuda` writes them: tables of memory, kernels and
 * products of matrices, which tenon_cuda.c runs. docs/guide/cuda.md describes both.
 *
 * A program has one memory for weights and one for everything else, the plan. Both are allocated
 * once, and a place is an offset in one of them. The steps are captured as one graph, which each
 * run launches.
 *
 * C99 and C++17.
 */
#ifndef TENON_RUNTIME_TENON_CUDA_H_
#define TENON_RUNTIME_TENON_CUDA_H_

#include <stdint.h>

#include "tenon_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of a place. */
enum { TENON_CUDA_NONE, TENON_CUDA_PLAN, TENON_CUDA_WEIGHTS };

typedef struct tenon_cuda_place {
  int32_t memory;
  int64_t offset; /* bytes */
} tenon_cuda_place;

/* Bytes that an argument of the function and a memory of the device share. */
typedef struct tenon_cuda_copy {
  int32_t argument; /* -1: the bytes are in the payload, at `from` */
  int64_t from;     /* bytes from the start of the argument */
  int64_t to;       /* bytes from the start of the memory */
  int64_t bytes;
} tenon_cuda_copy;

/* The most operands of a kernel: TN_ARGS of tenon_cuda_device.h. */
#define TENON_CUDA_ARGS 16

typedef struct tenon_cuda_launch {
  const char* kernel;
  int32_t blocks;
  int32_t threads; /* of a block */
  int32_t args;    /* the first operand in the program's list of places */
  int32_t arg_count;
} tenon_cuda_launch;

/* Types of elements. */
enum { TENON_CUDA_F32, TENON_CUDA_F16, TENON_CUDA_BF16, TENON_CUDA_I8, TENON_CUDA_I32 };

/* Operations on the result of a product, in this order. */
enum { TENON_CUDA_BIAS = 1, TENON_CUDA_RELU = 2, TENON_CUDA_GELU_TANH = 4 };

/* d = operations(alpha * a * b + other), for `batches` products. Matrices are in the order of C,
 * with `leading` elements between rows: a has m rows and k columns, b k and n, d m and n. A
 * transposed matrix has rows and columns exchanged. */
typedef struct tenon_cuda_matrix {
  tenon_cuda_place place;
  int64_t leading;
  int64_t batch_step; /* elements between the matrices of two products */
  int32_t is_transposed;
  int32_t type;
} tenon_cuda_matrix;

typedef struct tenon_cuda_product {
  int64_t m, n, k;
  int32_t batches;
  int32_t operations;
  float alpha;
  tenon_cuda_matrix a, b, d;
  tenon_cuda_place bias;  /* n elements of the type of d */
  tenon_cuda_place other; /* of the form of d */
} tenon_cuda_product;

/* A step is launch number `index`, or product number -1 - `index`. */
typedef struct tenon_cuda_program {
  const char* symbol; /* the external function */
  const int32_t* steps;
  int32_t step_count;
  const tenon_cuda_launch* launches;
  const tenon_cuda_product* products;
  int32_t product_count;
  const tenon_cuda_place* args;
  const tenon_cuda_copy* weights; /* copied before the first run */
  int32_t weight_count;
  const tenon_cuda_copy* inputs; /* copied to the plan before each run */
  int32_t input_count;
  const tenon_cuda_copy* outputs; /* copied from the plan after each run */
  int32_t output_count;
  int64_t plan_bytes;
  int64_t weight_bytes;
  int32_t least_capability; /* of the GPU: 80 for 8.0 */
} tenon_cuda_program;

/* The size of the state of a program. */
#define TENON_CUDA_STATE_BYTES 64

/* Looks for the driver, a GPU and libraries. A thread then opens the device, so that the first run
 * finds it open if the caller reads constants in between. The result is TENON_EXTERNAL_OK, or
 * TENON_EXTERNAL_UNAVAILABLE; then tenon_external_message() says what is missing. */
int32_t tenon_cuda_init(const tenon_cuda_program* program, void* state, int64_t bytes);

/* Frees what the program of a state has on the device, which must not run meanwhile. After the last
 * program, the context of the device as well. Returns 0. */
int32_t tenon_cuda_fini(void* state, int64_t bytes);

/* Runs the program with the arguments of `call`. Its payload has the kernels. The first run uploads
 * weights and prepares the graph; one thread at a time runs a program. Returns 0, or a result of
 * the driver. After a failed run, all later ones fail too. */
int32_t tenon_cuda_run(const tenon_cuda_program* program, const tenon_payload_call* call);

/* Frees the memory of all programs of this library, which must not run meanwhile. Their next run
 * prepares them again. A library that is unloaded does this by itself. */
void tenon_cuda_release(void);

/* Times and sizes of a program, for measurements. */
typedef struct tenon_cuda_facts {
  double context_seconds; /* the context of the device, and cuBLASLt's start */
  double upload_seconds;  /* weights, from the call of the first copy to its end */
  double prepare_seconds; /* kernels, products and the graph */
  int64_t device_bytes;   /* all memory that the program allocated on the device */
  double graph_seconds;   /* of the last run: the graph alone, by events of the device */
} tenon_cuda_facts;
/* The facts of the program of an external function; 0 if it has not run. */
int32_t tenon_cuda_get_facts(const char* symbol, tenon_cuda_facts* facts);

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_CUDA_H_ */

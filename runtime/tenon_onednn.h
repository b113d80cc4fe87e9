/* Operators of external functions that oneDNN computes. The generator `onednn` emits this file.
 *
 * An operator is a table of numbers. The generator and the program make the same primitive from it,
 * so the generator knows the layout of packed weights, and the size of scratch memory.
 *
 * C99, for oneDNN 2.x and 3.x.
 */
#ifndef TENON_RUNTIME_TENON_ONEDNN_H_
#define TENON_RUNTIME_TENON_ONEDNN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_ONEDNN_DIMS 6
#define TENON_ONEDNN_POSTS 8
/* Bytes after packed weights, which name their layout. */
#define TENON_ONEDNN_TRAILER 64

/* Kinds of primitives. */
enum {
  TENON_ONEDNN_CONVOLUTION,
  TENON_ONEDNN_INNER_PRODUCT,
  TENON_ONEDNN_MATMUL,
  TENON_ONEDNN_POOLING,
  TENON_ONEDNN_SOFTMAX,
  TENON_ONEDNN_ELTWISE,
  TENON_ONEDNN_BINARY,
  TENON_ONEDNN_SUM /* only as an operation after another one */
};

/* Algorithms of pooling, of functions of one element, and of two. */
enum {
  TENON_ONEDNN_NONE,
  TENON_ONEDNN_POOL_MAX,
  TENON_ONEDNN_POOL_AVERAGE,
  TENON_ONEDNN_RELU,
  TENON_ONEDNN_CLIP,
  TENON_ONEDNN_LINEAR,
  TENON_ONEDNN_TANH,
  TENON_ONEDNN_LOGISTIC,
  TENON_ONEDNN_EXP,
  TENON_ONEDNN_LOG,
  TENON_ONEDNN_SQRT,
  TENON_ONEDNN_ABS,
  TENON_ONEDNN_ADD,
  TENON_ONEDNN_SUBTRACT,
  TENON_ONEDNN_MULTIPLY,
  TENON_ONEDNN_DIVIDE,
  TENON_ONEDNN_MAXIMUM,
  TENON_ONEDNN_MINIMUM
};

/* A tensor of floats. Without dimensions, the operator has no such tensor. */
typedef struct tenon_onednn_tensor {
  int32_t count; /* of dimensions */
  int64_t dims[TENON_ONEDNN_DIMS];
  int64_t strides[TENON_ONEDNN_DIMS]; /* in elements */
} tenon_onednn_tensor;

/* An operation on the result: y = max(y, 0), y = y + other. */
typedef struct tenon_onednn_post {
  int32_t kind;
  int32_t algorithm;
  float alpha, beta;
  tenon_onednn_tensor other;
} tenon_onednn_post;

typedef struct tenon_onednn_op {
  int32_t kind;
  int32_t algorithm;
  float alpha, beta;
  int32_t axis;  /* of softmax */
  int32_t space; /* axes of the window */
  int64_t kernel[3], stride[3], dilation[3], pad_before[3], pad_after[3];
  tenon_onednn_tensor source, weights, bias, result;
  int32_t packed; /* weights are in the layout that the library prefers */
  int32_t threads;
  int32_t post_count;
  tenon_onednn_post posts[TENON_ONEDNN_POSTS];
  /* The library's answers at compile time. */
  uint64_t layout;
  int64_t packed_bytes;
  int64_t scratch_bytes;
} tenon_onednn_op;

/* Tensors of a call: source, weights (second operand of TENON_ONEDNN_BINARY), bias, result, scratch
 * memory, then one for each operation after the first. */
#define TENON_ONEDNN_ARGS (5 + TENON_ONEDNN_POSTS)
/* Bytes of the state of `count` operators. */
#define TENON_ONEDNN_STATE_BYTES(count) (64 + (int64_t)(count)*320)

/* 20603 for oneDNN 2.6.3. */
int32_t tenon_onednn_version(void);
/* The number of the instruction set that the library uses: dnnl_cpu_isa_t. */
int32_t tenon_onednn_isa(void);

/* Makes the primitives of operators. Returns 0, or 1 if this library would compute them in another
 * way than the library at compile time. */
int32_t tenon_onednn_init(const tenon_onednn_op* ops, int32_t count, void* state, int64_t bytes);
/* One thread at a time runs the operators of a state. */
void tenon_onednn_begin(void* state);
void tenon_onednn_end(void* state);
/* Runs operator `index`. The result is 0 after success. */
int32_t tenon_onednn_run(void* state, int32_t index, const void* const* args);

#ifdef TENON_ONEDNN_COMPILER
/* Fills `layout`, `packed_bytes` and `scratch_bytes`. `name` gets the name of the implementation.
 * Returns 0 if the library has the operator. */
int32_t tenon_onednn_ask(tenon_onednn_op* op, char name[64]);
/* 1 if the library's threads are OpenMP's. */
int32_t tenon_onednn_has_openmp(void);
/* Packs weights with the strides of op->weights into op->packed_bytes bytes. */
int32_t tenon_onednn_pack(const tenon_onednn_op* op, const float* weights, void* packed);
#endif

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_TENON_ONEDNN_H_ */

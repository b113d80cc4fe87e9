/* Operators of external functions that oneDNN computes: see tenon_onednn.h. */
#include "tenon_onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#define TENON_ONEDNN_YIELD() ((void)sched_yield())
#else
#define TENON_ONEDNN_YIELD() ((void)0)
#endif

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int count);
static int set_threads(int count) {
  const int before = omp_get_max_threads();
  if (count != before) omp_set_num_threads(count);
  return before;
}
#else
static int set_threads(int count) { return count; }
#endif

/* Version 2 has descriptions as structures, version 3 as objects. */
typedef struct described {
  dnnl_memory_desc_t desc;
} described;
#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t described_in;
static described_in in_of(const described* tensor) { return tensor->desc; }
static void forget(described* tensor) {
  if (tensor->desc != NULL) (void)dnnl_memory_desc_destroy(tensor->desc);
  tensor->desc = NULL;
}
#else
typedef const dnnl_memory_desc_t* described_in;
static described_in in_of(const described* tensor) { return &tensor->desc; }
static void forget(described* tensor) { (void)tensor; }
#endif

/* All tensors of an operator while its primitive is made. */
typedef struct descriptions {
  described source, weights, bias, result;
  described posts[TENON_ONEDNN_POSTS];
  dnnl_post_ops_t post_ops;
  dnnl_primitive_attr_t attr;
} descriptions;

static int describe(described* out, const tenon_onednn_tensor* tensor, int is_any) {
  dnnl_dims_t dims, strides;
  int i;
  if (tensor->count < 1 || tensor->count > TENON_ONEDNN_DIMS) return 0;
  for (i = 0; i < tensor->count; ++i) {
    dims[i] = tensor->dims[i];
    strides[i] = tensor->strides[i];
  }
#if DNNL_VERSION_MAJOR >= 3
  if (is_any) {
    return dnnl_memory_desc_create_with_tag(&out->desc, tensor->count, dims, dnnl_f32,
                                            dnnl_format_tag_any) == dnnl_success;
  }
  return dnnl_memory_desc_create_with_strides(&out->desc, tensor->count, dims, dnnl_f32, strides) ==
         dnnl_success;
#else
  if (is_any) {
    return dnnl_memory_desc_init_by_tag(&out->desc, tensor->count, dims, dnnl_f32,
                                        dnnl_format_tag_any) == dnnl_success;
  }
  return dnnl_memory_desc_init_by_strides(&out->desc, tensor->count, dims, dnnl_f32, strides) ==
         dnnl_success;
#endif
}

static dnnl_alg_kind_t algorithm_of(int32_t algorithm) {
  switch (algorithm) {
    case TENON_ONEDNN_POOL_MAX:
      return dnnl_pooling_max;
    case TENON_ONEDNN_POOL_AVERAGE:
      return dnnl_pooling_avg_include_padding;
    case TENON_ONEDNN_RELU:
      return dnnl_eltwise_relu;
    case TENON_ONEDNN_CLIP:
      return dnnl_eltwise_clip;
    case TENON_ONEDNN_LINEAR:
      return dnnl_eltwise_linear;
    case TENON_ONEDNN_TANH:
      return dnnl_eltwise_tanh;
    case TENON_ONEDNN_LOGISTIC:
      return dnnl_eltwise_logistic;
    case TENON_ONEDNN_EXP:
      return dnnl_eltwise_exp;
    case TENON_ONEDNN_LOG:
      return dnnl_eltwise_log;
    case TENON_ONEDNN_SQRT:
      return dnnl_eltwise_sqrt;
    case TENON_ONEDNN_ABS:
      return dnnl_eltwise_abs;
    case TENON_ONEDNN_ADD:
      return dnnl_binary_add;
    case TENON_ONEDNN_SUBTRACT:
      return dnnl_binary_sub;
    case TENON_ONEDNN_MULTIPLY:
      return dnnl_binary_mul;
    case TENON_ONEDNN_DIVIDE:
      return dnnl_binary_div;
    case TENON_ONEDNN_MAXIMUM:
      return dnnl_binary_max;
    case TENON_ONEDNN_MINIMUM:
      return dnnl_binary_min;
    default:
      return dnnl_alg_kind_undef;
  }
}

static int append_post(descriptions* all, const tenon_onednn_post* post, described* other) {
  const dnnl_alg_kind_t algorithm = algorithm_of(post->algorithm);
  switch (post->kind) {
    case TENON_ONEDNN_SUM:
#if DNNL_VERSION_MAJOR >= 3
      return dnnl_post_ops_append_sum(all->post_ops, 1.0f, 0, dnnl_f32) == dnnl_success;
#else
      return dnnl_post_ops_append_sum(all->post_ops, 1.0f) == dnnl_success;
#endif
    case TENON_ONEDNN_ELTWISE:
#if DNNL_VERSION_MAJOR >= 3
      return dnnl_post_ops_append_eltwise(all->post_ops, algorithm, post->alpha, post->beta) ==
             dnnl_success;
#else
      return dnnl_post_ops_append_eltwise(all->post_ops, 1.0f, algorithm, post->alpha,
                                          post->beta) == dnnl_success;
#endif
    case TENON_ONEDNN_BINARY:
      return describe(other, &post->other, 0) &&
             dnnl_post_ops_append_binary(all->post_ops, algorithm, in_of(other)) == dnnl_success;
    default:
      return 0;
  }
}

static int describe_all(descriptions* all, const tenon_onednn_op* op) {
  int i;
  memset(all, 0, sizeof *all);
  if (op->post_count < 0 || op->post_count > TENON_ONEDNN_POSTS) return 0;
  if (!describe(&all->source, &op->source, 0) || !describe(&all->result, &op->result, 0)) return 0;
  if (op->weights.count > 0 && !describe(&all->weights, &op->weights, op->packed)) return 0;
  if (op->bias.count > 0 && !describe(&all->bias, &op->bias, 0)) return 0;
  if (dnnl_primitive_attr_create(&all->attr) != dnnl_success ||
      dnnl_post_ops_create(&all->post_ops) != dnnl_success)
    return 0;
  for (i = 0; i < op->post_count; ++i) {
    if (!append_post(all, &op->posts[i], &all->posts[i])) return 0;
  }
  /* The caller of the operators has the scratch memory. */
  return dnnl_primitive_attr_set_scratchpad_mode(all->attr, dnnl_scratchpad_mode_user) ==
             dnnl_success &&
         (op->post_count == 0 ||
          dnnl_primitive_attr_set_post_ops(all->attr, all->post_ops) == dnnl_success);
}

static void forget_all(descriptions* all) {
  int i;
  forget(&all->source);
  forget(&all->weights);
  forget(&all->bias);
  forget(&all->result);
  for (i = 0; i < TENON_ONEDNN_POSTS; ++i) forget(&all->posts[i]);
  if (all->post_ops != NULL) (void)dnnl_post_ops_destroy(all->post_ops);
  if (all->attr != NULL) (void)dnnl_primitive_attr_destroy(all->attr);
}

/* Windows in the library's terms: without dilation, the number is 0. */
typedef struct window {
  dnnl_dims_t kernel, stride, dilation, pad_before, pad_after;
} window;

static window window_of(const tenon_onednn_op* op) {
  window made;
  int i;
  memset(&made, 0, sizeof made);
  for (i = 0; i < op->space && i < 3; ++i) {
    made.kernel[i] = op->kernel[i];
    made.stride[i] = op->stride[i];
    made.dilation[i] = op->dilation[i] - 1;
    made.pad_before[i] = op->pad_before[i];
    made.pad_after[i] = op->pad_after[i];
  }
  return made;
}

#if DNNL_VERSION_MAJOR >= 3
static dnnl_status_t make_desc(dnnl_primitive_desc_t* made, const tenon_onednn_op* op,
                               const descriptions* all, dnnl_engine_t engine) {
  const window w = window_of(op);
  const dnnl_alg_kind_t algorithm = algorithm_of(op->algorithm);
  const described_in bias = op->bias.count > 0 ? in_of(&all->bias) : NULL;
  switch (op->kind) {
    case TENON_ONEDNN_CONVOLUTION:
      return dnnl_convolution_forward_primitive_desc_create(
          made, engine, dnnl_forward_inference, dnnl_convolution_direct, in_of(&all->source),
          in_of(&all->weights), bias, in_of(&all->result), w.stride, w.dilation, w.pad_before,
          w.pad_after, all->attr);
    case TENON_ONEDNN_INNER_PRODUCT:
      return dnnl_inner_product_forward_primitive_desc_create(
          made, engine, dnnl_forward_inference, in_of(&all->source), in_of(&all->weights), bias,
          in_of(&all->result), all->attr);
    case TENON_ONEDNN_MATMUL:
      return dnnl_matmul_primitive_desc_create(made, engine, in_of(&all->source),
                                               in_of(&all->weights), bias, in_of(&all->result),
                                               all->attr);
    case TENON_ONEDNN_POOLING:
      return dnnl_pooling_forward_primitive_desc_create(
          made, engine, dnnl_forward_inference, algorithm, in_of(&all->source), in_of(&all->result),
          w.stride, w.kernel, w.dilation, w.pad_before, w.pad_after, all->attr);
    case TENON_ONEDNN_SOFTMAX:
      return dnnl_softmax_forward_primitive_desc_create(made, engine, dnnl_forward_inference,
                                                        dnnl_softmax_accurate, in_of(&all->source),
                                                        in_of(&all->result), op->axis, all->attr);
    case TENON_ONEDNN_ELTWISE:
      return dnnl_eltwise_forward_primitive_desc_create(
          made, engine, dnnl_forward_inference, algorithm, in_of(&all->source), in_of(&all->result),
          op->alpha, op->beta, all->attr);
    case TENON_ONEDNN_BINARY:
      return dnnl_binary_primitive_desc_create(made, engine, algorithm, in_of(&all->source),
                                               in_of(&all->weights), in_of(&all->result),
                                               all->attr);
    default:
      return dnnl_invalid_arguments;
  }
}
#else
static dnnl_status_t make_desc(dnnl_primitive_desc_t* made, const tenon_onednn_op* op,
                               const descriptions* all, dnnl_engine_t engine) {
  const window w = window_of(op);
  const dnnl_alg_kind_t algorithm = algorithm_of(op->algorithm);
  const described_in bias = op->bias.count > 0 ? in_of(&all->bias) : NULL;
  union {
    dnnl_convolution_desc_t convolution;
    dnnl_inner_product_desc_t inner_product;
    dnnl_matmul_desc_t matmul;
    dnnl_pooling_v2_desc_t pooling;
    dnnl_softmax_desc_t softmax;
    dnnl_eltwise_desc_t eltwise;
    dnnl_binary_desc_t binary;
  } desc;
  dnnl_status_t status;
  switch (op->kind) {
    case TENON_ONEDNN_CONVOLUTION:
      status = dnnl_dilated_convolution_forward_desc_init(
          &desc.convolution, dnnl_forward_inference, dnnl_convolution_direct, in_of(&all->source),
          in_of(&all->weights), bias, in_of(&all->result), w.stride, w.dilation, w.pad_before,
          w.pad_after);
      break;
    case TENON_ONEDNN_INNER_PRODUCT:
      status = dnnl_inner_product_forward_desc_init(&desc.inner_product, dnnl_forward_inference,
                                                    in_of(&all->source), in_of(&all->weights), bias,
                                                    in_of(&all->result));
      break;
    case TENON_ONEDNN_MATMUL:
      status = dnnl_matmul_desc_init(&desc.matmul, in_of(&all->source), in_of(&all->weights), bias,
                                     in_of(&all->result));
      break;
    case TENON_ONEDNN_POOLING:
      status = dnnl_pooling_v2_forward_desc_init(&desc.pooling, dnnl_forward_inference, algorithm,
                                                 in_of(&all->source), in_of(&all->result), w.stride,
                                                 w.kernel, w.dilation, w.pad_before, w.pad_after);
      break;
    case TENON_ONEDNN_SOFTMAX:
      status = dnnl_softmax_forward_desc_init(&desc.softmax, dnnl_forward_inference,
                                              in_of(&all->source), op->axis);
      break;
    case TENON_ONEDNN_ELTWISE:
      status = dnnl_eltwise_forward_desc_init(&desc.eltwise, dnnl_forward_inference, algorithm,
                                              in_of(&all->source), op->alpha, op->beta);
      break;
    case TENON_ONEDNN_BINARY:
      status = dnnl_binary_desc_init(&desc.binary, algorithm, in_of(&all->source),
                                     in_of(&all->weights), in_of(&all->result));
      break;
    default:
      return dnnl_invalid_arguments;
  }
  if (status != dnnl_success) return status;
  return dnnl_primitive_desc_create(made, &desc, all->attr, engine, NULL);
}
#endif

static dnnl_primitive_desc_t desc_of(const tenon_onednn_op* op, dnnl_engine_t engine) {
  descriptions all;
  dnnl_primitive_desc_t made = NULL;
  const int ok = describe_all(&all, op) && make_desc(&made, op, &all, engine) == dnnl_success;
  forget_all(&all);
  return ok ? made : NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  int i;
  for (i = 0; i < 8; ++i) {
    hash = (hash ^ (value >> (8 * i) & 255)) * UINT64_C(1099511628211);
  }
  return hash;
}

/* A number for the layout of a tensor; 0 if bytes alone do not describe it. */
static uint64_t layout_of(described_in desc) {
  uint64_t hash = UINT64_C(14695981039346656037);
  int i;
#if DNNL_VERSION_MAJOR >= 3
  int32_t dims = 0, blocks = 0;
  dnnl_format_kind_t kind = dnnl_format_kind_undef;
  const dnnl_dims_t *sizes = NULL, *strides = NULL, *inner = NULL, *inner_of = NULL;
  if (dnnl_memory_desc_query(desc, dnnl_query_format_kind, &kind) != dnnl_success ||
      kind != dnnl_blocked ||
      dnnl_memory_desc_query(desc, dnnl_query_ndims_s32, &dims) != dnnl_success ||
      dnnl_memory_desc_query(desc, dnnl_query_padded_dims, &sizes) != dnnl_success ||
      dnnl_memory_desc_query(desc, dnnl_query_strides, &strides) != dnnl_success ||
      dnnl_memory_desc_query(desc, dnnl_query_inner_nblks_s32, &blocks) != dnnl_success ||
      dnnl_memory_desc_query(desc, dnnl_query_inner_blks, &inner) != dnnl_success ||
      dnnl_memory_desc_query(desc, dnnl_query_inner_idxs, &inner_of) != dnnl_success)
    return 0;
  for (i = 0; i < dims; ++i) {
    hash = mix(hash, (uint64_t)(*sizes)[i]);
    hash = mix(hash, (uint64_t)(*strides)[i]);
  }
  for (i = 0; i < blocks; ++i) {
    hash = mix(hash, (uint64_t)(*inner)[i]);
    hash = mix(hash, (uint64_t)(*inner_of)[i]);
  }
#else
  const dnnl_blocking_desc_t* blocking = &desc->format_desc.blocking;
  if (desc->format_kind != dnnl_blocked || desc->extra.flags != dnnl_memory_extra_flag_none)
    return 0;
  for (i = 0; i < desc->ndims; ++i) {
    hash = mix(hash, (uint64_t)desc->padded_dims[i]);
    hash = mix(hash, (uint64_t)blocking->strides[i]);
  }
  for (i = 0; i < blocking->inner_nblks; ++i) {
    hash = mix(hash, (uint64_t)blocking->inner_blks[i]);
    hash = mix(hash, (uint64_t)blocking->inner_idxs[i]);
  }
#endif
  return hash == 0 ? 1 : hash;
}

static described_in tensor_of(dnnl_primitive_desc_t desc, dnnl_query_t what, int index) {
  return dnnl_primitive_desc_query_md(desc, what, index);
}

/* Fills what the library says about an operator. */
static int facts_of(dnnl_primitive_desc_t desc, tenon_onednn_op* op) {
  const described_in scratch = tensor_of(desc, dnnl_query_scratchpad_md, 0);
  op->scratch_bytes = scratch == NULL ? 0 : (int64_t)dnnl_memory_desc_get_size(scratch);
  op->layout = 0;
  op->packed_bytes = 0;
  if (op->packed) {
    const described_in weights = tensor_of(desc, dnnl_query_weights_md, 0);
    if (weights == NULL) return 0;
    op->layout = layout_of(weights);
    op->packed_bytes = (int64_t)dnnl_memory_desc_get_size(weights);
    if (op->layout == 0) return 0;
  }
  return 1;
}

/* The state of one operator: its primitive and its tensors. */
enum { kSource, kWeights, kBias, kResult, kScratch, kFirstPost };
typedef struct op_state {
  const tenon_onednn_op* op;
  dnnl_primitive_t primitive;
  int32_t arg_count;
  int32_t sum; /* the post that adds to the result; -1 without */
  int64_t result_bytes;
  dnnl_exec_arg_t args[TENON_ONEDNN_ARGS];
  int8_t place[TENON_ONEDNN_ARGS]; /* of each argument in the list of the caller */
} op_state;

typedef struct all_states {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  int threads_before;
  char lock;
} all_states;

/* The memory of operators follows all_states. */
typedef char op_state_fits[sizeof(op_state) <= 320 ? 1 : -1];
typedef char all_states_fit[sizeof(all_states) <= 64 ? 1 : -1];

static op_state* state_of(void* state, int32_t index) {
  return (op_state*)(void*)((char*)state + 64 + (int64_t)index * 320);
}

static int64_t span_of(const tenon_onednn_tensor* tensor) {
  int64_t last = 0;
  int i;
  for (i = 0; i < tensor->count; ++i) last += (tensor->dims[i] - 1) * tensor->strides[i];
  return (last + 1) * (int64_t)sizeof(float);
}

static int add_tensor(op_state* state, int argument, int place, described_in desc,
                      dnnl_engine_t engine) {
  dnnl_exec_arg_t* arg = &state->args[state->arg_count];
  if (desc == NULL) return 0;
  if (dnnl_memory_create(&arg->memory, desc, engine, DNNL_MEMORY_NONE) != dnnl_success) return 0;
  arg->arg = argument;
  state->place[state->arg_count++] = (int8_t)place;
  return 1;
}

/* A row of bytes. Version 2 writes zeros to the padding of blocked tensors when it gets their
 * address. Weights lie in memory that is only read, so they are described without blocks. */
static int add_bytes(op_state* state, int argument, int place, int64_t bytes,
                     dnnl_engine_t engine) {
  tenon_onednn_tensor row;
  described desc;
  int ok;
  memset(&row, 0, sizeof row);
  memset(&desc, 0, sizeof desc);
  row.count = 1;
  row.dims[0] = (bytes + 3) / 4;
  row.strides[0] = 1;
  ok = describe(&desc, &row, 0) && add_tensor(state, argument, place, in_of(&desc), engine);
  forget(&desc);
  return ok;
}

static int add_all_tensors(op_state* state, dnnl_primitive_desc_t desc, dnnl_engine_t engine) {
  const tenon_onednn_op* op = state->op;
  const int is_binary = op->kind == TENON_ONEDNN_BINARY;
  int i;
  int ok =
      add_tensor(state, DNNL_ARG_SRC, kSource, tensor_of(desc, dnnl_query_src_md, 0), engine) &&
      add_tensor(state, DNNL_ARG_DST, kResult, tensor_of(desc, dnnl_query_dst_md, 0), engine);
  if (ok && op->packed) {
    ok = add_bytes(state, DNNL_ARG_WEIGHTS, kWeights, op->packed_bytes, engine);
  } else if (ok && op->weights.count > 0) {
    ok = add_tensor(state, is_binary ? DNNL_ARG_SRC_1 : DNNL_ARG_WEIGHTS, kWeights,
                    is_binary ? tensor_of(desc, dnnl_query_src_md, 1)
                              : tensor_of(desc, dnnl_query_weights_md, 0),
                    engine);
  }
  if (ok && op->bias.count > 0)
    ok = add_tensor(state, DNNL_ARG_BIAS, kBias, tensor_of(desc, dnnl_query_weights_md, 1), engine);
  if (ok && op->scratch_bytes > 0)
    ok = add_bytes(state, DNNL_ARG_SCRATCHPAD, kScratch, op->scratch_bytes, engine);
  state->sum = -1;
  for (i = 0; ok && i < op->post_count; ++i) {
    const int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1;
    if (op->posts[i].kind == TENON_ONEDNN_SUM) state->sum = i;
    if (op->posts[i].kind != TENON_ONEDNN_BINARY) continue;
    ok = add_tensor(state, argument, kFirstPost + i,
                    tensor_of(desc, dnnl_query_exec_arg_md, argument), engine);
  }
  state->result_bytes = span_of(&op->result);
  return ok;
}

static int init_op(op_state* state, const tenon_onednn_op* op, dnnl_engine_t engine) {
  tenon_onednn_op now = *op;
  dnnl_primitive_desc_t desc = desc_of(op, engine);
  int ok;
  memset(state, 0, sizeof *state);
  state->op = op;
  if (desc == NULL) return 0;
  ok = facts_of(desc, &now) && now.layout == op->layout && now.packed_bytes == op->packed_bytes &&
       now.scratch_bytes <= op->scratch_bytes &&
       dnnl_primitive_create(&state->primitive, desc) == dnnl_success &&
       add_all_tensors(state, desc, engine);
  (void)dnnl_primitive_desc_destroy(desc);
  return ok;
}

int32_t tenon_onednn_version(void) {
  const dnnl_version_t* version = dnnl_version();
  return version->major * 10000 + version->minor * 100 + version->patch;
}

int32_t tenon_onednn_isa(void) { return (int32_t)dnnl_get_effective_cpu_isa(); }

int32_t tenon_onednn_init(const tenon_onednn_op* ops, int32_t count, void* state, int64_t bytes) {
  all_states* const all = (all_states*)state;
  int32_t i;
  int before, ok;
  if (bytes < TENON_ONEDNN_STATE_BYTES(count)) return 1;
  memset(all, 0, sizeof *all);
  before = set_threads(count > 0 ? ops[0].threads : 1);
  ok = dnnl_engine_create(&all->engine, dnnl_cpu, 0) == dnnl_success &&
       dnnl_stream_create(&all->stream, all->engine, dnnl_stream_default_flags) == dnnl_success;
  for (i = 0; ok && i < count; ++i) ok = init_op(state_of(state, i), &ops[i], all->engine);
  (void)set_threads(before);
  return ok ? 0 : 1;
}

void tenon_onednn_begin(void* state) {
  all_states* const all = (all_states*)state;
  while (__atomic_test_and_set(&all->lock, __ATOMIC_ACQUIRE)) TENON_ONEDNN_YIELD();
  all->threads_before = set_threads(state_of(state, 0)->op->threads);
}

void tenon_onednn_end(void* state) {
  all_states* const all = (all_states*)state;
  (void)set_threads(all->threads_before);
  __atomic_clear(&all->lock, __ATOMIC_RELEASE);
}

/* Weights of another layout have another trailer. */
static int has_layout(const void* weights, const tenon_onednn_op* op) {
  uint64_t trailer[2];
  memcpy(trailer, (const char*)weights + op->packed_bytes, sizeof trailer);
  return memcmp(&trailer[0], "tenondnn", 8) == 0 && trailer[1] == op->layout;
}

static int set_tensors(op_state* state, const void* const* args) {
  int32_t i;
  for (i = 0; i < state->arg_count; ++i) {
    const int place = state->place[i];
    void* before = NULL;
    void* now;
    /* The library takes addresses of memory that it only reads without `const`. */
    memcpy(&now, &args[place], sizeof now);
    if (dnnl_memory_get_data_handle(state->args[i].memory, &before) != dnnl_success) return 0;
    if (before == now) continue;
    if (place == kWeights && state->op->packed && !has_layout(now, state->op)) return 0;
    if (dnnl_memory_set_data_handle(state->args[i].memory, now) != dnnl_success) return 0;
  }
  return 1;
}

int32_t tenon_onednn_run(void* state, int32_t index, const void* const* args) {
  op_state* const op = state_of(state, index);
  if (!set_tensors(op, args)) return 1;
  if (op->sum >= 0 && args[kFirstPost + op->sum] != args[kResult]) {
    void* result;
    memcpy(&result, &args[kResult], sizeof result);
    memcpy(result, args[kFirstPost + op->sum], (size_t)op->result_bytes);
  }
  return dnnl_primitive_execute(op->primitive, ((all_states*)state)->stream, op->arg_count,
                                op->args) == dnnl_success
             ? 0
             : 1;
}

#ifdef TENON_ONEDNN_COMPILER
int32_t tenon_onednn_has_openmp(void) { return DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP ? 1 : 0; }

int32_t tenon_onednn_ask(tenon_onednn_op* op, char name[64]) {
  dnnl_engine_t engine = NULL;
  dnnl_primitive_desc_t desc = NULL;
  const char* text = NULL;
  const int before = set_threads(op->threads);
  int ok = dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success;
  if (ok) desc = desc_of(op, engine);
  ok = desc != NULL && facts_of(desc, op) &&
       dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &text) == dnnl_success;
  memset(name, 0, 64);
  if (ok && text != NULL) memcpy(name, text, strlen(text) < 63 ? strlen(text) : 63);
  if (desc != NULL) (void)dnnl_primitive_desc_destroy(desc);
  if (engine != NULL) (void)dnnl_engine_destroy(engine);
  (void)set_threads(before);
  return ok ? 0 : 1;
}

static int reorder(dnnl_engine_t engine, described_in from_desc, void* from, described_in to_desc,
                   void* to) {
  dnnl_primitive_desc_t desc = NULL;
  dnnl_primitive_t primitive = NULL;
  dnnl_stream_t stream = NULL;
  dnnl_exec_arg_t args[2];
  int ok;
  memset(args, 0, sizeof args);
  args[0].arg = DNNL_ARG_FROM;
  args[1].arg = DNNL_ARG_TO;
  ok = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success &&
       dnnl_memory_create(&args[0].memory, from_desc, engine, from) == dnnl_success &&
       dnnl_memory_create(&args[1].memory, to_desc, engine, to) == dnnl_success &&
       dnnl_reorder_primitive_desc_create(&desc, from_desc, engine, to_desc, engine, NULL) ==
           dnnl_success &&
       dnnl_primitive_create(&primitive, desc) == dnnl_success &&
       dnnl_primitive_execute(primitive, stream, 2, args) == dnnl_success &&
       dnnl_stream_wait(stream) == dnnl_success;
  if (primitive != NULL) (void)dnnl_primitive_destroy(primitive);
  if (desc != NULL) (void)dnnl_primitive_desc_destroy(desc);
  if (args[0].memory != NULL) (void)dnnl_memory_destroy(args[0].memory);
  if (args[1].memory != NULL) (void)dnnl_memory_destroy(args[1].memory);
  if (stream != NULL) (void)dnnl_stream_destroy(stream);
  return ok;
}

int32_t tenon_onednn_pack(const tenon_onednn_op* op, const float* weights, void* packed) {
  dnnl_engine_t engine = NULL;
  dnnl_primitive_desc_t desc = NULL;
  described plain;
  void* from;
  const int before = set_threads(op->threads);
  int ok = dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success;
  memset(&plain, 0, sizeof plain);
  memcpy(&from, &weights, sizeof from);
  memset(packed, 0, (size_t)op->packed_bytes);
  if (ok) desc = desc_of(op, engine);
  ok = desc != NULL && describe(&plain, &op->weights, 0) &&
       reorder(engine, in_of(&plain), from, tensor_of(desc, dnnl_query_weights_md, 0), packed);
  forget(&plain);
  if (desc != NULL) (void)dnnl_primitive_desc_destroy(desc);
  if (engine != NULL) (void)dnnl_engine_destroy(engine);
  (void)set_threads(before);
  return ok ? 0 : 1;
}
#endif

/* Runs the primitives of generated code of the generator `onednn`, and nothing else: the speed that
 * the library allows. the benchmark onednn_speed compiles it with -DCODE='"..._onednn.c"' and
 * -DOPS=..._ops. */
#include CODE
#include <stdlib.h>

#include "tenon_onednn.c"

enum { kCount = (int)(sizeof OPS / sizeof OPS[0]) };
static void* bare_state;

static void* memory_of(int64_t bytes) {
  void* memory = aligned_alloc(64, (size_t)(bytes / 64 + 2) * 64);
  if (memory != NULL) memset(memory, 0, (size_t)(bytes / 64 + 2) * 64);
  return memory;
}

int32_t bare_init(void);
int32_t bare_init(void) {
  int64_t largest = 0;
  int32_t i, k;
  void* tensors[3];
  bare_state = memory_of(TENON_ONEDNN_STATE_BYTES(kCount));
  if (tenon_onednn_init(OPS, kCount, bare_state, TENON_ONEDNN_STATE_BYTES(kCount)) != 0) return 1;
  for (i = 0; i < kCount; ++i) {
    if (span_of(&OPS[i].source) > largest) largest = span_of(&OPS[i].source);
    if (span_of(&OPS[i].result) > largest) largest = span_of(&OPS[i].result);
    if (OPS[i].scratch_bytes > largest) largest = OPS[i].scratch_bytes;
  }
  for (i = 0; i < 3; ++i) tensors[i] = memory_of(largest);
  for (i = 0; i < kCount; ++i) {
    const tenon_onednn_op* op = &OPS[i];
    const void* args[TENON_ONEDNN_ARGS];
    char* weights = (char*)memory_of((op->packed ? op->packed_bytes : span_of(&op->weights)) +
                                     TENON_ONEDNN_TRAILER);
    if (op->packed) {
      memcpy(weights + op->packed_bytes, "tenondnn", 8);
      memcpy(weights + op->packed_bytes + 8, &op->layout, 8);
    }
    /* Results are the sources of the next operator, and of sums. */
    for (k = 0; k < TENON_ONEDNN_ARGS; ++k) args[k] = tensors[(i + 1) % 2];
    args[kSource] = tensors[i % 2];
    args[kWeights] = op->weights.count > 0 ? weights : NULL;
    args[kBias] = memory_of(span_of(&op->bias));
    args[kScratch] = tensors[2];
    if (!set_tensors(state_of(bare_state, i), args)) return 2;
  }
  (void)set_threads(OPS[0].threads);
  return 0;
}

int32_t bare_run(void);
int32_t bare_run(void) {
  int32_t i;
  for (i = 0; i < kCount; ++i) {
    const op_state* op = state_of(bare_state, i);
    if (dnnl_primitive_execute(op->primitive, ((all_states*)bare_state)->stream, op->arg_count,
                               op->args) != dnnl_success)
      return 1;
  }
  return 0;
}

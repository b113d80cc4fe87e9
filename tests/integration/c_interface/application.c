/* A typical program for microTVM's C interface, which only includes the generated header. With
 * EXTERNAL_POOL, the caller owns the workspace and passes it in the workspace_pools struct.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tvmgen_default.h"

static int8_t input[TVMGEN_DEFAULT_X_SIZE];
static int32_t output[TVMGEN_DEFAULT_Y_SIZE / sizeof(int32_t)];
static int64_t total[TVMGEN_DEFAULT_Z_SIZE / sizeof(int64_t)];

#ifdef EXTERNAL_POOL
/* Bytes after the pool must not change. */
static uint8_t arena[TVMGEN_DEFAULT_SRAM_WORKSPACE_POOL_SIZE + 16] __attribute__((aligned(16)));
#endif

static int32_t run(void) {
  struct tvmgen_default_inputs inputs;
  struct tvmgen_default_outputs outputs;
  inputs.x = input;
  outputs.y = output;
  outputs.z = total;
#ifdef EXTERNAL_POOL
  {
    struct tvmgen_default_workspace_pools pools;
    pools.sram = arena;
    return tvmgen_default_run(&inputs, &outputs, &pools);
  }
#else
  return tvmgen_default_run(&inputs, &outputs);
#endif
}

static int expect(const int8_t x[4], int32_t a, int32_t b, int32_t c) {
  memcpy(input, x, sizeof(input));
  if (run() != 0) {
    printf("the model failed\n");
    return 1;
  }
  if (output[0] != a || output[1] != b || output[2] != c || total[0] != (int64_t)a + b + c) {
    printf("got %d %d %d\n", (int)output[0], (int)output[1], (int)output[2]);
    return 1;
  }
  return 0;
}

int main(void) {
  static const int8_t ones[4] = {1, 1, 1, 1};
  static const int8_t mixed[4] = {-128, 5, 0, 100};
  static const int8_t refused[4] = {127, 0, 0, 0};
  int failed = 0;
#ifdef EXTERNAL_POOL
  memset(arena, 0xa5, sizeof(arena));
#endif
  /* 6, 10, -98, and 262, -1410, -13902; shifts round down. */
  failed |= expect(ones, 1, 2, -25);
  failed |= expect(mixed, 65, -353, -3476);
  failed |= expect(ones, 1, 2, -25);
  memcpy(input, refused, sizeof(input));
  if (run() >= 0) {
    printf("no error code for an input that the model refuses\n");
    failed = 1;
  }
#ifdef EXTERNAL_POOL
  {
    size_t i;
    int touched = 0;
    for (i = 0; i < TVMGEN_DEFAULT_SRAM_WORKSPACE_POOL_SIZE; ++i) touched |= arena[i] != 0xa5;
    if (!touched) {
      printf("the pool was not used\n");
      failed = 1;
    }
    for (i = TVMGEN_DEFAULT_SRAM_WORKSPACE_POOL_SIZE; i < sizeof(arena); ++i) {
      if (arena[i] != 0xa5) {
        printf("written after the pool\n");
        return 1;
      }
    }
  }
#endif
  return failed;
}

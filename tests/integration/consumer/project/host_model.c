/* Runs the model that tenon_add_model compiled, and prints its output. */
#include <stdio.h>

#include "tvmgen_dense.h"

int main(void) {
  int8_t x[4] = {1, 1, 1, 1};
  int32_t y[3];
  int64_t z[1];
  struct tvmgen_dense_inputs inputs = {x};
  struct tvmgen_dense_outputs outputs = {y, z};
  if (tvmgen_dense_run(&inputs, &outputs) != 0) return 1;
  printf("%d %d %d\n", (int)y[0], (int)y[1], (int)y[2]);
  return 0;
}

/* Runs a model whose constants are inputs, with one file of them after the other.
 *   program INPUT FILE...
 */
#include <stdint.h>
#include <stdio.h>

#include PARAMS_HEADER

static _Alignas(64) unsigned char memory[1 << 21];
static _Alignas(64) unsigned char input[TVMGEN_DIGITS_IMAGE_SIZE];
static _Alignas(64) unsigned char output[TVMGEN_DIGITS_LOGITS_SIZE];

int main(int argc, char** argv) {
  int i;
  size_t k;
  FILE* file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fread(input, 1, sizeof input, file) != sizeof input) return 2;
  fclose(file);
  for (i = 2; i < argc; ++i) {
    struct tvmgen_digits_inputs inputs;
    struct tvmgen_digits_outputs outputs = {output};
    size_t size;
    int32_t code;
    file = fopen(argv[i], "rb");
    if (file == NULL) return 2;
    size = fread(memory, 1, sizeof memory, file);
    fclose(file);
    if (tvmgen_digits_set_params(&inputs, NULL, size) != -16) return 3;
    if (tvmgen_digits_set_params(&inputs, memory + 1, size) != -20) return 3;
    if (tvmgen_digits_set_params(&inputs, memory, size - 1) != -17) return 3;
    code = tvmgen_digits_set_params(&inputs, memory, size);
    inputs.image = input;
    if (code == 0) code = tvmgen_digits_run(&inputs, &outputs);
    if (code != 0) return 4;
    for (k = 0; k < sizeof output; ++k) printf("%02x", output[k]);
    printf("\n");
    ++memory[2];
    if (tvmgen_digits_set_params(&inputs, memory, size) != -18) return 3;
  }
  return 0;
}

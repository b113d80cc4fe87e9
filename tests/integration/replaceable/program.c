/* Runs a model with one file of constants after the other.
 *   program INPUT FILE...
 * A line for each file: the output in hexadecimal, or `code -18`. With -DSCALES, the scales of the
 * tensors follow. A file `-` hands over nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include MODEL_HEADER
#include "tenon_constants.h"

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

static _Alignas(4096) unsigned char memory[2][1 << 21];
static _Alignas(64) unsigned char input[INPUT_BYTES];
static _Alignas(64) unsigned char output[OUTPUT_BYTES];

static size_t read_file(const char* path, unsigned char* to, size_t most) {
  FILE* file = fopen(path, "rb");
  size_t size = 0;
  if (file != NULL) {
    size = fread(to, 1, most, file);
    fclose(file);
  }
  return size;
}

static void print_output(void) {
  size_t i;
  for (i = 0; i < sizeof output; ++i) printf("%02x", output[i]);
#ifdef SCALES
  {
    uint32_t tensor;
    float scale;
    int32_t zero_point;
    for (tensor = 0; PASTE(MODEL, _quantization)(tensor, &scale, &zero_point) == 0; ++tensor)
      printf(" %.9g %d", (double)scale, (int)zero_point);
    if (PASTE(MODEL, _quantization)(tensor, &scale, &zero_point) != TENON_CONSTANTS_TENSOR)
      printf(" wrong code");
  }
#endif
  printf("\n");
}

int main(int argc, char** argv) {
  int i;
  if (argc < 2 || read_file(argv[1], input, sizeof input) != sizeof input) return 2;
  for (i = 2; i < argc; ++i) {
    struct PASTE(MODEL, _inputs) inputs = {input};
    struct PASTE(MODEL, _outputs) outputs = {output};
    /* A file is read next to the one in use, as a device does. */
    unsigned char* const to = memory[i % 2];
    const size_t size = strcmp(argv[i], "-") == 0 ? 0 : read_file(argv[i], to, sizeof memory[0]);
    int32_t code = PASTE(MODEL, _set_constants)(size == 0 ? NULL : to, size);
    if (code == 0) code = PASTE(MODEL, _run)(&inputs, &outputs);
    if (code != 0) {
      printf("code %d\n", (int)code);
    } else {
      print_output();
    }
  }
  return 0;
}

/* Runs both models in turn, twice, since each run overwrites the arena of the other. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tvmgen_lite.h"
#include "tvmgen_pair.h"
#include "tvmgen_text.h"

#define NPY_HEADER 128

static int8_t image[TVMGEN_LITE_IMAGE_SIZE];
static int8_t wanted[TVMGEN_LITE_LOGITS_SIZE];
static int8_t logits[TVMGEN_LITE_LOGITS_SIZE];

static int read_part(const char* folder, const char* name, void* to, size_t bytes) {
  char path[1024];
  FILE* file;
  size_t got;
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  file = fopen(path, "rb");
  if (file == NULL) return 0;
  fseek(file, NPY_HEADER, SEEK_SET);
  got = fread(to, 1, bytes, file);
  fclose(file);
  return got == bytes;
}

static int is_right(const char* folder, const char* input, const char* expected, int is_lite) {
  int32_t status;
  if (!read_part(folder, input, image, sizeof(image)) ||
      !read_part(folder, expected, wanted, sizeof(wanted)))
    return 0;
  if (is_lite) {
    struct tvmgen_lite_inputs inputs = {image};
    struct tvmgen_lite_outputs outputs = {logits};
    struct tvmgen_lite_workspace_pools pools = TVMGEN_LITE_SHARED_POOLS;
    status = tvmgen_lite_run(&inputs, &outputs, &pools);
  } else {
    struct tvmgen_text_inputs inputs = {image};
    struct tvmgen_text_outputs outputs = {logits};
    struct tvmgen_text_workspace_pools pools = TVMGEN_TEXT_SHARED_POOLS;
    status = tvmgen_text_run(&inputs, &outputs, &pools);
  }
  return status == 0 && memcmp(logits, wanted, sizeof(wanted)) == 0;
}

int main(int argc, char** argv) {
  int round;
  if (argc != 2) return 1;
  for (round = 0; round < 2; ++round) {
    if (!is_right(argv[1], "heldout_images.npy", "tflite_logits.npy", 1) ||
        !is_right(argv[1], "input0.npy", "expected0.npy", 0)) {
      puts("a model is not as expected");
      return 1;
    }
  }
  puts("both models as expected");
  return 0;
}

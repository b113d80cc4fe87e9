/* Runs the module of bert_module.py: bert_main IDS.npy DEPTH.npy OUT.bin. Without arguments it runs
 * no layer, to measure the startup time. */
#include <stdio.h>
#include <stdlib.h>

#include "tvmgen_bert.h"

static int32_t ids[TVMGEN_BERT_IDS_SIZE / 4], depth[1];
static float y[TVMGEN_BERT_Y_SIZE / 4];

/* Reads the data of a .npy file, which is at its end. */
static int read_end(const char* path, void* data, long size) {
  FILE* file = fopen(path, "rb");
  int ok = file != NULL && fseek(file, -size, SEEK_END) == 0 &&
           fread(data, 1, (size_t)size, file) == (size_t)size;
  if (file != NULL) fclose(file);
  return ok;
}

int main(int argc, char** argv) {
  struct tvmgen_bert_inputs inputs = {ids, depth};
  struct tvmgen_bert_outputs outputs = {y};
  FILE* out;
  if (argc == 4 && (!read_end(argv[1], ids, (long)sizeof(ids)) || !read_end(argv[2], depth, 4)))
    return 2;
  if (tvmgen_bert_run(&inputs, &outputs) != 0) return 3;
  if (argc != 4) return 0;
  out = fopen(argv[3], "wb");
  return out != NULL && fwrite(y, sizeof(y), 1, out) == 1 && fclose(out) == 0 ? 0 : 4;
}

/* Feeds the rows of an input to a model, and writes its output.
 *
 * Use: feed INPUT OUTPUT
 * The files have the bytes of the tensors. The program is compiled with these macros: HEADER, RUN, FEED, BEGIN,
 * TOO_MANY, ROWS, ROW_SIZE, OUTPUT_SIZE, and OUTPUTS, the struct of outputs.
 *
 * The whole image comes four times: all rows at once, row by row, in parts of other sizes, and once more row by row
 * after a part of an image that is dropped. Each part is in memory of exactly its size, which is overwritten after
 * the call. Before each image the outputs are overwritten too. All outputs must be equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include HEADER

static unsigned char image[ROWS * ROW_SIZE];

static void fail(const char* text, int number) {
  fprintf(stderr, "%s: %d\n", text, number);
  exit(1);
}

static int feed(int first, int count, struct OUTPUTS* outputs) {
  const size_t bytes = (size_t)count * ROW_SIZE;
  unsigned char* part = malloc(bytes > 0 ? bytes : 1);
  int left;
  memcpy(part, image + (size_t)first * ROW_SIZE, bytes);
  left = FEED(part, count, outputs);
  memset(part, 0xa5, bytes);
  free(part);
  return left;
}

/* `size` rows at a time, or as many as there are. */
static void feed_all(int size, struct OUTPUTS* outputs) {
  int first = 0;
  while (first < ROWS) {
    const int count = first + size <= ROWS ? size : ROWS - first;
    const int left = feed(first, count, outputs);
    first += count;
    if (left != ROWS - first) fail("wrong number of rows to come", left);
    if (feed(0, 0, outputs) != (left > 0 ? left : ROWS)) fail("no row changes the count", left);
    if (FEED(image, (left > 0 ? left : ROWS) + 1, outputs) != TOO_MANY) fail("too many rows were taken", left);
  }
}

int main(int argc, char** argv) {
  static unsigned char results[4][OUTPUT_SIZE];
  const int sizes[4] = {ROWS, 1, 3, 1};
  int i;
  FILE* file = fopen(argv[argc - 2], "rb");
  if (file == NULL || fread(image, 1, sizeof image, file) != sizeof image) fail("no input", argc);
  fclose(file);
  for (i = 0; i < 4; ++i) {
    struct OUTPUTS outputs;
    void* const result = results[i];
    memcpy(&outputs, &result, sizeof result);
    memset(result, 0x5a, OUTPUT_SIZE);
    if (i == 3) {
      if (feed(0, ROWS / 2, &outputs) != ROWS - ROWS / 2) fail("half of the rows", ROWS / 2);
      if (BEGIN() != 0) fail("begin", i);
    }
    feed_all(sizes[i], &outputs);
    if (memcmp(results[0], result, OUTPUT_SIZE) != 0) fail("another output for parts of rows", sizes[i]);
  }
  file = fopen(argv[argc - 1], "wb");
  if (file == NULL || fwrite(results[0], 1, OUTPUT_SIZE, file) != OUTPUT_SIZE) fail("no output", argc);
  return fclose(file);
}

/* Runs the compiled digits classifier over images in a file and counts how many it gets right.
 *
 *   main IMAGES.npy LABELS.npy [LOGITS.npy]
 *
 * IMAGES is int8 (n, 8, 8, 1), LABELS uint8 (n), LOGITS int8 (n, 10): the exact outputs that the
 * integer simulation in training/integer.py gave. Prints `accuracy: 98.52 %`, and with LOGITS
 * whether every output is equal. Returns 0, 1 if an output differs from LOGITS, 2 if a file cannot
 * be used, 3 if the model reports an error.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tvmgen_digits.h"

enum { kImageBytes = 64, kClasses = 10, kMaxHeader = 1024 };

/* One open .npy file, read a record (the elements of one image) at a time. */
struct npy {
  const char* path;
  FILE* file;
  long count;
};

static int complain(const char* path, const char* what) {
  (void)fprintf(stderr, "%s: %s\n", path, what);
  return 0;
}

/* Reads the text of an npy header; 0 if the file does not have a supported one. */
static int read_header(const char* path, FILE* file, char* text) {
  unsigned char start[10];
  size_t length;
  if (fread(start, 1, sizeof(start), file) != sizeof(start) ||
      memcmp(start, "\x93NUMPY\x01\x00", 8) != 0) {
    return complain(path, "not a npy file of version 1.0");
  }
  length = (size_t)start[8] | (size_t)start[9] << 8;
  if (length >= (size_t)kMaxHeader || fread(text, 1, length, file) != length) {
    return complain(path, "bad npy header");
  }
  text[length] = '\0';
  return 1;
}

/* Opens a C-ordered array of the type `descr` whose first extent is the number of records and whose
 * further extents are `record` (as numpy prints them, e.g. " 10)"). Returns 0 after a message. */
static int open_npy(struct npy* npy, const char* path, const char* descr, const char* record) {
  char text[kMaxHeader];
  char* shape;
  char* end;
  npy->path = path;
  npy->file = fopen(path, "rb");
  if (npy->file == NULL) return complain(path, "cannot be opened");
  if (!read_header(path, npy->file, text)) return 0;
  shape = strstr(text, "'shape': (");
  if (strstr(text, descr) == NULL || strstr(text, "'fortran_order': False") == NULL ||
      shape == NULL) {
    return complain(path, "an array of another type or order");
  }
  npy->count = strtol(shape + strlen("'shape': ("), &end, 10);
  if (npy->count <= 0 || strncmp(end, record, strlen(record)) != 0) {
    return complain(path, "an array of another shape");
  }
  return 1;
}

static int read_record(const struct npy* npy, void* to, size_t bytes) {
  return fread(to, 1, bytes, npy->file) == bytes ? 1 : complain(npy->path, "ends too early");
}

/* Index of the largest logit; the first one if several are equal. */
static int largest(const int8_t* logits) {
  int best = 0;
  int i;
  for (i = 1; i < kClasses; ++i) {
    if (logits[i] > logits[best]) best = i;
  }
  return best;
}

/* `expected` may be NULL. Returns the exit code of main. */
static int run_all(const struct npy* images, const struct npy* labels, const struct npy* expected) {
  static int8_t image[kImageBytes] __attribute__((aligned(16)));
  static int8_t logits[kClasses] __attribute__((aligned(16)));
  struct tvmgen_digits_inputs inputs;
  struct tvmgen_digits_outputs outputs;
  long right = 0;
  long exact = 0;
  long i;
  inputs.image = image;
  outputs.logits = logits;
  for (i = 0; i < images->count; ++i) {
    uint8_t label;
    int8_t wanted[kClasses];
    int32_t status;
    if (!read_record(images, image, sizeof(image)) || !read_record(labels, &label, 1)) return 2;
    status = tvmgen_digits_run(&inputs, &outputs);
    if (status != 0) {
      (void)fprintf(stderr, "image %ld: the model returned %ld\n", i, (long)status);
      return 3;
    }
    if (largest(logits) == (int)label) ++right;
    if (expected == NULL) continue;
    if (!read_record(expected, wanted, sizeof(wanted))) return 2;
    if (memcmp(logits, wanted, sizeof(wanted)) == 0) ++exact;
  }
  (void)printf("accuracy: %.2f %%\n", 100.0 * (double)right / (double)images->count);
  if (expected == NULL) return 0;
  (void)printf("bit exact: %s (%ld of %ld)\n", exact == images->count ? "yes" : "no", exact,
               images->count);
  return exact == images->count ? 0 : 1;
}

int main(int argc, char** argv) {
  struct npy images;
  struct npy labels;
  struct npy expected;
  if (argc != 3 && argc != 4) {
    (void)fprintf(stderr, "usage: %s IMAGES.npy LABELS.npy [LOGITS.npy]\n", argv[0]);
    return 2;
  }
  if (!open_npy(&images, argv[1], "'|i1'", ", 8, 8, 1)") ||
      !open_npy(&labels, argv[2], "'|u1'", ",)")) {
    return 2;
  }
  if (argc == 4 && !open_npy(&expected, argv[3], "'|i1'", ", 10)")) return 2;
  if (labels.count != images.count || (argc == 4 && expected.count != images.count)) {
    (void)fprintf(stderr, "the files hold different numbers of images\n");
    return 2;
  }
  return run_all(&images, &labels, argc == 4 ? &expected : NULL);
}

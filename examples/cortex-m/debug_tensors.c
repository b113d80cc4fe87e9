/* Writes the tensors between operators, for `tenon verify --device-dump`. Compile the model with
 * `tenon compile --debug-tensors`, add this file to the image, and keep what the image prints. The
 * hash of the model in the image is the first line, with
 * -DMODEL_HASH=TVMGEN_DIGITS_MODEL_HASH -DMODEL_HEADER='"tvmgen_digits.h"'.
 */
#include <stdint.h>

#include "board.h"
#ifdef MODEL_HASH
#include MODEL_HEADER
#endif

#define BYTES_OF_LINE 32

/* The model calls it with each tensor. The result 0 says that the run goes on. */
int32_t debug_tensor(const char* name, int32_t number, const void* address, int32_t bytes);

static void write_decimal(int32_t value) {
  char text[11];
  char* at = &text[sizeof(text) - 1];
  *at = '\0';
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  board_write(at);
}

static void write_line(const uint8_t* from, int32_t bytes) {
  char text[2 * BYTES_OF_LINE + 2];
  int32_t i;
  for (i = 0; i < bytes; ++i) {
    text[2 * i] = "0123456789abcdef"[from[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[from[i] & 15U];
  }
  text[2 * bytes] = '\n';
  text[2 * bytes + 1] = '\0';
  board_write("data ");
  board_write(text);
}

int32_t debug_tensor(const char* name, int32_t number, const void* address, int32_t bytes) {
  const uint8_t* const from = (const uint8_t*)address;
  int32_t at;
#ifdef MODEL_HASH
  static int is_named;
  if (!is_named) board_write("model " MODEL_HASH "\n");
  is_named = 1;
#endif
  board_write("tensor ");
  write_decimal(number);
  board_write(" ");
  board_write(name);
  board_write(" ");
  write_decimal(bytes);
  board_write("\n");
  for (at = 0; at < bytes; at += BYTES_OF_LINE)
    write_line(from + at, bytes - at < BYTES_OF_LINE ? bytes - at : BYTES_OF_LINE);
  return 0;
}

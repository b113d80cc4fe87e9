/* An application around one model: runs it on each input in the image, compares each byte of the
 * output with the expected output, and reports the stack depth and the time of the first run.
 *
 * The command line selects the model, since all names in the generated header begin with its name:
 * -DMODEL=tvmgen_digits -DMODEL_HEADER='"tvmgen_digits.h"'
 *   -DINPUT_SIZE=TVMGEN_DIGITS_IMAGE_SIZE -DOUTPUT_SIZE=TVMGEN_DIGITS_LOGITS_SIZE
 * -DTEST_RUNS=10 says that the test vectors have ten inputs and outputs, one after the other.
 * -DOUTPUT_ULPS=1 is for outputs of float32 that depend on functions of the C library: they may
 * differ from the expected ones by one unit in the last place.
 * -DWORKSPACE_IO is for a model that was compiled with --use-workspace-io: its input and output are
 * parts of its workspace, so the application has no memory of its own for them.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "board.h"
#ifdef PROFILE
#include "profile.h"
#endif
#include MODEL_HEADER

#ifndef TEST_RUNS
#define TEST_RUNS 1
#endif

#ifndef OUTPUT_ULPS
#define OUTPUT_ULPS 0
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

/* From test_vectors.S. */
extern const uint8_t test_input[];
extern const uint8_t test_input_end[];
extern const uint8_t test_expected[];
extern const uint8_t test_expected_end[];

#ifdef WORKSPACE_IO
static uint8_t* input;
static const uint8_t* output;

static void find_memory(void) {
  const struct PASTE(MODEL, _inputs) inputs = PASTE(MODEL, _map_inputs)();
  const struct PASTE(MODEL, _outputs) outputs = PASTE(MODEL, _map_outputs)();
  /* Each struct has one member, whose name is the model's. */
  memcpy(&input, &inputs, sizeof(input));
  memcpy(&output, &outputs, sizeof(output));
}

static int32_t run_model(void) { return PASTE(MODEL, _run)(); }
#else
static uint8_t input[INPUT_SIZE] __attribute__((aligned(16)));
static uint8_t output[OUTPUT_SIZE] __attribute__((aligned(16)));

static void find_memory(void) {}

static int32_t run_model(void) {
  struct PASTE(MODEL, _inputs) inputs = {input};
  struct PASTE(MODEL, _outputs) outputs = {output};
  return PASTE(MODEL, _run)(&inputs, &outputs);
}
#endif

/* Unused stack is filled with this value. */
static const uint32_t kPaint = 0xC0DEFACEU;

static void write_number(const char* name, uint32_t value) {
  char text[12];
  char* at = &text[sizeof(text) - 1];
  *at = '\0';
  *--at = '\n';
  do {
    *--at = (char)('0' + value % 10U);
    value /= 10U;
  } while (value != 0U);
  board_write(name);
  board_write(at);
}

static int complain(const char* what) {
  board_write(what);
  return 1;
}

/* Everything below the frame of this function is free. The function must not use stack itself:
 * volatile stores need none, but a call of memset could. */
static void __attribute__((noinline)) paint_stack(void) {
  uint32_t* const frame = __builtin_frame_address(0);
  volatile uint32_t* at;
  for (at = __stack_bottom; at < frame - 16; ++at) *at = kPaint;
}

/* Bytes from the top of the stack to the deepest byte that was written since paint_stack(). */
static uint32_t stack_used(void) {
  const volatile uint32_t* at = __stack_bottom;
  while (at < __stack_top && *at == kPaint) ++at;
  return (uint32_t)((uintptr_t)__stack_top - (uintptr_t)at);
}

static uint32_t ticks_since(uint32_t start) {
  const uint32_t now = board_ticks();
  return now == UINT32_MAX ? now : now - start;
}

/* The distance of two float32 numbers in units of the last place, if they have one sign. */
static uint32_t ulps_between(const uint8_t* a, const uint8_t* b) {
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x > y ? x - y : y - x;
}

/* The largest distance of an output from that of the test vectors. */
static uint32_t farthest = 0;

/* Compares the output with that of the test vectors. */
static int is_expected(size_t run) {
  const uint8_t* expected = test_expected + run * OUTPUT_SIZE;
  size_t i;
  for (i = 0; i < OUTPUT_SIZE; ++i) {
    if (output[i] != expected[i]) {
      const uint32_t ulps =
          OUTPUT_ULPS > 0 ? ulps_between(output + i / 4 * 4, expected + i / 4 * 4) : UINT32_MAX;
      if (ulps > OUTPUT_ULPS) {
        write_number("first byte that differs: ", (uint32_t)i);
        return 0;
      }
      if (ulps > farthest) farthest = ulps;
    }
  }
  return 1;
}

int main(void) {
  uint32_t ticks;
  uint32_t cycles;
  uint32_t stack;
  int32_t status;
  size_t run;
  if (test_input_end - test_input != TEST_RUNS * INPUT_SIZE ||
      test_expected_end - test_expected != TEST_RUNS * OUTPUT_SIZE) {
    return complain("test vectors of another model\n");
  }
  find_memory();
  memcpy(input, test_input, INPUT_SIZE);
  paint_stack();
  ticks = board_ticks();
  cycles = board_cycles();
  status = run_model();
  cycles = board_cycles() - cycles;
  ticks = ticks_since(ticks);
  if (status != 0) return complain("the model failed\n");
  stack = stack_used();
  if (stack == (uintptr_t)__stack_top - (uintptr_t)__stack_bottom) {
    return complain("the stack is too small\n");
  }
  write_number("stack: ", stack);
  write_number("ticks: ", ticks);
  if (cycles != 0U) write_number("cycles: ", cycles);
#ifdef PROFILE
  profile_write(write_number);
#endif
  if (!is_expected(0)) return complain("not bit-exact\n");
  for (run = 1; run < TEST_RUNS; ++run) {
    memcpy(input, test_input + run * INPUT_SIZE, INPUT_SIZE);
    status = run_model();
    if (status != 0) return complain("the model failed\n");
    if (!is_expected(run)) return complain("not bit-exact\n");
  }
  if (farthest > 0) write_number("largest distance in units of the last place: ", farthest);
  board_write(farthest > 0 ? "within OUTPUT_ULPS\n" : "bit-exact\n");
  return 0;
}

/* Counts the ticks of each function of the model during the first run. Compile with
 *   -DPROFILE -finstrument-functions -fno-inline-functions-called-once
 *   -finstrument-functions-exclude-file-list=startup.c,main.c,profile.c,tenon_runtime.h
 * and the image prints a line `profile: ADDRESS TICKS` for each function. The ticks of a function
 * include those of the functions that it calls. README.md shows how addresses become names.
 */
#include "profile.h"

#include "board.h"

/* On a board with a counter of cycles: -DPROFILE_COUNTER=board_cycles. */
#ifndef PROFILE_COUNTER
#define PROFILE_COUNTER board_ticks
#endif

#define MOST_FUNCTIONS 256
#define MOST_CALLS 16

static struct {
  uint32_t address;
  uint32_t ticks;
} functions[MOST_FUNCTIONS];
static uint32_t function_count;
static uint32_t starts[MOST_CALLS];
static uint32_t depth;
static int is_done;

void __cyg_profile_func_enter(void* function, void* caller);
void __cyg_profile_func_exit(void* function, void* caller);

void __cyg_profile_func_enter(void* function, void* caller) {
  (void)function;
  (void)caller;
  if (depth < MOST_CALLS) starts[depth] = PROFILE_COUNTER();
  ++depth;
}

void __cyg_profile_func_exit(void* function, void* caller) {
  /* The lowest bit of an address says that the code is Thumb code. */
  const uint32_t address = (uint32_t)(uintptr_t)function & ~1U;
  const uint32_t now = PROFILE_COUNTER();
  uint32_t at = 0;
  (void)caller;
  --depth;
  if (is_done || depth >= MOST_CALLS) return;
  while (at < function_count && functions[at].address != address) ++at;
  if (at == MOST_FUNCTIONS) return;
  if (at == function_count) {
    functions[at].address = address;
    ++function_count;
  }
  functions[at].ticks += now - starts[depth];
}

/* Eight hexadecimal digits, as nm prints addresses. */
static void write_address(uint32_t address) {
  char text[9];
  int i;
  for (i = 0; i < 8; ++i) text[i] = "0123456789abcdef"[(address >> (28 - 4 * i)) & 15U];
  text[8] = '\0';
  board_write(text);
}

void profile_write(void (*write_number)(const char* name, uint32_t value)) {
  uint32_t i;
  is_done = 1;
  for (i = 0; i < function_count; ++i) {
    board_write("profile: ");
    write_address(functions[i].address);
    write_number(" ", functions[i].ticks);
  }
}

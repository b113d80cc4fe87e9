/* Cuts the power at every write of an update, starts again, and runs the model. It must be the old
 * model or the new one. The files and the answers of both models are in test_files.S.
 *
 * -DCUT_STEP=5 cuts at every fifth write only.
 */
#include <stdint.h>
#include <string.h>

#include "../cortex-m/board.h"
#include "flash.h"
#include "flash_in_ram.h"
#include "slots.h"
#include "tvmgen_digits.h"

#ifndef CUT_STEP
#define CUT_STEP 1
#endif

extern const uint8_t old_file[], old_file_end[], new_file[], new_file_end[];
extern const uint8_t test_input[], old_output[], new_output[];

uint8_t slots[SLOT_COUNT][SLOT_BYTES] __attribute__((aligned(4096)));

enum model { NO_MODEL, OLD_MODEL, NEW_MODEL, TORN_MODEL };

/* A start of the device: which model answers? */
static enum model restart(int* slot) {
  uint8_t output[TVMGEN_DIGITS_LOGITS_SIZE];
  struct tvmgen_digits_inputs inputs;
  struct tvmgen_digits_outputs outputs;
  inputs.image = (void*)(uintptr_t)test_input;
  outputs.logits = output;
  memset(output, 0, sizeof output);
  /* Nothing of the time before the power failed is left. */
  (void)tvmgen_digits_set_constants(NULL, 0);
  flash_cut_power(0);
  *slot = slots_start(tvmgen_digits_set_constants);
  if (*slot < 0 || tvmgen_digits_run(&inputs, &outputs) != 0) return NO_MODEL;
  if (memcmp(output, old_output, sizeof output) == 0) return OLD_MODEL;
  return memcmp(output, new_output, sizeof output) == 0 ? NEW_MODEL : TORN_MODEL;
}

static int fail(const char* what) {
  board_write(what);
  return 1;
}

static void write_count(const char* name, uint32_t count) {
  char text[12];
  char* at = &text[sizeof text - 1];
  *at = '\0';
  do {
    *--at = (char)('0' + count % 10U);
    count /= 10U;
  } while (count != 0U);
  board_write(name);
  board_write(at);
}

/* The device as it left the factory: the old file in slot 0, and remains of something in slot 1. */
static int reset_device(void) {
  memset(slots, 0x5A, sizeof slots);
  flash_cut_power(0);
  return slots_update(old_file, (size_t)(old_file_end - old_file), 1);
}

/* An update whose power fails at a write; 0: it does not fail. Then the same update without. */
static enum model update(uint32_t cut, int* finished) {
  const size_t size = (size_t)(new_file_end - new_file);
  enum model model;
  int slot;
  if (reset_device() != 0 || restart(&slot) != OLD_MODEL) return NO_MODEL;
  flash_cut_power(cut);
  *finished = slots_update(new_file, size, slot) == 0;
  model = restart(&slot);
  if (model != OLD_MODEL && model != NEW_MODEL) return model;
  if (slots_update(new_file, size, slot) != 0 || restart(&slot) != NEW_MODEL) return NO_MODEL;
  return model;
}

int main(void) {
  uint32_t counts[4] = {0, 0, 0, 0};
  uint32_t cut;
  int finished = 0;
  int slot;
  for (cut = 1; !finished; cut += CUT_STEP) {
    const enum model model = update(cut, &finished);
    ++counts[model];
    if (model == NO_MODEL) return fail("no model: does the file fit SLOT_FILE_BYTES of slots.h?\n");
    if (finished && model != NEW_MODEL) return fail("a finished update is lost\n");
  }
  write_count("cuts ", cut / CUT_STEP);
  write_count(": old ", counts[OLD_MODEL]);
  write_count(", new ", counts[NEW_MODEL]);
  write_count(", torn ", counts[TORN_MODEL]);
  write_count(", none ", counts[NO_MODEL]);
  board_write("\n");
  if (counts[TORN_MODEL] != 0 || counts[NO_MODEL] != 0 || counts[OLD_MODEL] == 0) return 1;
  /* A bit of the newer file changes: the older one is still there. */
  if (reset_device() != 0 || restart(&slot) != OLD_MODEL) return fail("no old model\n");
  if (slots_update(new_file, (size_t)(new_file_end - new_file), slot) != 0) return fail("lost\n");
  slots[1 - slot][5000] ^= 4;
  if (restart(&slot) != OLD_MODEL) return fail("a damaged file was used\n");
  board_write("a damaged file is not used\n");
  return 0;
}

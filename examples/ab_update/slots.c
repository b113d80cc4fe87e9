#include "slots.h"

#include <string.h>

#include "flash.h"

/* The last sector of a slot begins with this. A power cut leaves bytes that do not agree. */
struct mark {
  uint32_t sequence; /* the larger one is newer */
  uint32_t size;     /* of the file */
  uint32_t not_sequence;
  uint32_t not_size;
};

static struct mark mark_of(int slot) {
  struct mark mark;
  memcpy(&mark, slots[slot] + SLOT_FILE_BYTES, sizeof mark);
  return mark;
}

static int is_whole(const struct mark* mark) {
  return mark->sequence == ~mark->not_sequence && mark->size == ~mark->not_size &&
         mark->size <= SLOT_FILE_BYTES;
}

int slots_start(slots_set_constants set) {
  const struct mark a = mark_of(0);
  const struct mark b = mark_of(1);
  const int first = is_whole(&b) && (!is_whole(&a) || b.sequence > a.sequence) ? 1 : 0;
  int i;
  for (i = 0; i < SLOT_COUNT; ++i) {
    const int slot = i == 0 ? first : 1 - first;
    const struct mark mark = mark_of(slot);
    /* The mark is the first check. The model's own check of all bytes decides. */
    if (is_whole(&mark) && set(slots[slot], mark.size) == 0) return slot;
  }
  return -1;
}

int slots_update(const uint8_t* file, size_t size, int used) {
  const int slot = used == 0 ? 1 : 0;
  uint8_t* const to = slots[slot];
  struct mark mark;
  size_t at;
  if (size > SLOT_FILE_BYTES) return -1;
  /* First the mark goes: without it, no start uses the slot. */
  if (flash_erase(to + SLOT_FILE_BYTES) != 0) return -1;
  for (at = 0; at < size; at += FLASH_SECTOR)
    if (flash_erase(to + at) != 0) return -1;
  for (at = 0; at < size; at += FLASH_PAGE) {
    const size_t bytes = size - at < FLASH_PAGE ? size - at : FLASH_PAGE;
    if (flash_program(to + at, file + at, bytes) != 0) return -1;
  }
  mark.sequence = used < 0 ? 1 : mark_of(used).sequence + 1;
  mark.size = (uint32_t)size;
  mark.not_sequence = ~mark.sequence;
  mark.not_size = ~mark.size;
  /* Last, one write makes the slot the newer one. */
  return flash_program(to + SLOT_FILE_BYTES, (const uint8_t*)&mark, sizeof mark);
}

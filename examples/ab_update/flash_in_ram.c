#include "flash_in_ram.h"

#include <string.h>

#include "flash.h"

static uint32_t cut_at;
static uint32_t writes;

void flash_cut_power(uint32_t write) {
  cut_at = write;
  writes = 0;
}

uint32_t flash_writes(void) { return writes; }

/* The part of a write that is done: all of it, half of it, or nothing. */
static size_t done(size_t size) {
  ++writes;
  if (cut_at == 0 || writes < cut_at) return size;
  return writes == cut_at ? size / 2 : 0;
}

int flash_erase(uint8_t* sector) {
  const size_t bytes = done(FLASH_SECTOR);
  memset(sector, 0xFF, bytes);
  return bytes == FLASH_SECTOR ? 0 : -1;
}

int flash_program(uint8_t* page, const uint8_t* bytes, size_t size) {
  const size_t count = done(size);
  size_t i;
  /* Programming only clears bits. */
  for (i = 0; i < count; ++i) page[i] = (uint8_t)(page[i] & bytes[i]);
  return count == size ? 0 : -1;
}

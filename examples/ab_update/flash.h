/* Flash memory: bytes that are erased by sectors, and then written by pages. On a device, the
 * vendor's driver implements these functions. flash_in_ram.c implements them for the test.
 */
#ifndef TENON_EXAMPLES_AB_UPDATE_FLASH_H_
#define TENON_EXAMPLES_AB_UPDATE_FLASH_H_

#include <stddef.h>
#include <stdint.h>

enum { FLASH_SECTOR = 4096, FLASH_PAGE = 256 };

/* Sets a sector to 0xFF. Returns 0, or a negative number: the sector may then have any bytes. */
int flash_erase(uint8_t* sector);

/* Writes one page, or the first `size` bytes of it, to erased bytes. Returns 0, or a negative
 * number: the page may then have any bytes. */
int flash_program(uint8_t* page, const uint8_t* bytes, size_t size);

#endif /* TENON_EXAMPLES_AB_UPDATE_FLASH_H_ */

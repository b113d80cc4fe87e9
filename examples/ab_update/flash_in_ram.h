/* Flash for the test: an array, and a power supply that fails. */
#ifndef TENON_EXAMPLES_AB_UPDATE_FLASH_IN_RAM_H_
#define TENON_EXAMPLES_AB_UPDATE_FLASH_IN_RAM_H_

#include <stdint.h>

/* The power fails during the write number `write`, counted from 1, which is done by half. All later
 * writes fail until the next call. 0: it does not fail. Starts to count from 0. */
void flash_cut_power(uint32_t write);

/* The writes since then. */
uint32_t flash_writes(void);

#endif /* TENON_EXAMPLES_AB_UPDATE_FLASH_IN_RAM_H_ */

#ifndef TENON_EXAMPLES_CORTEX_M_PROFILE_H_
#define TENON_EXAMPLES_CORTEX_M_PROFILE_H_

#include <stdint.h>

/* Prints the ticks of each function so far, and counts no more. `write_number` prints a line. */
void profile_write(void (*write_number)(const char* name, uint32_t value));

#endif /* TENON_EXAMPLES_CORTEX_M_PROFILE_H_ */

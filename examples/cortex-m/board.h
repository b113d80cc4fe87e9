/* What main.c needs of a machine. startup.c has it for the Cortex-M boards of QEMU,
 * ../riscv/startup.c for QEMU's RISC-V board; on a real one it would be a serial port, a watchdog
 * and a cycle counter.
 */
#ifndef TENON_EXAMPLES_CORTEX_M_BOARD_H_
#define TENON_EXAMPLES_CORTEX_M_BOARD_H_

#include <stdint.h>

/* Shows text to whoever is watching. */
void board_write(const char* text);

/* Ends the program; `code` becomes the exit code of the emulator. */
void board_exit(int code) __attribute__((noreturn));

/* Counts upwards while instructions run, from 0 at the start; how many instructions a tick is
 * depends on the board. Stays at UINT32_MAX when it counted past what it can hold. */
uint32_t board_ticks(void);

/* The memory of the stack, which grows downwards, as the linker script has it. */
extern uint32_t __stack_bottom[];
extern uint32_t __stack_top[];

#endif /* TENON_EXAMPLES_CORTEX_M_BOARD_H_ */

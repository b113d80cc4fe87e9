/* The functions of a machine that main.c needs. startup.c implements them for QEMU's Cortex-M
 * boards, and ../riscv/startup.c for QEMU's RISC-V board. On a real board, they would use a serial
 * port, a watchdog and a cycle counter.
 */
#ifndef TENON_EXAMPLES_CORTEX_M_BOARD_H_
#define TENON_EXAMPLES_CORTEX_M_BOARD_H_

#include <stdint.h>

/* Prints text. */
void board_write(const char* text);

/* Ends the program; `code` becomes the exit code of the emulator. */
void board_exit(int code) __attribute__((noreturn));

/* Counts up while instructions run, from 0 at the start. The number of instructions per tick
 * depends on the board. Stays at UINT32_MAX after an overflow. */
uint32_t board_ticks(void);

/* Counts the cycles of the processor, modulo 2^32. Always 0 without such a counter, as in QEMU. */
uint32_t board_cycles(void);

/* The memory of the stack, which grows downwards; defined by the linker script. */
extern uint32_t __stack_bottom[];
extern uint32_t __stack_top[];

#endif /* TENON_EXAMPLES_CORTEX_M_BOARD_H_ */

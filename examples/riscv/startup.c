/* The code before main on a RISC-V in machine mode, and ../cortex-m/board.h by semihosting: the
 * debugger, here QEMU, watches for `ebreak` between two no-op instructions, and performs the
 * operation in register a0. The C library is not initialized; the linker script checks that nothing
 * in the image needs that.
 */
#include <stdint.h>

#include "board.h"

/* From the linker script. */
extern uint32_t __data_start[];
extern uint32_t __data_end[];
extern const uint32_t __data_load[];
extern uint32_t __bss_start[];
extern uint32_t __bss_end[];

int main(void);
void _start(void);
void start_c(void) __attribute__((noreturn));

/* Semihosting operations (Arm's "Semihosting for AArch32 and AArch64", which RISC-V has adopted).
 * */
enum { kSysWrite0 = 0x04, kSysExitExtended = 0x20, kApplicationExit = 0x20026 };

/* The three instructions must be 4 bytes each, and in one page. */
static void semihost(uint32_t operation, const void* argument) {
  register uint32_t a0 __asm__("a0") = operation;
  register const void* a1 __asm__("a1") = argument;
  __asm__ volatile(
      ".option push\n\t"
      ".option norvc\n\t"
      ".balign 16\n\t"
      "slli zero, zero, 0x1f\n\t"
      "ebreak\n\t"
      "srai zero, zero, 7\n\t"
      ".option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
}

void board_write(const char* text) { semihost(kSysWrite0, text); }

void board_exit(int code) {
  const uint32_t block[2] = {kApplicationExit, (uint32_t)code};
  for (;;) semihost(kSysExitExtended, block);
}

/* Newer assemblers treat control and status registers as a separate extension, Zicsr. */
uint32_t board_ticks(void) {
  uint32_t low;
  uint32_t high;
  __asm__ volatile(
      ".option push\n\t"
      ".option arch, +zicsr\n\t"
      "csrr %0, minstret\n\t"
      "csrr %1, minstreth\n\t"
      ".option pop"
      : "=r"(low), "=r"(high));
  return high != 0U ? UINT32_MAX : low;
}

/* Ticks are instructions already. */
uint32_t board_cycles(void) { return 0; }

/* No interrupt is enabled, so every trap is a fault. The address must be a multiple of 4.
 */
static void __attribute__((aligned(4))) trap(void) {
  board_write("fault\n");
  board_exit(2);
}

void start_c(void) {
  uint32_t* to;
  const uint32_t* from = __data_load;
  __asm__ volatile(
      ".option push\n\t"
      ".option arch, +zicsr\n\t"
      "csrw mtvec, %0\n\t"
      ".option pop" ::"r"(trap));
  for (to = __data_start; to < __data_end; ++to) *to = *from++;
  for (to = __bss_start; to < __bss_end; ++to) *to = 0;
  board_exit(main());
}

/* The first instructions: set the registers that C relies on. */
void __attribute__((naked, section(".start"))) _start(void) {
  __asm__ volatile(
      ".option push\n\t"
      ".option norelax\n\t"
      "la gp, __global_pointer$\n\t"
      ".option pop\n\t"
      "la sp, __stack_top\n\t"
      "la tp, __tls_base\n\t"
      "j start_c");
}

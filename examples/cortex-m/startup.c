/* The code before main on a Cortex-M3, M4 or M7, and board.h by semihosting: the debugger, here
 * QEMU, watches for the instruction `bkpt 0xAB` and performs the operation in register r0. The C
 * library is not initialized, because nothing in the image needs that; the linker script checks
 * this.
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
void Reset_Handler(void) __attribute__((noreturn));

/* Semihosting operations (Arm's "Semihosting for AArch32 and AArch64"). */
enum { kSysWrite0 = 0x04, kSysExitExtended = 0x20, kApplicationExit = 0x20026 };

static void semihost(uint32_t operation, const void* argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void board_write(const char* text) { semihost(kSysWrite0, text); }

void board_exit(int code) {
  const uint32_t block[2] = {kApplicationExit, (uint32_t)code};
  for (;;) semihost(kSysExitExtended, block);
}

/* SysTick counts the processor's clock downwards in 24 bits. */
#define SYST_CSR (*(volatile uint32_t*)0xE000E010U)
#define SYST_RVR (*(volatile uint32_t*)0xE000E014U)
#define SYST_CVR (*(volatile uint32_t*)0xE000E018U)
enum {
  kSysTickMax = 0xFFFFFF,
  kSysTickEnable = 1,
  kSysTickCpuClock = 4,
  kSysTickWrapped = 1 << 16
};

static void start_ticks(void) {
  SYST_RVR = kSysTickMax;
  SYST_CVR = 0;
  SYST_CSR = kSysTickEnable | kSysTickCpuClock;
  while (SYST_CVR == 0U) continue; /* It starts over from the largest value with its first tick. */
}

uint32_t board_ticks(void) {
  const uint32_t value = SYST_CVR;
  return (SYST_CSR & kSysTickWrapped) != 0U ? UINT32_MAX : kSysTickMax - value;
}

/* The cycle counter of the unit DWT, which the Cortex-M3 and larger cores have. A Cortex-M7 locks
 * it. Where it is absent, as in a Cortex-M0 and in QEMU, the counter reads as 0. */
#define DEMCR (*(volatile uint32_t*)0xE000EDFCU)
#define DWT_CTRL (*(volatile uint32_t*)0xE0001000U)
#define DWT_CYCCNT (*(volatile uint32_t*)0xE0001004U)
#define DWT_LAR (*(volatile uint32_t*)0xE0001FB0U)
enum { kTraceEnable = 1 << 24, kCycleCounterEnable = 1 };

static void start_cycles(void) {
  DEMCR |= kTraceEnable;
  DWT_LAR = 0xC5ACCE55U;
  DWT_CYCCNT = 0;
  DWT_CTRL |= kCycleCounterEnable;
}

uint32_t board_cycles(void) { return DWT_CYCCNT; }

/* Coprocessors 10 and 11 are the floating-point unit, which is off after a reset. */
#define CPACR (*(volatile uint32_t*)0xE000ED88U)

void Reset_Handler(void) {
  uint32_t* to;
  const uint32_t* from = __data_load;
#ifdef __ARM_FP
  CPACR |= 0xFU << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
  for (to = __data_start; to < __data_end; ++to) *to = *from++;
  for (to = __bss_start; to < __bss_end; ++to) *to = 0;
  start_ticks();
  start_cycles();
  board_exit(main());
}

/* No interrupt is enabled, so every exception here is a fault. */
static void Fault_Handler(void) {
  board_write("fault\n");
  board_exit(2);
}

/* The processor reads this at address 0: the stack pointer, then the handlers of exceptions 1 to
 * 15. */
struct vector_table {
  uint32_t* stack;
  void (*handlers[15])(void);
};

extern const struct vector_table vector_table;

const struct vector_table vector_table __attribute__((section(".vectors"), used)) = {
    __stack_top,
    {Reset_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, 0, 0,
     0, 0, Fault_Handler, Fault_Handler, 0, Fault_Handler, Fault_Handler}};

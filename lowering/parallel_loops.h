#ifndef TENON_LOWERING_PARALLEL_LOOPS_H_
#define TENON_LOWERING_PARALLEL_LOOPS_H_

#include <cstdint>

namespace tenon {

/// What becomes of parallel loops in generated code (runtime/tenon_parallel.h).
enum class ParallelLoops : uint8_t {
  kSerial,   ///< they are loops like others
  kThreads,  ///< they run on the pool of threads of runtime/tenon_parallel.c
  kHook,     ///< what runs them, the program says; by default they run serially
};

}  // namespace tenon

#endif  // TENON_LOWERING_PARALLEL_LOOPS_H_

#ifndef TENON_LOWERING_PARALLEL_LOOPS_H_
#define TENON_LOWERING_PARALLEL_LOOPS_H_

#include <cstdint>

namespace tenon {

/// The execution of parallel loops in generated code (runtime/tenon_parallel.h).
enum class ParallelLoops : uint8_t {
  kSerial,   ///< as serial loops
  kThreads,  ///< on the thread pool of runtime/tenon_parallel.c
  kHook,     ///< through a function that the program may define; serially by default
};

}  // namespace tenon

#endif  // TENON_LOWERING_PARALLEL_LOOPS_H_

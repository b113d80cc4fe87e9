/* Parallel loops of generated code. A loop whose iterations may run concurrently becomes a separate
 * function, the body, which is passed to TENON_PARALLEL_FOR. The program defines what that is:
 *
 *   -DTENON_SERIAL                    the loop runs serially in its function
 *   -DTENON_PARALLEL_FOR=my_function  a function of the program, declared like tenon_parallel_for
 *   neither                           tenon_parallel_for, which must be linked: the one of
 *                                     tenon_parallel.c, a pool of POSIX threads, or the program's
 *                                     own, e.g. with OpenMP or the tasks of an RTOS
 *
 * C99 and C++17.
 */
#ifndef TENON_RUNTIME_TENON_PARALLEL_H_
#define TENON_RUNTIME_TENON_PARALLEL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the iterations begin, ..., end - 1 of a loop in this order, and stops at the first that
 * fails. Returns 0, or the result of the failed iteration. `context` contains the captured
 * variables of the enclosing function; bodies only read it. */
typedef int32_t (*tenon_parallel_body)(void* context, int64_t begin, int64_t end);

/* Runs the iterations 0, ..., count - 1 by calls of `body` for disjoint ranges that cover them. The
 * calls may run in any order and concurrently; the function returns when all have returned. Returns
 * 0, or the result of a failed call. After a failure, remaining ranges need not run. */
int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count);

/* As tenon_parallel_for, without threads. */
static inline int32_t tenon_parallel_for_serial(tenon_parallel_body body, void* context,
                                                int64_t count) {
  return count > 0 ? body(context, 0, count) : 0;
}

/* The pool of tenon_parallel.c. A program has one pool. The first loop starts it, with
 * TENON_THREADS threads if that is defined, else with one for each available processor; the count
 * includes the thread that runs the loop. The pool measures the loops with threads and without, and
 * runs them in the faster way from then on. Between loops its threads sleep. A loop in a body, and
 * a loop that another thread starts while one is running, run serially. If iterations fail, the
 * result is that of the first of them, as without threads. */

/* Sets the number of threads for loops from now on: at least 1 and at most TENON_MOST_THREADS, or 0
 * for one per processor. Returns the number of threads, which is smaller if the system cannot
 * create more. Must not be called in a body. */
int32_t tenon_parallel_start(int32_t threads);

/* Ends the threads; the next loop starts them again. A library that contains the pool must call
 * this before it is unloaded. Must not be called in a body. */
void tenon_parallel_stop(void);

#ifdef __cplusplus
}
#endif

#if defined(TENON_SERIAL)
#undef TENON_PARALLEL_FOR
#define TENON_PARALLEL_FOR tenon_parallel_for_serial
#elif !defined(TENON_PARALLEL_FOR)
#define TENON_PARALLEL_FOR tenon_parallel_for
#elif !defined(TENON_PARALLEL_DECLARED)
/* The program's function. A macro needs no declaration: define TENON_PARALLEL_DECLARED then. */
#ifdef __cplusplus
extern "C"
#endif
    int32_t
    TENON_PARALLEL_FOR(tenon_parallel_body body, void* context, int64_t count);
#endif

#endif /* TENON_RUNTIME_TENON_PARALLEL_H_ */

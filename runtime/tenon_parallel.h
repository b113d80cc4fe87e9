/* Parallel loops of generated code. A loop whose iterations may run at once is a function of its
 * own, the body, and is handed to TENON_PARALLEL_FOR. What that is, the program says:
 *
 *   -DTENON_SERIAL                    the loop runs where it stands
 *   -DTENON_PARALLEL_FOR=my_function  a function of the program's, declared as tenon_parallel_for
 * is neither                           tenon_parallel_for, which is linked: that of
 * tenon_parallel.c, a pool of POSIX threads, or the program's own, on OpenMP or the tasks of an
 * RTOS
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
 * fails. Returns 0, or what that one returned. `context` is what the loop uses of the function that
 * it stands in; bodies only read it. */
typedef int32_t (*tenon_parallel_body)(void* context, int64_t begin, int64_t end);

/* Has the iterations 0, ..., count - 1 run by calls of `body` for ranges that together are these,
 * each iteration in one of them, in any order and at once, and returns when all calls have
 * returned. Returns 0, or what a call returned that failed; ranges that no call was made for by
 * then need none. */
int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count);

/* The same without threads. */
static inline int32_t tenon_parallel_for_serial(tenon_parallel_body body, void* context,
                                                int64_t count) {
  return count > 0 ? body(context, 0, count) : 0;
}

/* The pool of tenon_parallel.c. There is one in a program. It starts with the first loop, with a
 * thread for each processor that is there, the one that runs the loop included, or with
 * TENON_THREADS of them if that is defined; its threads wait without using time between loops. A
 * loop in a body, and a loop that another thread starts while one is running, run serially. Of
 * iterations that fail, the first says what is returned, as it does without threads. */

/* Has loops run on `threads` threads from now on, at least 1 and at most TENON_MOST_THREADS, or one
 * for each processor for 0. Returns how many there are, which are fewer if the system gives no
 * more. Not to be called in a body. */
int32_t tenon_parallel_start(int32_t threads);

/* Ends the threads; the next loop starts them again. A library that contains the pool must do this
 * before it is unloaded. Not to be called in a body. */
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
/* The program's function; a macro would need no declaration (TENON_PARALLEL_DECLARED). */
#ifdef __cplusplus
extern "C"
#endif
    int32_t
    TENON_PARALLEL_FOR(tenon_parallel_body body, void* context, int64_t count);
#endif

#endif /* TENON_RUNTIME_TENON_PARALLEL_H_ */

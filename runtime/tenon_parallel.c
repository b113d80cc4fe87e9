/* A pool of POSIX threads for parallel loops: see tenon_parallel.h. C99 or C++17 of GCC or Clang
 * (for their atomic operations); no allocation. Each thread has a part of a loop's iterations, and
 * takes ranges of it in ascending order until no range is left. Then it helps the other threads.
 * So in each loop, and in each run of a model, a thread mostly uses the same rows of its tensors,
 * which are in its own cache.
 *
 * A loop is open from its start until the thread that runs it finds no more iterations. That thread
 * only waits for threads that join while the loop is open, so that a thread that sleeps on a busy
 * machine costs nothing.
 *
 * Whether threads make a loop faster depends on the loop, on the machine and on what else the
 * machine does. The pool measures whole runs of a model in three ways, and keeps the fastest. One
 * of them uses threads only for the loops that are faster with them. Whole runs count, since a loop
 * with threads may make the next one slower, which then reads from the caches of other processors.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "tenon_parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The maximum number of threads, including the one that runs a loop. */
#ifndef TENON_MOST_THREADS
#define TENON_MOST_THREADS 64
#endif

/* The initial number of threads; 0: one for each processor. */
#ifndef TENON_THREADS
#define TENON_THREADS 0
#endif

/* Ranges per thread: more than one, since some threads are slower than others. */
#define TENON_RANGES_PER_THREAD 4

/* The number of times that a thread checks for the next loop before it sleeps. */
#ifndef TENON_PARALLEL_SPINS
#define TENON_PARALLEL_SPINS 10000
#endif

/* The number of loops whose times the pool remembers, a power of two. */
#ifndef TENON_PARALLEL_LOOPS
#define TENON_PARALLEL_LOOPS 256
#endif

/* The pool compares the ways to run a model's loops again after this many rounds, and then after
 * twice as many each time. */
#define TENON_FIRST_GAP 32
#define TENON_LAST_GAP 1024

/* The rounds of a trial in each way. The first ones don't count: the caches have the data of the
 * other way, and the workers may sleep. */
#define TENON_WARMUPS 2
#define TENON_TRIES 8
#define TENON_ROUNDS_PER_WAY (TENON_WARMUPS + TENON_TRIES)

/* If a round with threads takes this many nanoseconds, the pool does not try it without threads:
 * that would take long, and threads cost little in comparison. */
#define TENON_LONG_ROUND 100000000

/* Bytes between variables of different threads: two cache lines, which processors load together. */
#define TENON_APART 128

/* The ways to run the loops of a round, in the order of a trial: all with threads, all without, or
 * with threads only where they help. */
enum { TENON_SHARED, TENON_ALONE, TENON_MIXED, TENON_WAYS };

/* Measurements of a loop, which its body and its count identify. */
typedef struct {
  tenon_parallel_body body;
  int64_t count;
  int64_t times[2]; /* least times with threads and without, in nanoseconds; 0: unknown */
} tenon_loop_record;

/* Only the user reads and writes the records. */
static tenon_loop_record tenon_records[TENON_PARALLEL_LOOPS];

/* A round is a run of a model: from the start of its first loop to the end of the last loop before
 * the first one starts again. (A first loop that occurs several times in a run divides it.) A trial
 * runs rounds in each way and measures them. Only the user reads and writes the members. */
static struct {
  tenon_parallel_body body; /* of the first loop */
  int64_t count;            /* of the first loop */
  int64_t start;            /* in nanoseconds, of a trial's round */
  int64_t end;
  int64_t times[TENON_WAYS][TENON_TRIES];
  uint32_t number; /* of the round, since the last trial began */
  uint32_t gap;    /* rounds between trials */
  uint32_t loops;  /* other loops since the round began */
  int fastest;     /* the way of rounds between trials */
} tenon_round;

/* The iterations of a thread. */
typedef struct {
  int64_t next; /* the first iteration that is not taken; atomic */
  int64_t end;
} __attribute__((aligned(TENON_APART))) tenon_part;

/* `state` of the loop: the number of workers that run its iterations, whether workers may join, and
 * in the upper half the number of the loop. */
#define TENON_JOINED 0xffffu
#define TENON_OPEN 0x10000u

/* The loop. Its body, context and range do not change while it is open or workers run its
 * iterations. All members are in one cache line, which the workers read when it changes. */
static struct {
  uint64_t state; /* atomic */
  tenon_parallel_body body;
  void* context;
  int64_t range;     /* the number of iterations to take at a time */
  int64_t failed_at; /* start of the first failed range, or the number of iterations; atomic */
  int32_t code;      /* the result of that range */
  int32_t threads;   /* workers and the user; 0: not started */
} __attribute__((aligned(TENON_APART))) tenon_loop;

static struct {
  /* Held by the user: the thread that runs a loop, or starts or stops the pool. */
  pthread_mutex_t user;
  /* For the conditions, and for the result of a loop. */
  pthread_mutex_t lock;
  pthread_cond_t work;
  pthread_cond_t done;
  pthread_t workers[TENON_MOST_THREADS];
  int32_t stopping; /* atomic, like the others */
  int32_t sleepers; /* workers that wait for work */
  int32_t waiting;  /* whether the user waits for workers */
} pool = {PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          {0},
          0,
          0,
          0};

static tenon_part tenon_parts[TENON_MOST_THREADS];

/* Waits a moment, in a loop that counts `spins`. Now and then another thread may use the processor:
 * it may be the one that this thread waits for. */
static inline void tenon_pause(int spins) {
  if (spins % 64 == 63) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Runs the ranges of a part that are not taken. All ranges of the part before a failed one were
 * taken earlier and run to their end. */
static void tenon_run_part(tenon_part* part) {
  const int64_t range = tenon_loop.range;
  const int64_t end = part->end;
  while (__atomic_load_n(&part->next, __ATOMIC_RELAXED) < end) {
    const int64_t begin = __atomic_fetch_add(&part->next, range, __ATOMIC_RELAXED);
    int32_t code;
    if (begin >= end || begin > __atomic_load_n(&tenon_loop.failed_at, __ATOMIC_RELAXED)) return;
    code = tenon_loop.body(tenon_loop.context, begin, range < end - begin ? begin + range : end);
    if (code == 0) continue;
    pthread_mutex_lock(&pool.lock);
    if (begin < tenon_loop.failed_at) {
      __atomic_store_n(&tenon_loop.failed_at, begin, __ATOMIC_RELAXED);
      tenon_loop.code = code;
    }
    pthread_mutex_unlock(&pool.lock);
    return;
  }
}

/* Runs the part of a thread, then what is left of the others. The first failing range is always
 * found, independently of the threads' timing: ranges before it run in any case. */
static void tenon_run_ranges(int32_t thread) {
  const int32_t threads = tenon_loop.threads;
  int32_t i;
  for (i = 0; i < threads; ++i) tenon_run_part(&tenon_parts[(thread + i) % threads]);
}

/* Joins the open loop, if there is one that this worker has not seen. */
static int tenon_join(uint32_t* seen) {
  uint64_t state = __atomic_load_n(&tenon_loop.state, __ATOMIC_SEQ_CST);
  while ((uint32_t)(state >> 32) != *seen && (state & TENON_OPEN) != 0) {
    if (!__atomic_compare_exchange_n(&tenon_loop.state, &state, state + 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    *seen = (uint32_t)(state >> 32);
    return 1;
  }
  return 0;
}

/* The user may wait for the last worker that leaves. */
static void tenon_leave(void) {
  const uint64_t state = __atomic_sub_fetch(&tenon_loop.state, 1, __ATOMIC_SEQ_CST);
  if ((state & TENON_JOINED) != 0 || !__atomic_load_n(&pool.waiting, __ATOMIC_SEQ_CST)) return;
  pthread_mutex_lock(&pool.lock);
  pthread_cond_signal(&pool.done);
  pthread_mutex_unlock(&pool.lock);
}

/* Joins a loop, and waits for one if necessary. False if the pool stops. */
static int tenon_wait_for_work(uint32_t* seen) {
  int joined = 0;
  int spins;
  for (spins = 0; spins < TENON_PARALLEL_SPINS; ++spins) {
    if (tenon_join(seen)) return 1;
    if (__atomic_load_n(&pool.stopping, __ATOMIC_RELAXED)) return 0;
    tenon_pause(spins);
  }
  pthread_mutex_lock(&pool.lock);
  __atomic_add_fetch(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
  /* Reads the state after the user can see that this worker sleeps. */
  while (!__atomic_load_n(&pool.stopping, __ATOMIC_SEQ_CST) && !(joined = tenon_join(seen)))
    pthread_cond_wait(&pool.work, &pool.lock);
  __atomic_sub_fetch(&pool.sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&pool.lock);
  return joined;
}

static void* tenon_worker(void* number) {
  const int32_t thread = (int32_t)(intptr_t)number;
  uint32_t seen = 0;
  while (tenon_wait_for_work(&seen)) {
    tenon_run_ranges(thread);
    tenon_leave();
  }
  return NULL;
}

/* Only the user calls the next functions. */
static void tenon_wake_workers(void) {
  if (__atomic_load_n(&pool.sleepers, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&pool.lock);
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.lock);
}

static void tenon_stop_workers(void) {
  int32_t i;
  if (tenon_loop.threads == 0) return;
  __atomic_store_n(&pool.stopping, 1, __ATOMIC_SEQ_CST);
  tenon_wake_workers();
  for (i = 1; i < tenon_loop.threads; ++i) pthread_join(pool.workers[i], NULL);
  pool.stopping = 0;
  tenon_loop.threads = 0;
}

/* A child process has no workers. One of them may have held the lock at the fork. */
static void tenon_after_fork(void) {
  pthread_mutex_init(&pool.user, NULL);
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.work, NULL);
  pthread_cond_init(&pool.done, NULL);
  pool.sleepers = 0;
  pool.waiting = 0;
  pool.stopping = 0;
  tenon_loop.state &= ~(uint64_t)TENON_JOINED;
  if (tenon_loop.threads > 1) tenon_loop.threads = 1;
}

static void tenon_start_workers(int32_t threads) {
  static int has_fork_handler = 0;
  sigset_t all, before;
  int32_t started = 1;
  if (threads <= 0) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    threads = processors < 1 || processors > TENON_MOST_THREADS ? TENON_MOST_THREADS
                                                                : (int32_t)processors;
    if (processors < 1) threads = 1;
  }
  if (threads > TENON_MOST_THREADS) threads = TENON_MOST_THREADS;
  if (!has_fork_handler) has_fork_handler = pthread_atfork(NULL, NULL, tenon_after_fork) == 0;
  /* The program's own threads handle signals. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < threads &&
         pthread_create(&pool.workers[started], NULL, tenon_worker, (void*)(intptr_t)started) == 0)
    ++started;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  tenon_loop.threads = started;
  memset(tenon_records, 0, sizeof tenon_records);
  memset(&tenon_round, 0, sizeof tenon_round);
}

/* Each thread gets a part of the iterations; the parts of the first threads may have one more. */
static void tenon_divide(int64_t count) {
  const int64_t threads = tenon_loop.threads;
  const int64_t most = count / threads + (count % threads != 0);
  int64_t begin = 0;
  int32_t i;
  for (i = 0; i < threads; ++i) {
    const int64_t end = begin + count / threads + (i < count % threads);
    tenon_parts[i].end = end;
    __atomic_store_n(&tenon_parts[i].next, begin, __ATOMIC_RELAXED);
    begin = end;
  }
  tenon_loop.range = most / TENON_RANGES_PER_THREAD + (most % TENON_RANGES_PER_THREAD != 0);
}

/* Waits until no worker runs iterations of the loop, which is no longer open. */
static void tenon_wait_for_workers(void) {
  int spins;
  for (spins = 0; spins < TENON_PARALLEL_SPINS; ++spins) {
    if ((__atomic_load_n(&tenon_loop.state, __ATOMIC_ACQUIRE) & TENON_JOINED) == 0) return;
    tenon_pause(spins);
  }
  pthread_mutex_lock(&pool.lock);
  __atomic_store_n(&pool.waiting, 1, __ATOMIC_SEQ_CST);
  while ((__atomic_load_n(&tenon_loop.state, __ATOMIC_SEQ_CST) & TENON_JOINED) != 0)
    pthread_cond_wait(&pool.done, &pool.lock);
  __atomic_store_n(&pool.waiting, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&pool.lock);
}

/* Runs a loop on the pool, which must not be in use. */
static int32_t tenon_run_loop(tenon_parallel_body body, void* context, int64_t count) {
  const uint64_t number = (__atomic_load_n(&tenon_loop.state, __ATOMIC_RELAXED) >> 32) + 1;
  tenon_loop.body = body;
  tenon_loop.context = context;
  tenon_loop.failed_at = count;
  tenon_loop.code = 0;
  tenon_divide(count);
  __atomic_store_n(&tenon_loop.state, number << 32 | TENON_OPEN, __ATOMIC_SEQ_CST);
  tenon_wake_workers();
  tenon_run_ranges(0);
  __atomic_and_fetch(&tenon_loop.state, ~(uint64_t)TENON_OPEN, __ATOMIC_ACQ_REL);
  tenon_wait_for_workers();
  return tenon_loop.code;
}

/* The record of a loop. A loop without a record gets a new one, which may replace another loop's.
 */
static tenon_loop_record* tenon_find_record(tenon_parallel_body body, int64_t count) {
  const size_t home = ((size_t)body >> 4) * 31 + (size_t)count;
  tenon_loop_record* record = NULL;
  size_t i;
  for (i = 0; i < 8; ++i) {
    record = &tenon_records[(home + i) & (TENON_PARALLEL_LOOPS - 1)];
    if (record->body == body && record->count == count) return record;
    if (record->body == NULL) break;
  }
  record->body = body;
  record->count = count;
  record->times[TENON_SHARED] = record->times[TENON_ALONE] = 0;
  return record;
}

/* Threads must be faster by an eighth: they use more energy, and the code after the loop reads from
 * the caches of all threads. */
static int tenon_is_faster_shared(int64_t shared, int64_t alone) {
  return shared + shared / 8 < alone;
}

static int32_t tenon_run_in_way(int way, tenon_parallel_body body, void* context, int64_t count) {
  int is_shared = way == TENON_SHARED;
  if (way == TENON_MIXED) {
    const int64_t* const times = tenon_find_record(body, count)->times;
    is_shared =
        times[TENON_ALONE] == 0 || tenon_is_faster_shared(times[TENON_SHARED], times[TENON_ALONE]);
  }
  return is_shared ? tenon_run_loop(body, context, count) : body(context, 0, count);
}

static int64_t tenon_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The median of a way's rounds. */
static int64_t tenon_usual_time(int way) {
  int64_t* const times = tenon_round.times[way];
  int i, j;
  for (i = 1; i < TENON_TRIES; ++i) {
    const int64_t time = times[i];
    for (j = i; j > 0 && times[j - 1] > time; --j) times[j] = times[j - 1];
    times[j] = time;
  }
  return times[TENON_TRIES / 2];
}

/* Ends a trial: chooses the way of the next rounds. */
static void tenon_choose_way(void) {
  const int64_t shared = tenon_usual_time(TENON_SHARED);
  const int64_t mixed = tenon_usual_time(TENON_MIXED);
  int fastest = mixed < shared ? TENON_MIXED : TENON_SHARED;
  if (!tenon_is_faster_shared(mixed < shared ? mixed : shared, tenon_usual_time(TENON_ALONE)))
    fastest = TENON_ALONE;
  if (fastest != tenon_round.fastest)
    tenon_round.gap = TENON_FIRST_GAP;
  else if (tenon_round.gap < TENON_LAST_GAP)
    tenon_round.gap *= 2;
  tenon_round.fastest = fastest;
}

/* The number of this round among those of its way in a trial, without the first ones; negative for
 * these. */
static int32_t tenon_number_of_try(void) {
  return (int32_t)(tenon_round.number % TENON_ROUNDS_PER_WAY) - TENON_WARMUPS;
}

static int tenon_is_trial(void) { return tenon_round.number < TENON_WAYS * TENON_ROUNDS_PER_WAY; }

static int tenon_way_of_round(void) {
  return tenon_is_trial() ? (int)(tenon_round.number / TENON_ROUNDS_PER_WAY) : tenon_round.fastest;
}

static void tenon_begin_trial(void) {
  tenon_round.number = 0;
  memset(tenon_records, 0, sizeof tenon_records);
}

/* Ends a round, and begins the next one. */
static void tenon_next_round(void) {
  const int32_t number_of_try = tenon_number_of_try();
  const int was_trial = tenon_is_trial();
  if (was_trial && number_of_try >= 0)
    tenon_round.times[tenon_way_of_round()][number_of_try] = tenon_round.end - tenon_round.start;
  tenon_round.loops = 0;
  ++tenon_round.number;
  if (tenon_round.number == TENON_ROUNDS_PER_WAY &&
      tenon_usual_time(TENON_SHARED) >= TENON_LONG_ROUND) {
    tenon_round.number = TENON_WAYS * TENON_ROUNDS_PER_WAY;
    tenon_round.fastest = TENON_SHARED;
    return;
  }
  if (was_trial && !tenon_is_trial()) tenon_choose_way();
  if (tenon_round.number == TENON_WAYS * TENON_ROUNDS_PER_WAY + tenon_round.gap)
    tenon_begin_trial();
}

/* Whether a loop is the first of a round. */
static int tenon_begins_round(tenon_parallel_body body, int64_t count) {
  if (tenon_round.body == body && tenon_round.count == count) {
    tenon_next_round();
    return 1;
  }
  if (tenon_round.body != NULL && ++tenon_round.loops < 4 * TENON_PARALLEL_LOOPS) return 0;
  /* The pool's first loop, or that of another model. */
  memset(&tenon_round, 0, sizeof tenon_round);
  tenon_round.body = body;
  tenon_round.count = count;
  tenon_round.gap = TENON_FIRST_GAP;
  tenon_begin_trial();
  return 1;
}

/* Runs a loop in the way of its round. */
static int32_t tenon_run_measured(tenon_parallel_body body, void* context, int64_t count) {
  const int is_first = tenon_begins_round(body, count);
  const int way = tenon_way_of_round();
  int64_t start;
  int32_t code;
  if (!tenon_is_trial()) return tenon_run_in_way(way, body, context, count);
  start = tenon_nanoseconds();
  code = tenon_run_in_way(way, body, context, count);
  tenon_round.end = tenon_nanoseconds();
  if (is_first) tenon_round.start = start;
  if (way != TENON_MIXED && tenon_number_of_try() >= 0) {
    int64_t* const least = &tenon_find_record(body, count)->times[way];
    const int64_t time = tenon_round.end - start;
    if (*least == 0 || time < *least) *least = time;
  }
  return code;
}

int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count) {
  int32_t code;
  /* Ranges of larger counts might overflow. */
  if (count <= 1 || count > INT64_MAX / 2 || pthread_mutex_trylock(&pool.user) != 0)
    return tenon_parallel_for_serial(body, context, count);
  if (tenon_loop.threads == 0) tenon_start_workers(TENON_THREADS);
  code =
      tenon_loop.threads > 1 ? tenon_run_measured(body, context, count) : body(context, 0, count);
  pthread_mutex_unlock(&pool.user);
  return code;
}

int32_t tenon_parallel_start(int32_t threads) {
  int32_t started;
  pthread_mutex_lock(&pool.user);
  tenon_stop_workers();
  tenon_start_workers(threads);
  started = tenon_loop.threads;
  pthread_mutex_unlock(&pool.user);
  return started;
}

void tenon_parallel_stop(void) {
  pthread_mutex_lock(&pool.user);
  tenon_stop_workers();
  pthread_mutex_unlock(&pool.user);
}

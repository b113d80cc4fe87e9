/* A pool of POSIX threads for parallel loops: see tenon_parallel.h. C99 or C++17 of GCC or Clang
 * (for their atomic operations); no allocation. The threads of the pool and the thread that runs a
 * loop take ranges of its iterations in ascending order until no range is left.
 *
 * A loop is open from its start until the thread that runs it finds no more iterations. That thread
 * only waits for threads that join while the loop is open, so that a thread that sleeps on a busy
 * machine costs nothing.
 *
 * Whether threads make a loop faster depends on the loop and on what else the machine does. The
 * pool measures both ways of running each loop, and uses the faster one.
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

/* The pool tries the slower way of a loop again after this many runs, and then after twice as many
 * each time. Powers of two: the loops of a model try together, when the workers are awake. */
#define TENON_FIRST_GAP 32
#define TENON_LAST_GAP 1024

/* The number of runs in succession that try a way. */
#define TENON_TRIES 4

/* The two ways to run a loop. */
enum { TENON_ALONE, TENON_SHARED };

/* Measurements of a loop, which its body and its count identify. */
typedef struct {
  tenon_parallel_body body;
  int64_t count;
  int64_t times[2]; /* of both ways, smoothed, in nanoseconds; 0: unknown */
  uint32_t runs;
  uint32_t gap; /* runs between tries of the slower way */
  int faster;   /* the faster way so far */
} tenon_loop_record;

/* Only the user reads and writes the records. */
static tenon_loop_record tenon_records[TENON_PARALLEL_LOOPS];

static struct {
  /* Held by the user: the thread that runs a loop, or starts or stops the pool. */
  pthread_mutex_t user;
  /* Protects all members below, except those marked as atomic. */
  pthread_mutex_t lock;
  pthread_cond_t work;
  pthread_cond_t done;
  pthread_t workers[TENON_MOST_THREADS];
  int32_t threads; /* workers and the user; 0: not started */
  int stopping;
  uint32_t loops; /* number of loops so far; atomic */
  int is_open;
  int32_t joined; /* workers that run iterations; atomic */
  /* The loop. It does not change while someone has joined. */
  tenon_parallel_body body;
  void* context;
  int64_t count;
  int64_t range;
  int64_t next;      /* the first iteration that is not taken; atomic */
  int64_t failed_at; /* start of the first failed range, else `count`; atomic */
  int32_t code;      /* the result of that range */
} pool = {PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          {0},
          0,
          0,
          0,
          0,
          0,
          NULL,
          NULL,
          0,
          0,
          0,
          0,
          0};

/* Waits a moment, in a loop that counts `spins`. Now and then another thread may use the processor:
 * it may be the one that this thread waits for. */
static inline void tenon_pause(int spins) {
  if (spins % 64 == 63) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* Takes ranges and runs them. All ranges before a failed one were taken earlier and run to their
 * end. So the first failing range is always found, independently of the threads' timing. */
static void tenon_run_ranges(void) {
  const int64_t count = pool.count;
  const int64_t range = pool.range;
  for (;;) {
    const int64_t begin = __atomic_fetch_add(&pool.next, range, __ATOMIC_RELAXED);
    int32_t code;
    if (begin >= count || begin > __atomic_load_n(&pool.failed_at, __ATOMIC_RELAXED)) return;
    code = pool.body(pool.context, begin, range < count - begin ? begin + range : count);
    if (code == 0) continue;
    pthread_mutex_lock(&pool.lock);
    if (begin < pool.failed_at) {
      __atomic_store_n(&pool.failed_at, begin, __ATOMIC_RELAXED);
      pool.code = code;
    }
    pthread_mutex_unlock(&pool.lock);
    return;
  }
}

static void* tenon_worker(void* unused) {
  uint32_t seen = 0;
  pthread_mutex_lock(&pool.lock);
  while (!pool.stopping) {
    int spins;
    if (!pool.is_open || pool.loops == seen) {
      pthread_cond_wait(&pool.work, &pool.lock);
      continue;
    }
    seen = pool.loops;
    ++pool.joined;
    pthread_mutex_unlock(&pool.lock);
    tenon_run_ranges();
    pthread_mutex_lock(&pool.lock);
    if (__atomic_sub_fetch(&pool.joined, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.lock);
    for (spins = 0; spins < TENON_PARALLEL_SPINS; ++spins) {
      if (__atomic_load_n(&pool.loops, __ATOMIC_RELAXED) != seen) break;
      tenon_pause(spins);
    }
    pthread_mutex_lock(&pool.lock);
  }
  pthread_mutex_unlock(&pool.lock);
  return unused;
}

/* Only the user calls the next two functions. */
static void tenon_stop_workers(void) {
  int32_t i;
  if (pool.threads == 0) return;
  pthread_mutex_lock(&pool.lock);
  pool.stopping = 1;
  /* Also wakes threads that are spinning. */
  __atomic_add_fetch(&pool.loops, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.lock);
  for (i = 1; i < pool.threads; ++i) pthread_join(pool.workers[i], NULL);
  pool.stopping = 0;
  pool.threads = 0;
}

static void tenon_start_workers(int32_t threads) {
  sigset_t all, before;
  int32_t started = 1;
  if (threads <= 0) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    threads = processors < 1 || processors > TENON_MOST_THREADS ? TENON_MOST_THREADS
                                                                : (int32_t)processors;
    if (processors < 1) threads = 1;
  }
  if (threads > TENON_MOST_THREADS) threads = TENON_MOST_THREADS;
  /* The program's own threads handle signals. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < threads && pthread_create(&pool.workers[started], NULL, tenon_worker, NULL) == 0)
    ++started;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pool.threads = started;
  memset(tenon_records, 0, sizeof tenon_records);
}

/* Runs a loop on the pool, which must not be in use. */
static int32_t tenon_run_loop(tenon_parallel_body body, void* context, int64_t count) {
  const int64_t ranges = (int64_t)pool.threads * TENON_RANGES_PER_THREAD;
  int spins;
  int32_t code;
  pthread_mutex_lock(&pool.lock);
  pool.body = body;
  pool.context = context;
  pool.count = count;
  pool.range = count / ranges + (count % ranges != 0);
  pool.next = 0;
  pool.failed_at = count;
  pool.code = 0;
  pool.is_open = 1;
  __atomic_add_fetch(&pool.loops, 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.lock);
  tenon_run_ranges();
  pthread_mutex_lock(&pool.lock);
  pool.is_open = 0;
  pthread_mutex_unlock(&pool.lock);
  for (spins = 0; spins < TENON_PARALLEL_SPINS; ++spins) {
    if (__atomic_load_n(&pool.joined, __ATOMIC_ACQUIRE) == 0) break;
    tenon_pause(spins);
  }
  pthread_mutex_lock(&pool.lock);
  while (pool.joined != 0) pthread_cond_wait(&pool.done, &pool.lock);
  code = pool.code;
  pthread_mutex_unlock(&pool.lock);
  return code;
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
  record->times[TENON_ALONE] = record->times[TENON_SHARED] = 0;
  record->runs = 0;
  record->gap = TENON_FIRST_GAP;
  record->faster = TENON_ALONE;
  return record;
}

/* The number of this run among those that try the slower way, or -1. Initially that is the way with
 * threads. The slower way is tried at other times than the faster one, since workers that have
 * nothing to do fall asleep. */
static int32_t tenon_number_of_try(const tenon_loop_record* record) {
  const uint32_t start = record->faster == TENON_SHARED ? record->gap / 2 : 0;
  const uint32_t place = record->runs & (record->gap - 1);
  return place >= start && place - start < TENON_TRIES ? (int32_t)(place - start) : -1;
}

/* Adds a measured run. The least time of the tries counts. Of other runs, one that took much longer
 * than usual counts as twice the usual time: other programs may have interrupted it. Threads must
 * be faster by an eighth, since the next loop reads from the caches of all threads then. */
static void tenon_add_run(tenon_loop_record* record, int32_t number_of_try, int way, int64_t time) {
  int64_t* const usual = &record->times[way];
  const int64_t* const times = record->times;
  int faster;
  if (number_of_try == 0 || *usual == 0)
    *usual = time;
  else if (number_of_try > 0)
    *usual = time < *usual ? time : *usual;
  else
    *usual += ((time < 2 * *usual ? time : 2 * *usual) - *usual) / 4;
  ++record->runs;
  if (times[TENON_ALONE] == 0 || (number_of_try >= 0 && number_of_try < TENON_TRIES - 1)) return;
  faster = times[TENON_SHARED] + times[TENON_SHARED] / 8 < times[TENON_ALONE] ? TENON_SHARED
                                                                              : TENON_ALONE;
  if (faster != record->faster)
    record->gap = TENON_FIRST_GAP;
  else if (number_of_try >= 0 && record->gap < TENON_LAST_GAP)
    record->gap *= 2;
  record->faster = faster;
}

static int64_t tenon_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Runs a loop in the way that is faster as far as the pool knows, or tries the other one. */
static int32_t tenon_run_measured(tenon_parallel_body body, void* context, int64_t count) {
  tenon_loop_record* const record = tenon_find_record(body, count);
  const int32_t number_of_try = tenon_number_of_try(record);
  const int way = number_of_try < 0 ? record->faster : 1 - record->faster;
  const int64_t start = tenon_nanoseconds();
  const int32_t code =
      way == TENON_SHARED ? tenon_run_loop(body, context, count) : body(context, 0, count);
  tenon_add_run(record, number_of_try, way, tenon_nanoseconds() - start);
  return code;
}

int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count) {
  int32_t code;
  if (count <= 1 || pthread_mutex_trylock(&pool.user) != 0)
    return tenon_parallel_for_serial(body, context, count);
  if (pool.threads == 0) tenon_start_workers(TENON_THREADS);
  code = pool.threads > 1 ? tenon_run_measured(body, context, count) : body(context, 0, count);
  pthread_mutex_unlock(&pool.user);
  return code;
}

int32_t tenon_parallel_start(int32_t threads) {
  int32_t started;
  pthread_mutex_lock(&pool.user);
  tenon_stop_workers();
  tenon_start_workers(threads);
  started = pool.threads;
  pthread_mutex_unlock(&pool.user);
  return started;
}

void tenon_parallel_stop(void) {
  pthread_mutex_lock(&pool.user);
  tenon_stop_workers();
  pthread_mutex_unlock(&pool.user);
}

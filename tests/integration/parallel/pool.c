/* Uses the thread pool in all ways: ./pool [race|end]. Exits with 0 if everything is correct. With
 * `race`, iterations write to one variable, so that ThreadSanitizer must find a race. `end` only
 * checks the results at the end of a loop. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tenon_parallel.h"

#define COUNT 10000

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      exit(1);                                                \
    }                                                         \
  } while (0)

struct numbers {
  int32_t* values;
  int64_t fails_from; /* iterations from here on fail, each with its number */
  int32_t* shared;    /* a variable of all iterations; NULL: none */
  int32_t slow;       /* microseconds that a range takes */
};

/* Counts how often each iteration runs. */
static int32_t count_up(void* context, int64_t begin, int64_t end) {
  const struct numbers* const numbers = (const struct numbers*)context;
  int64_t i;
  if (numbers->slow > 0) usleep((useconds_t)numbers->slow);
  for (i = begin; i < end; ++i) {
    if (i >= numbers->fails_from) return (int32_t)i;
    ++numbers->values[i];
    if (numbers->shared != NULL) ++*numbers->shared;
  }
  return 0;
}

/* A loop within each iteration. */
static int32_t nested(void* context, int64_t begin, int64_t end) {
  const struct numbers* const numbers = (const struct numbers*)context;
  int64_t i;
  for (i = begin; i < end; ++i) {
    struct numbers inner = {numbers->values + i * 10, 10, NULL, 0};
    const int32_t code = tenon_parallel_for(count_up, &inner, 10);
    if (code != 0) return code;
  }
  return 0;
}

static void check_all(const int32_t* values, int64_t count, int32_t expected) {
  int64_t i;
  for (i = 0; i < count; ++i) CHECK(values[i] == expected);
}

static void check_loops(void) {
  static int32_t values[COUNT];
  struct numbers numbers = {values, COUNT, NULL, 0};
  int64_t count;
  int32_t round;
  for (count = 0; count < 70; ++count) {
    memset(values, 0, sizeof values);
    CHECK(tenon_parallel_for(count_up, &numbers, count) == 0);
    check_all(values, count, 1);
    check_all(values + count, COUNT - count, 0);
  }
  CHECK(tenon_parallel_for(count_up, &numbers, -1) == 0);
  memset(values, 0, sizeof values);
  for (round = 1; round <= 60; ++round) {
    CHECK(tenon_parallel_for(count_up, &numbers, COUNT) == 0);
    check_all(values, COUNT, round);
  }
  memset(values, 0, sizeof values);
  CHECK(tenon_parallel_for(nested, &numbers, COUNT / 10) == 0);
  check_all(values, COUNT, 1);
}

/* The result is that of the first failing iteration, and all iterations before it have run.
 */
static void check_errors(void) {
  static int32_t values[COUNT];
  int64_t first;
  for (first = 1; first < COUNT; first = first * 3 / 2 + 1) {
    struct numbers numbers = {values, first, NULL, 0};
    memset(values, 0, sizeof values);
    CHECK(tenon_parallel_for(count_up, &numbers, COUNT) == (int32_t)first);
    check_all(values, first, 1);
  }
}

/* Waits until another thread also runs an iteration, which shows that a loop uses several threads.
 * */
static int32_t meet(void* context, int64_t begin, int64_t end) {
  int32_t* const threads = (int32_t*)context;
  int tries;
  (void)begin;
  (void)end;
  __atomic_add_fetch(threads, 1, __ATOMIC_RELAXED);
  for (tries = 0; tries < 10000 && __atomic_load_n(threads, __ATOMIC_RELAXED) < 2; ++tries)
    usleep(1000);
  return __atomic_load_n(threads, __ATOMIC_RELAXED) < 2;
}

/* A loop of which the time is known. */
struct timed {
  pthread_t user;
  useconds_t alone;      /* microseconds of an iteration on the user's thread */
  useconds_t shared;     /* on another thread */
  int32_t other_threads; /* ranges that other threads ran */
};

static int32_t take_time(void* context, int64_t begin, int64_t end) {
  struct timed* const timed = (struct timed*)context;
  const int is_user = pthread_equal(pthread_self(), timed->user);
  if (!is_user) __atomic_add_fetch(&timed->other_threads, 1, __ATOMIC_RELAXED);
  usleep((useconds_t)(end - begin) * (is_user ? timed->alone : timed->shared));
  return 0;
}

/* Whether most of 40 runs of a loop use several threads, after 100 runs. Each is followed by
 * another loop, whose iterations take `after_alone` or `after_shared` microseconds on all threads.
 */
static int is_shared(useconds_t alone, useconds_t shared, useconds_t after_alone,
                     useconds_t after_shared) {
  struct timed timed = {pthread_self(), alone, shared, 0};
  struct timed next = timed;
  int32_t runs = 0;
  int32_t i;
  /* Forgets other loops. */
  CHECK(tenon_parallel_start(4) == 4);
  for (i = 0; i < 140; ++i) {
    timed.other_threads = 0;
    CHECK(tenon_parallel_for(take_time, &timed, 16) == 0);
    runs += i >= 100 && timed.other_threads > 0;
    next.alone = next.shared = timed.other_threads > 0 ? after_shared : after_alone;
    if (next.alone > 0) CHECK(tenon_parallel_for(take_time, &next, 2) == 0);
  }
  return runs > 20;
}

/* Whether threads are faster or slower than the times say depends on what else the machine does.
 * The expected answer comes in one of several attempts. */
static void check_shared(int expected, useconds_t alone, useconds_t shared, useconds_t after_alone,
                         useconds_t after_shared) {
  int attempts = 1;
  while (is_shared(alone, shared, after_alone, after_shared) != expected) {
    CHECK(++attempts <= 20);
    usleep(100000);
  }
}

/* A loop that takes long uses several threads in each run. */
static void check_long_loop(void) {
  struct timed timed = {pthread_self(), 30000, 30000, 0};
  int32_t i;
  CHECK(tenon_parallel_start(4) == 4);
  for (i = 0; i < 20; ++i) {
    timed.other_threads = 0;
    CHECK(tenon_parallel_for(take_time, &timed, 16) == 0);
    CHECK(timed.other_threads > 0);
  }
}

/* The pool finds out whether threads make a loop faster, and the loops together. */
static void check_measured(void) {
  check_shared(1, 500, 500, 0, 0);
  check_shared(0, 50, 5000, 0, 0);
  check_shared(1, 500, 500, 100, 200);
  check_shared(0, 100, 100, 100, 5000);
  check_long_loop();
}

/* Several threads of the program run loops. */
static void* run_loops(void* unused) {
  int32_t* const values = (int32_t*)calloc(COUNT, sizeof(int32_t));
  struct numbers numbers = {values, COUNT, NULL, 0};
  int32_t round;
  CHECK(values != NULL);
  for (round = 1; round <= 50; ++round) {
    CHECK(tenon_parallel_for(count_up, &numbers, COUNT) == 0);
    check_all(values, COUNT, round);
  }
  free(values);
  return unused;
}

static void check_users(void) {
  pthread_t users[4];
  int i;
  for (i = 0; i < 4; ++i) CHECK(pthread_create(&users[i], NULL, run_loops, NULL) == 0);
  for (i = 0; i < 4; ++i) CHECK(pthread_join(users[i], NULL) == 0);
}

/* All writes of the iterations are visible after the loop. Each loop has another count, so that
 * all use threads. */
static void check_end(void) {
  static int32_t values[64];
  struct numbers numbers = {values, 64, NULL, 200};
  int32_t round;
  for (round = 1; round <= 20; ++round) {
    const int64_t count = 64 - round;
    memset(values, 0, sizeof values);
    CHECK(tenon_parallel_for(count_up, &numbers, count) == 0);
    check_all(values, count, 1);
  }
}

/* A child process has no workers, whatever they do at the fork. */
static void check_fork(void) {
  int i;
  for (i = 0; i < 50; ++i) {
    int status = 0;
    pid_t child;
    check_end();
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      check_end();
      tenon_parallel_stop();
      _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

int main(int argc, char** argv) {
  static const int32_t kThreads[] = {1, 2, 3, 8, 64, 2};
  const char* const mode = argc > 1 ? argv[1] : "";
  int32_t met = 0;
  size_t i;
  if (strcmp(mode, "race") == 0) {
    static int32_t values[64];
    int32_t shared = 0;
    struct numbers numbers = {values, 64, &shared, 200};
    CHECK(tenon_parallel_start(4) == 4);
    CHECK(tenon_parallel_for(count_up, &numbers, 64) == 0);
    tenon_parallel_stop();
    return 0;
  }
  if (strcmp(mode, "end") == 0) {
    CHECK(tenon_parallel_start(4) == 4);
    check_end();
    return 0;
  }
  check_loops(); /* starts the pool */
  for (i = 0; i < sizeof kThreads / sizeof kThreads[0]; ++i) {
    CHECK(tenon_parallel_start(kThreads[i]) == kThreads[i]);
    check_loops();
    check_errors();
  }
  CHECK(tenon_parallel_for(meet, &met, 2) == 0);
  check_end();
  check_measured();
  check_users();
  check_fork();
  CHECK(tenon_parallel_start(1000) == 64);
  CHECK(tenon_parallel_start(0) >= 1);
  tenon_parallel_stop();
  tenon_parallel_stop();
  check_loops();
  tenon_parallel_stop();
  return 0;
}

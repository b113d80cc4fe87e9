#!/usr/bin/env python3
"""Parallel loops: the thread pool, and generated code that uses it or a program's implementation.

Use: parallel_test.py --tenon BIN --source DIR [--cc CC] pool|generated|hooks|shared|corpus
`pool` and `generated` run under ThreadSanitizer, which must find nothing in correct programs, and
must find each deliberate mistake. Exit code 77 (skipped), with a message, without ThreadSanitizer,
OpenMP or the corpus.
"""

import _ctypes
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]

# Large scratch that is allocated in the loop, or, wrongly, outside of it.
SCRATCH = """# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
    T.func_attr({{"global_symbol": "main", "tir.noalias": True}})
    {outside}for i in T.parallel(64):
        {inside}assert 0 <= x[i], "negative"
        for j in range({size}):
            s[j] = x[i] + j
        y[i] = s[{size} - 1] - s[0] + s[1]
"""
ALLOCATE = 's = T.decl_buffer([{size}], "int32")\n    '

# Loops that passes make parallel: columns of a matrix, then its rows.
CHOSEN = """# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
    T.func_attr({"global_symbol": "main", "tir.noalias": True})
    t = T.decl_buffer([4096], "int32")
    for j, i in T.grid(64, 64):
        t[i * 64 + j] = 0
        for k in range(64):
            t[i * 64 + j] = t[i * 64 + j] + (x[k] + j) * (x[i] - k)
    for i in range(64):
        y[i] = 0
        for j, k in T.grid(64, 64):
            y[i] = y[i] + t[i * 64 + j] * (x[k] + j)
"""

# Captures of bodies: scalars, lets, parameters, other loops' variables, bounds read from memory; a
# loop that does not begin at 0, one of a wide dtype, a nested one, and one that returns.
CAPTURES = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def row(a: T.handle("int32"), n: T.int32, b: T.handle("int32")):
        a_1 = T.Buffer((64,), "int32", data=a)
        b_1 = T.Buffer((64,), "int32", data=b)
        for k in T.parallel(n):
            b_1[k] = a_1[k] * 3 + n

    @T.prim_func
    def main(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        c = T.allocate_const([5, 6, 7, 8], "int32", [4])
        c_1 = T.Buffer((4,), "int32", data=c)
        v: T.int32 = x[0] + 1
        flag: T.bool = x[1] < 100
        for o in range(2):
            for i in T.parallel(o * 8, o * 8 + 8):
                y[i] = T.Select(flag, x[i] + v, o) + c_1[i % 4]
        for i in T.parallel(T.int64(16), T.int64(24)):
            y[i] = T.Cast("int32", i) + v
        for i in T.parallel(2):
            for j in T.parallel(4):
                y[24 + i * 4 + j] = x[i] * x[j]
        n: T.int32 = x[2] % 4 + 4
        for i in T.parallel(x[2] % 4 + 32, n + 28):
            y[i] = n
        for i in T.parallel(1):
            y[40 + i] = 1
        p: T.handle("int32") = T.address_of(y[48])
        Module.row(x.data, 16, p)
"""

MAIN = """#include <stdio.h>
#include "tvmgen_default.h"
int main(int argc, char** argv) {{
  static int32_t x[64], y[64];
  static struct tvmgen_default_inputs inputs;
  static struct tvmgen_default_outputs outputs;
  int round, i;
  inputs.x = x;
  outputs.y = y;
  (void)argv;
  for (i = 0; i < 64; ++i) x[i] = i * 3 + 1;
  if (argc > 1) x[40] = -1;
  for (round = 0; round < 20; ++round) {{
    const int32_t code = tvmgen_default_run(&inputs, &outputs);
    if (code != 0) {{
      printf("code %d\\n", (int)code);
      return 0;
    }}
  }}
  for (i = 0; i < 64; ++i) printf("%d\\n", (int)y[i]);
  return 0;
}}
"""

# Programs that run the loops themselves. The first is the example in docs/guide/embedding.md.
OPENMP = """#include "tenon_parallel.h"

int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count) {
  int32_t code = 0;
  int64_t i;
#pragma omp parallel for schedule(static)
  for (i = 0; i < count; ++i) {
    const int32_t result = body(context, i, i + 1);
    if (result != 0) {
#pragma omp critical
      code = result;
    }
  }
  return code;
}
"""
BACKWARDS = """#include <stdio.h>
#include "tenon_parallel.h"
int32_t run_backwards(tenon_parallel_body body, void* context, int64_t count);
int32_t run_backwards(tenon_parallel_body body, void* context, int64_t count) {
  int32_t code = 0;
  fputs("backwards\\n", stderr);
  while (count-- > 0 && code == 0) code = body(context, count, count + 1);
  return code;
}
"""
# A thread for every quarter of a loop, so that faulty iterations are always detected.
QUARTERS = """#include <pthread.h>
#include <stddef.h>
#include "tenon_parallel.h"
struct quarter {
  tenon_parallel_body body;
  void* context;
  int64_t begin, end;
  int32_t code;
};
static void* run_quarter(void* argument) {
  struct quarter* const q = (struct quarter*)argument;
  q->code = q->body(q->context, q->begin, q->end);
  return NULL;
}
int32_t tenon_parallel_for(tenon_parallel_body body, void* context, int64_t count) {
  struct quarter quarters[4];
  pthread_t threads[4];
  int32_t code = 0;
  int i;
  for (i = 0; i < 4; ++i) {
    const struct quarter q = {body, context, count * i / 4, count * (i + 1) / 4, 0};
    quarters[i] = q;
    if (pthread_create(&threads[i], NULL, run_quarter, &quarters[i]) != 0) return 1;
  }
  for (i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    if (code == 0) code = quarters[i].code;
  }
  return code;
}
"""


def run(command, code=0, env=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, env=env)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}\nexit code {done.returncode}, not {code}\n"
                 f"{done.stdout}{done.stderr}")
    return done


class Test:
    def __init__(self, arguments, folder):
        self.tenon = arguments.tenon
        self.source = pathlib.Path(arguments.source)
        self.cc = arguments.cc
        self.folder = folder

    def has(self, flag, source="int main(void) { return 0; }"):
        """Whether programs can be built with a flag and run."""
        path = self.folder / "probe.c"
        path.write_text(source)
        built = subprocess.run([self.cc, flag, path, "-o", self.folder / "probe"], check=False,
                               capture_output=True)
        return built.returncode == 0 and subprocess.run(
            [self.folder / "probe"], check=False, capture_output=True).returncode == 0

    def build(self, name, sources, *flags):
        program = self.folder / name
        run([self.cc, "-std=c99", "-g", "-O1", *STRICT, *flags, "-pthread", *sources, "-o", program,
             "-lm"])
        return program

    def races(self, program, *arguments):
        """Whether ThreadSanitizer finds something in a run."""
        env = dict(os.environ, TSAN_OPTIONS="exitcode=66")
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False,
                              env=env)
        if done.returncode not in (0, 66):
            sys.exit(f"{program} {arguments}: exit code {done.returncode}\n{done.stderr}")
        if done.returncode == 66 and "ThreadSanitizer: data race" not in done.stderr:
            sys.exit(done.stderr)
        return done.returncode == 66

    def expect_races(self, wanted, what, program, *arguments):
        if self.races(program, *arguments) != wanted:
            sys.exit(f"{what}: ThreadSanitizer {'misses the race' if wanted else 'reports a race'}")
        print(f"{what}: {'a race, as there should be' if wanted else 'no race'}")

    def compile(self, name, text, *options):
        """C of a module in a folder, with a program that runs it; its sources."""
        module = self.folder / f"{name}.py"
        module.write_text(text)
        folder = self.folder / name
        run([self.tenon, "compile", module, "--emit=c", "-o", folder, *options])
        (folder / "main.c").write_text(MAIN.format())
        return sorted(folder.glob("*.c"))


def test_pool(test):
    if not test.has("-fsanitize=thread"):
        return "no ThreadSanitizer here"
    runtime = test.source / "runtime"
    pool = runtime / "tenon_parallel.c"
    flags = ["-fsanitize=thread", "-D_DEFAULT_SOURCE", f"-I{runtime}"]
    good = test.build("pool", [HERE / "pool.c", pool], *flags)
    test.expect_races(False, "the pool", good)
    test.expect_races(True, "iterations that write to one variable", good, "race")
    # A faulty pool that does not wait for all threads.
    text = pool.read_text()
    wait = "  tenon_wait_for_workers();\n"
    assert text.count(wait) == 1, wait
    text = text.replace(wait, "  (void)tenon_wait_for_workers;\n")
    broken = test.folder / "broken.c"
    broken.write_text(text)
    # Without spins, which would give the threads time to end.
    bad = test.build("broken", [HERE / "pool.c", broken], *flags, "-DTENON_PARALLEL_SPINS=0")
    done = subprocess.run([bad, "end"], check=False, capture_output=True, text=True)
    if done.returncode == 0:
        sys.exit("a pool that does not wait for its threads: nobody notices")
    return None


def scratch(size, is_inside):
    allocate = ALLOCATE.format(size=size)
    return SCRATCH.format(size=size, outside="" if is_inside else allocate,
                          inside=allocate + "    " if is_inside else "")


def test_generated(test):
    if not test.has("-fsanitize=thread"):
        return "no ThreadSanitizer here"
    quarters = test.folder / "quarters.c"
    quarters.write_text(QUARTERS)

    def programs(name, text, *options):
        for way, more in (("threads", []), ("hook", [quarters])):
            sources = test.compile(f"{name}_{way}", text, f"--parallel={way}", *options)
            if not any("= TENON_PARALLEL_FOR(" in path.read_text() for path in sources):
                sys.exit(f"{name}, {way}: no loop is parallel")
            yield way, test.build(f"{name}_{way}.out", [*sources, *more], "-fsanitize=thread",
                                  "-DTENON_THREADS=4", f"-I{sources[0].parent}")

    def check(name, text, *options):
        expected = run([test.build("serial.out", test.compile("serial", text))]).stdout
        if len(expected.split()) != 64:
            sys.exit(expected)
        for way, program in programs(name, text, *options):
            test.expect_races(False, f"{name}, {way}", program)
            if run([program]).stdout != expected:
                sys.exit(f"{name}, {way}: other results than without threads")
            # An assertion in the loop ends the model.
            if "assert" in text and run([program, "negative"]).stdout != "code -1\n":
                sys.exit(f"{name}, {way}: the error is lost")

    for size in (16, 1000):
        check(f"scratch_{size}", scratch(size, is_inside=True))
        shared = dict(programs(f"shared_{size}", scratch(size, is_inside=False)))
        test.expect_races(True, f"shared scratch of {size}", shared["hook"])
    check("captures", CAPTURES)
    check("chosen", CHOSEN, "--optimize=on")
    check("captures_tvm", CAPTURES, "--planner=hill_climb", "--parallel-copies=2")
    return None


def test_hooks(test):
    """The default, a macro's function, and a linked function all give the same result."""
    expected = run([test.build("serial.out", test.compile("serial", CAPTURES))]).stdout
    sources = test.compile("hook", CAPTURES, "--parallel=hook")
    if any(path.name == "tenon_parallel.c" for path in sources):
        sys.exit("--parallel=hook: the pool is among the files")
    include = f"-I{test.folder}/hook"
    backwards = test.folder / "backwards.c"
    backwards.write_text(BACKWARDS)
    if run([test.build("default.out", sources)]).stdout != expected:
        sys.exit("the default gives other results")
    macro = run([test.build("macro.out", [*sources, backwards], include,
                            "-DTENON_PARALLEL_FOR=run_backwards")])
    if macro.stdout != expected or "backwards" not in macro.stderr:
        sys.exit("the function that the macro names was not called, or gives other results")
    serial = run([test.build("none.out", [*sources, backwards], include, "-DTENON_SERIAL",
                             "-DTENON_PARALLEL_FOR=run_backwards")])
    if serial.stdout != expected or serial.stderr:
        sys.exit("-DTENON_SERIAL: something else runs the loops")
    for standard in ("-std=c11", "-std=gnu17"):
        test.build("other.out", sources, standard)
    if not test.has("-fopenmp"):
        return "no OpenMP here"
    openmp = test.folder / "openmp.c"
    openmp.write_text(OPENMP)
    program = test.build("openmp.out", [*sources, openmp], include, "-fopenmp")
    env = dict(os.environ, OMP_NUM_THREADS="4")
    if run([program], env=env).stdout != expected:
        sys.exit("OpenMP gives other results")
    if OPENMP not in (test.source / "docs" / "guide" / "embedding.md").read_text():
        sys.exit("docs/guide/embedding.md has another example of OpenMP")
    return None


def run_library(path):
    """The results of a shared object for the inputs of MAIN, and its number of threads. Closes it
    again."""
    library = ctypes.CDLL(str(path))
    x = (ctypes.c_int32 * 64)(*(i * 3 + 1 for i in range(64)))
    y = (ctypes.c_int32 * 64)()
    inputs = (ctypes.c_void_p * 1)(ctypes.addressof(x))
    outputs = (ctypes.c_void_p * 1)(ctypes.addressof(y))
    before = len(os.listdir("/proc/self/task"))
    if hasattr(library, "tenon_parallel_start") and library.tenon_parallel_start(3) != 3:
        sys.exit(f"{path}: no pool of 3 threads")
    for _ in range(20):
        if library.tvmgen_default_run(inputs, outputs) != 0:
            sys.exit(f"{path}: the run failed")
    threads = len(os.listdir("/proc/self/task")) - before + 1
    # Programs may unload the library without stopping the threads: their code must stay loaded.
    _ctypes.dlclose(library._handle)
    time.sleep(0.05)
    return list(y), threads


def test_shared(test):
    """Shared objects through LLVM contain the pool."""
    if not pathlib.Path(test.tenon).with_name("tenon-llvm").exists():
        return "built without LLVM"
    module = test.folder / "module.py"
    module.write_text(CAPTURES)

    def shared(name, *options):
        path = test.folder / name
        run([test.tenon, "compile", module, "--emit=shared", f"--cc={test.cc}", *options, "-o", path])
        return run_library(path)

    expected, threads = shared("serial.so")
    if threads != 1:
        sys.exit(f"--parallel=serial: {threads} threads")
    # These loops have too little work for passes to choose them.
    for name, options in (("o0", ["-O0"]), ("o3", ["-O3", "--cpu=native", "--optimize=off"])):
        values, threads = shared(f"{name}.so", "--parallel=threads", *options)
        if values != expected or threads != 3:
            sys.exit(f"{name}: {threads} threads, {values}, expected {expected}")
    if shared("hook.so", "--parallel=hook") != (expected, 1):
        sys.exit("--parallel=hook: not serial, or other results")
    # An object must be linked with the pool, and a note says so.
    done = run([test.tenon, "compile", module, "--emit=obj", "--parallel=threads", "--optimize=off", "-o",
                test.folder / "model.o"])
    if "parallel loops of tvmgen_default: link tenon_parallel.c" not in done.stderr:
        sys.exit(f"no note on the pool: {done.stderr}")
    module.write_text(CAPTURES.replace("T.parallel", "range"))
    done = run([test.tenon, "compile", module, "--emit=obj", "--parallel=threads", "-o",
                test.folder / "model.o"])
    if "note:" in done.stderr:
        sys.exit(f"a note on loops that are not there: {done.stderr}")
    return None


def test_corpus(test):
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", test.source.parent / "shared/corpus"))
    if not (corpus / "models").is_dir():
        return f"no corpus in {corpus}"
    modules = sorted((corpus / "models").glob("*/module_llvm.py"))
    modules += [corpus / "models" / "kws_int8" / "module_parallel.py"]
    for module in modules:
        tensors = [f"--input={module.parent / 'input0.npy'}",
                   f"--expect={module.parent / 'expected0.npy'}"]
        for threads in (2, 3):
            run([test.tenon, "run", module, *tensors, "--engine=c", f"--threads={threads}",
                 "--cflags=-std=c99 -O1", "--repeat=3", f"--c-vectors={'gnu' if threads == 2 else 'loops'}"])
        if pathlib.Path(test.tenon).with_name("tenon-llvm").exists():
            run([test.tenon, "run", module, *tensors, "--engine=jit", "--threads=3", "--repeat=3"])
        print(f"{module.parent.name}/{module.name}: as expected with 2 and 3 threads")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("what", choices=["pool", "generated", "hooks", "shared", "corpus"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        test = Test(arguments, pathlib.Path(folder))
        reason = {"pool": test_pool, "generated": test_generated, "hooks": test_hooks,
                  "shared": test_shared, "corpus": test_corpus}[arguments.what](test)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares many random modules in C and in LLVM's JIT with the interpreter.

Use: random_modules.py --bin DIR [--first N] [--count N] [--engines c,jit] [--jobs N] [--out DIR]
Runs the tests RandomC and RandomJit of tests/random, which define the module of each seed, on the
seeds from `first` on. A process runs `chunk` seeds, whose modules are in one C file. One chunk in
`thorough` is compiled with the tests' default options, -O1 with ASan and UBSan. Every second of the
other chunks is compiled only with UBSan and without optimization, which takes a fifth of the time.
The rest are compiled by cc and clang at -O2 and -O3 in turn.

A failure is printed with its seed and kept in a file in `out`, and the run continues after it. The
exit code is 1 if there was a failure.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

TESTS = {"c": ("random_test", "RandomC.GivesWhatTheInterpreterGives"),
         "jit": ("random_jit_test", "RandomJit.GivesWhatTheInterpreterGives")}
LIGHT = "-O0 -w -fsanitize=undefined -fno-sanitize-recover=all"
OPTIMISED = ["-O2 -w", "-O3 -w"]
CLANGS = ["clang-19", "clang"]


class Run:
    """Chunks of seeds, and their results."""

    def __init__(self, options):
        self.options = options
        self.failures = []
        self.passed = {engine: 0 for engine in TESTS}
        self.lock = threading.Lock()
        compilers = ["cc"] + [cc for cc in CLANGS if shutil.which(cc)][:1]
        if options.cc:
            compilers = [options.cc]
        light = (compilers[-1], options.cflags or LIGHT)
        optimised = [(cc, flags) for flags in OPTIMISED for cc in compilers]
        # Other chunks use these options in turn.
        self.ways = [light] if options.cflags else [
            way for each in optimised for way in (light, each)]

    def variables_of(self, index):
        """The options for compiling the chunk `index`."""
        if self.options.thorough > 0 and index % self.options.thorough == 0:
            return {}
        compiler, flags = self.ways[index % len(self.ways)]
        return {"TENON_RANDOM_CC": compiler, "TENON_RANDOM_CFLAGS": flags}

    def start(self, engine, first, count, variables):
        """The exit code and all output of one process."""
        program, test = TESTS[engine]
        environment = dict(os.environ, TENON_RANDOM_FIRST=str(first),
                           TENON_RANDOM_COUNT=str(count), **variables)
        done = subprocess.run([self.options.bin / program, f"--gtest_filter={test}"],
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              errors="replace", check=False)
        return done.returncode, done.stdout

    def first_failure(self, engine, first, end, variables):
        """The first failing seed and its message; the seed is `end` if none fails."""
        code, text = self.start(engine, first, end - first, variables)
        if code == 0 and "[  PASSED  ] 1 test." in text and "[  SKIPPED ]" not in text:
            return end, text
        if code == 0:
            raise RuntimeError(f"{TESTS[engine][1]} does not run:\n{text}")
        named = re.search(r"failing seed (\d+)", text)
        if named:
            return int(named.group(1)), text
        # The process died without a message: run the seeds one by one.
        for seed in range(first, end):
            code, said = self.start(engine, seed, 1, variables)
            if code != 0:
                return seed, said
        return first, text

    def chunk(self, engine, first, count, variables):
        begin = time.monotonic()
        end = first + count
        at = first
        while at < end:
            seed, text = self.first_failure(engine, at, end, variables)
            if seed >= end:
                break
            path = self.options.out / f"{engine}_{seed}.txt"
            path.write_text(text)
            with self.lock:
                self.failures.append((engine, seed, path))
                print(f"seed {seed} fails in {engine}: {path}", flush=True)
            at = seed + 1
        failed = sum(engine == name and first <= seed < end for name, seed, _ in self.failures)
        with self.lock:
            self.passed[engine] += count - failed
            how = " ".join(variables.values()) if engine == "c" else ""
            print(f"seeds {first} to {end - 1} through {engine}: {count - failed} pass, {failed} "
                  f"fail, {time.monotonic() - begin:.1f} s {how}".rstrip(), flush=True)

    def all(self):
        options = self.options
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            waiting = []
            for index, first in enumerate(range(options.first, options.first + options.count,
                                                options.chunk)):
                count = min(options.chunk, options.first + options.count - first)
                for engine in options.engines:
                    variables = self.variables_of(index) if engine == "c" else {}
                    waiting.append(pool.submit(self.chunk, engine, first, count, variables))
            for each in waiting:
                each.result()
        for engine in options.engines:
            print(f"{self.passed[engine]} of {options.count} modules: interp == {engine}")
        for engine, seed, path in sorted(self.failures, key=lambda failure: failure[1]):
            program, test = TESTS[engine]
            print(f"TENON_RANDOM_FIRST={seed} TENON_RANDOM_COUNT=1 {options.bin / program} "
                  f"--gtest_filter={test}  # {path}")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the tests are")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--chunk", type=int, default=250, help="seeds of a process and a C file")
    parser.add_argument("--engines", default="c,jit", help="c, jit or both")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/random"),
                        help="for what failures say")
    parser.add_argument("--thorough", type=int, default=20,
                        help="one chunk in so many as the tests compile it themselves; 0: none")
    parser.add_argument("--cc", help="the compiler of the other chunks")
    parser.add_argument("--cflags", help="its flags")
    options = parser.parse_args()
    options.engines = [engine for engine in options.engines.split(",") if engine]
    unknown = [engine for engine in options.engines if engine not in TESTS]
    if unknown or min(options.count, options.chunk, options.jobs) < 1:
        parser.error(f"no engine `{unknown[0]}`" if unknown else "a count below 1")
    missing = [TESTS[engine][0] for engine in options.engines
               if not (options.bin / TESTS[engine][0]).exists()]
    if missing:
        parser.error(f"no {missing[0]} in {options.bin}")
    options.out.mkdir(parents=True, exist_ok=True)
    return Run(options).all()


if __name__ == "__main__":
    sys.exit(main())

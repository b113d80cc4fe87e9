#!/usr/bin/env python3
"""Compiles the C of random modules with every compiler that is installed, with warnings as errors.

Use: random_warnings.py --bin DIR [--first N] [--count N] [--jobs N] [--compilers A,B] [--levels A,B]
Runs the test RandomC.CompilesWithoutWarnings, which defines the module and the options of each
seed, for each compiler, as C99 and as C++17, at each level. Prints the compilers that are missing.
A message is printed with its file, whose name has the seed. The exit code is 1 if there was one.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

TEST = "RandomC.CompilesWithoutWarnings"
# The compilers of Debian 12 and Ubuntu 24.04, and the flags of their machines.
COMPILERS = [(f"gcc-{version}", "") for version in range(11, 15)] + [
    (f"clang-{version}", "") for version in range(13, 20)] + [
        ("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"),
        ("arm-none-eabi-gcc", "-mthumb -mcpu=cortex-m55 -mfloat-abi=hard"),
        ("riscv64-unknown-elf-gcc", "--specs=picolibc.specs -march=rv32imac -mabi=ilp32")]
LANGUAGES = ["-std=c99", "-x c++ -std=c++17"]
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]


def run(options, compiler, flags):
    """The messages of one way to compile; None if there are none."""
    environment = dict(os.environ, TENON_RANDOM_FIRST=str(options.first),
                       TENON_RANDOM_COUNT=str(options.count), TENON_RANDOM_CC=compiler,
                       TENON_RANDOM_CFLAGS=flags)
    if "-none-" in compiler or "-unknown-" in compiler:
        environment["TENON_RANDOM_BARE"] = "1"
    done = subprocess.run([options.bin / "random_test", f"--gtest_filter={TEST}"],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    good = (done.returncode == 0 and "[  PASSED  ] 1 test." in done.stdout
            and "[  SKIPPED ]" not in done.stdout)
    return None if good else done.stdout


def ways(options):
    """Pairs of a compiler and its flags, for the compilers that are installed."""
    names = options.compilers.split(",") if options.compilers else None
    named = [pair for pair in COMPILERS if names is None or pair[0] in names]
    missing = sorted({name for name, _ in named if not shutil.which(name)})
    if missing:
        print(f"not installed: {', '.join(missing)}", flush=True)
    return [(name, f"{machine} {language} {level}".strip()) for name, machine in named
            if name not in missing for language in LANGUAGES for level in options.levels.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where random_test is")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many seeds")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--compilers", help="some compilers instead of all, separated by commas")
    parser.add_argument("--levels", default=",".join(LEVELS), help="levels of optimisation")
    options = parser.parse_args()
    if not (options.bin / "random_test").exists():
        parser.error(f"no random_test in {options.bin}")
    chosen = ways(options)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda way: run(options, *way), chosen)
        for (compiler, flags), messages in zip(chosen, results):
            failed += messages is not None
            print(f"{compiler} {flags}: {'ok' if messages is None else messages}",
                  flush=True)
    print(f"{options.count} modules, {len(chosen)} ways to compile: {failed} with warnings")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())

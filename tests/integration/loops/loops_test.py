#!/usr/bin/env python3
"""Loops for which engines had different results.

Use: loops_test.py --tenon BIN [--cc CC] [--engine E]... [--seed N] [--count N] [--keep DIR] ends|order
- ends: loops of every integer type that end at the type's largest value, wrap there or run zero
  times, with constant bounds and with run-time bounds. Python computes the expected results. Each
  type runs in the interpreter, once in C and once in the JIT; with TENON_NIGHTLY=1 in every way.
- order: random nests of loops whose iterations store to the same elements, through the interpreter,
  LLVM's JIT, and gcc and clang at -O2 and -O3.
Exit code 77 (skipped) without a C compiler.
"""

import argparse
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H",
         "uint32": "I", "uint64": "Q"}
SLOTS = 256


def limits(dtype):
    bits = int(dtype.lstrip("uint"))
    return (0, 2 ** bits - 1) if dtype.startswith("u") else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def wrap(value, dtype):
    low, high = limits(dtype)
    return (value - low) % (high - low + 1) + low


def write_npy(path, dtype, values):
    size = struct.calcsize(CODES[dtype])
    descr = f"{'|' if size == 1 else '<'}{dtype[0]}{size}"
    header = str({"descr": descr, "fortran_order": False, "shape": (len(values),)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + struct.pack(f"<{len(values)}{CODES[dtype]}", *values))


def cases_of(dtype):
    """Loops as (min, extent)."""
    low, high = limits(dtype)
    most = min(high, 250)
    cases = [(high - 2, 3), (high, 1), (high - 1, 1), (high - 9, 9), (high - 5, 13), (low, 5),
             (low + 3, 0), (high, 0), (high - most + 1, most), (0, 7), (1, min(most, 127)),
             (high - 55, 111)]
    if low < 0:
        cases += [(5, -1), (low, -3), (high, low), (-3, 6), (low + 1, low), (-1, 1)]
    return cases


def loop(text, kind, begin, end, bodies):
    text.append(f"    for i in T.{kind}({begin}, {end}):")
    text.extend(f"        {body}" for body in bodies)


def module_of(dtype, cases):
    """A module and its expected results. Loops that add up give the number of iterations and a hash
    of their values in order; loops in any order give the value of each iteration."""
    text = [f"""# from tvm.script import tir as T

@T.prim_func
def main(b: T.Buffer(({2 * len(cases)},), "{dtype}"), sums: T.Buffer(({10 * len(cases)},), "int64"), values: T.Buffer(({3 * SLOTS * len(cases)},), "int64")):
    for z in range({10 * len(cases)}):
        sums[z] = T.int64(0)
    for z in range({3 * SLOTS * len(cases)}):
        values[z] = T.int64(-1)"""]
    sums, values = [], []
    for number, (begin, extent) in enumerate(cases):
        run = [wrap(begin + n, dtype) for n in range(extent)]
        # Literals of uint64 have int64's range; negative constant extents are errors.
        literal = begin < 2 ** 63 and extent >= 0 and begin + extent < 2 ** 63
        first, count = f"b[{2 * number}]", f"b[{2 * number + 1}]"
        const, const_count = f"T.{dtype}({begin})", f"T.{dtype}({extent})"
        const_end = f"T.{dtype}({wrap(begin + extent, dtype)})"
        static = (const, const_end) if literal else (first, f"{first} + {count}")
        bounds = [static, (first, f"{first} + {count}"),
                  (first, f"{first} + {const_count if literal else count}"),
                  (const if literal else first, f"{const if literal else first} + {count}")]
        if begin == 0 or not literal:
            bounds[3] = bounds[1]
        if begin == wrap(begin + extent, dtype) or begin == 0:
            bounds[2] = bounds[1]
        total = 0
        for value in run:
            total = wrap(total * 31 + value, "int64")
        for form, (low, high) in enumerate(bounds):
            at = 10 * number + 2 * form
            loop(text, "unroll" if form == 0 else "serial", low, high,
                 [f"sums[{at}] = sums[{at}] + T.int64(1)",
                  f"sums[{at + 1}] = sums[{at + 1}] * T.int64(31) + T.Cast(\"int64\", i)"])
            sums += [len(run), total]
        text.append(f"    with T.LetStmt({first}) as lo:")
        text.append(f"        for i in T.serial(lo, lo + {count}):")
        at = 10 * number + 8
        text.append(f"            sums[{at}] = sums[{at}] + T.int64(1)")
        text.append(f"            sums[{at + 1}] = T.bitwise_xor(sums[{at + 1}], T.Cast(\"int64\", i))")
        mix = 0
        for value in run:
            mix ^= wrap(value, "int64")
        sums += [len(run), mix]
        for form, (low, high) in enumerate(bounds[:3]):
            at = SLOTS * (3 * number + form)
            slot = f"T.Cast(\"int32\", T.Cast(\"int64\", i) - T.Cast(\"int64\", {low}))"
            loop(text, "parallel" if form < 2 else "serial", low, high,
                 [f"values[{at} + T.bitwise_and({slot}, {SLOTS - 1})] = T.Cast(\"int64\", i)"])
            row = [-1] * SLOTS
            for value in run:
                row[(value - begin) % SLOTS] = wrap(value, "int64")
            values += row
    return "\n".join(text) + "\n", sums, values


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"FAILED: {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[:3000]}",
              flush=True)
    return done.returncode == 0


def compilers(cc):
    """The C compiler that built the tree, and clang."""
    found = [name for name in (cc, "clang-19", "clang") if shutil.which(name)]
    return found[:2]


def ways(options, c_ways, more=((),)):
    """Options of `tenon run`: each engine, and C with the compilers and levels of `c_ways`; each
    also with the options of `more`."""
    every = []
    if "interp" in options.engine:
        every.append(["--engine=interp"])
    if "c" in options.engine:
        every += [["--engine=c", f"--cc={cc}", f"--cflags={level} -std=c99 -ffp-contract=off", *some]
                  for cc, level in c_ways for some in more]
    if "jit" in options.engine:
        every += [["--engine=jit", level, *some] for level in ("-O0", "-O2", "-O3")
                  for some in more]
    return every


def sample(every_way, number):
    """One way per engine, which depends on the number."""
    engines = {}
    for way in every_way:
        engines.setdefault(way[0], []).append(way)
    return [some[number % len(some)] for some in engines.values()]


def check_ends(options, folder):
    failures = 0
    every = [(cc, level) for level in ("-O2", "-O3") for cc in compilers(options.cc)]
    for number, dtype in enumerate(CODES):
        # Each type uses a different compiler and level, because compiling takes most of the time.
        c_ways = [every[number % len(every)]]
        cases = cases_of(dtype)
        text, sums, values = module_of(dtype, cases)
        module = folder / f"{dtype}.py"
        module.write_text(text)
        write_npy(folder / "b.npy", dtype, [number for case in cases for number in case])
        write_npy(folder / "sums.npy", "int64", sums)
        write_npy(folder / "values.npy", "int64", values)
        every_way = ways(options, c_ways, ((), ("--threads=2",)))
        if not os.environ.get("TENON_NIGHTLY"):
            every_way = sample(every_way, number)
        for way in every_way:
            failures += not run([options.tenon, "run", module, "--input", folder / "b.npy",
                                 "--expect", folder / "sums.npy", "--expect",
                                 folder / "values.npy", *way])
    return failures


def nest_of(rng, number, size):
    """Loops around stores whose indices are sums of loop variables. The outer extents are larger
    than a vector, and some steps are shorter than the range of the inner loops."""
    depth = rng.randint(2, 3)
    names = [f"i{number}_{k}" for k in range(depth)]
    extents = [rng.choice([3, 5, 16, 20, 40]) for _ in names[:-1]] + [rng.choice([2, 3, 4, 7, 16])]
    text = [f"    for {', '.join(names)} in T.grid({', '.join(map(str, extents))}):"]
    for _ in range(rng.choice([1, 1, 2])):
        terms, offset = [], 0
        for name, extent in zip(names, extents):
            step = rng.choice([0, 1, 1, 1, 2, 3, 4, -1, -2, extent])
            offset += max(0, -step * (extent - 1))
            terms.append(f"{name} * {step}")
        value = rng.choice([f"A[{names[0]}]", f"A[{names[0]} * {extents[-1]} + {names[-1]}]",
                            f"A[{names[-1]}] + A[{names[0]}]"])
        index = f"({' + '.join(terms)} + {offset}) % {size}" if rng.random() < 0.1 else \
            f"{' + '.join(terms)} + {offset}"
        if rng.random() < 0.2:
            value = f"B[{number}, {index}] * 3 + {value}"
        text.append(f"        B[{number}, {index}] = {value}")
    return text


def check_order(options, folder):
    rng = random.Random(options.seed)
    size = 1 << 12
    text = ["# from tvm.script import tir as T", "", "@T.prim_func",
            f'def main(A: T.Buffer(({size},), "int32"), B: T.Buffer(({options.count}, {size}), '
            '"int32")):', '    T.func_attr({"tir.noalias": T.bool(True)})',
            f"    for f, g in T.grid({options.count}, {size}):", "        B[f, g] = g"]
    for number in range(options.count):
        text += nest_of(rng, number, size)
    module = folder / "nests.py"
    module.write_text("\n".join(text) + "\n")
    write_npy(folder / "a.npy", "int32", [(7 * k) % 9973 for k in range(size)])
    base = [options.tenon, "run", module, "--input", folder / "a.npy"]
    if not run([*base, "--output", folder / "b.npy"]):
        return 1
    c_ways = [(cc, level) for cc in compilers(options.cc) for level in ("-O2", "-O3")]
    return sum(not run([*base, "--expect", folder / "b.npy", *way])
               for way in ways(options, c_ways))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--engine", action="append", choices=["interp", "c", "jit"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="nests")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files")
    parser.add_argument("what", choices=["ends", "order"])
    options = parser.parse_args()
    options.engine = options.engine or ["interp", "c"]
    if not shutil.which(options.cc):
        print(f"skipped: no compiler {options.cc}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        failures = {"ends": check_ends, "order": check_order}[options.what](options, folder)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

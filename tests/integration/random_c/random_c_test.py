#!/usr/bin/env python3
"""Random expressions of numbers and vectors: interpreter and compiled C agree in every bit.

Use: random_c_test.py --tenon BIN [--cc CC] [--seed N] [--count N] [--keep DIR]
Both engines run a module of `count` expressions of every dtype over rows of edge cases and random
numbers; C uses vectors as loops and GNU vector types. C is compiled with UBSan, if available, to
detect undefined behavior. Exit code 77 (skipped) without a C compiler.
"""

import argparse
import math
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
ROWS = 32
CODES = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H",
         "uint32": "I", "uint64": "Q", "float32": "f", "float64": "d", "float16": "e",
         "bfloat16": "H"}
INTS = [name for name in CODES if "int" in name]
FLOATS = ["float32", "float64", "float16", "bfloat16"]


def bits(dtype):
    return int(dtype.lstrip("uintfloa"))


def limits(dtype):
    if dtype.startswith("u"):
        return 0, 2 ** bits(dtype) - 1
    return -2 ** (bits(dtype) - 1), 2 ** (bits(dtype) - 1) - 1


def bfloat16_bits(value):
    """The bits of the number, truncated to bfloat16."""
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def bfloat16_value(bits16):
    return struct.unpack("<f", struct.pack("<I", bits16 << 16))[0]


def column(rng, dtype):
    """ROWS numbers, edge cases first."""
    if dtype == "bfloat16":
        return [bfloat16_bits(value) for value in column(rng, "float32")]
    if dtype == "float16":
        return [value if abs(value) < 65504 or not math.isfinite(value) else 65504.0
                for value in column(rng, "float32")]
    if dtype in FLOATS:
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 127.5, -129.0, 255.9, 65536.0, -32769.0, 2.0 ** 31,
                 -2.0 ** 31, 2.0 ** 63, -2.0 ** 63, 2.0 ** 64, math.inf, -math.inf, math.nan, 1e-30]
        rng.shuffle(edges)
        return edges + [rng.uniform(-300, 300) for _ in range(ROWS - len(edges))]
    low, high = limits(dtype)
    edges = [low, high, low + 1, high - 1, 0, 1, max(low, -1), 2, max(low, -2), high // 2, 7, 100]
    rng.shuffle(edges)
    return edges + [rng.randint(low, high) for _ in range(ROWS - len(edges))]


class Generator:
    """Writes expressions that cannot fail: divisors are odd, shifts less than the width.

    With `lanes` they are vectors of all rows; with `gnu` GNU C has types and operators for them."""

    def __init__(self, rng, lanes=1, gnu=False):
        self.rng = rng
        self.lanes = lanes
        self.gnu = gnu
        self.dtypes = INTS + ["float32", "float64"] if gnu else list(CODES)

    def spread(self, text):
        return text if self.lanes == 1 else f"T.Broadcast({text}, {self.lanes})"

    def vector_of(self, dtype):
        return dtype if self.lanes == 1 else f"{dtype}x{self.lanes}"

    def literal(self, dtype):
        return self.spread(self.number(dtype))

    def number(self, dtype):
        if dtype in FLOATS:
            values = [0.0, 1.0, -1.5, 0.125, 1e10, -3.0, 100.25]
            if dtype in ("float16", "bfloat16"):
                values = [0.0, 1.0, -1.5, 0.125, 512.0, -3.0, 100.0]
            elif self.rng.random() < 0.3:
                values = [0.1]
            return f'T.{dtype}({self.rng.choice(values)!r})'
        low, high = limits(dtype)
        value = self.rng.choice([0, 1, max(low, -1), 3, max(low, -7), low, high,
                                 self.rng.randint(low, high)])
        if value > 2 ** 63 - 1:
            value = 2 ** 63 - 1
        return f"T.{dtype}({value})"

    def leaf(self, dtype):
        if self.rng.random() < 0.25:
            return self.literal(dtype)
        index = "i" if self.lanes == 1 else f"0:{self.lanes}"
        return f"{self.rng.choice('ab')}_{dtype}[{index}]"

    def condition(self, depth):
        kind = self.rng.random()
        if depth > 0 and kind < 0.25:
            op = self.rng.choice(["T.And", "T.Or"])
            return f"{op}({self.condition(depth - 1)}, {self.condition(depth - 1)})"
        if depth > 0 and kind < 0.35:
            return f"T.Not({self.condition(depth - 1)})"
        dtype = self.rng.choice(self.dtypes)
        op = self.rng.choice(["==", "!=", "<", "<=", ">", ">="])
        return f"({self.expr(dtype, depth - 1)} {op} {self.expr(dtype, depth - 1)})"

    def cast(self, dtype, depth):
        if self.rng.random() < 0.15:
            return f'T.Cast("{self.vector_of(dtype)}", {self.condition(depth - 1)})'
        source = self.rng.choice([name for name in self.dtypes if name != dtype and not
                                  (self.gnu and dtype in INTS and name in FLOATS)])
        return f'T.Cast("{self.vector_of(dtype)}", {self.expr(source, depth - 1)})'

    def expr(self, dtype, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return self.leaf(dtype)
        kind = rng.random()
        if kind < 0.2:
            return self.cast(dtype, depth)
        if kind < 0.3:
            return (f"T.Select({self.condition(depth - 1)}, {self.expr(dtype, depth - 1)}, "
                    f"{self.expr(dtype, depth - 1)})")
        if kind < 0.38 and self.lanes == 1:
            return (f"T.if_then_else({self.condition(depth - 1)}, {self.expr(dtype, depth - 1)}, "
                    f"{self.expr(dtype, depth - 1)})")
        if dtype in FLOATS:
            return self.floating(dtype, depth)
        return self.integer(dtype, depth)

    def floating(self, dtype, depth):
        a, b = self.expr(dtype, depth - 1), self.expr(dtype, depth - 1)
        # The sign and bits of a NaN depend on the machine, so sums only use values without NaNs.
        op = self.rng.choice(["+", "-", "*", "/", "min", "max"] + ([] if self.gnu else [
            "floor", "ceil", "trunc", "fabs", "sqrt"]))
        if op in "+-*/":
            return f"({a} {op} {b})"
        if op in ("min", "max"):
            return f"T.{op}({a}, {b})"
        if op == "sqrt":
            return f"T.sqrt(T.fabs({a}))"
        return f"T.{op}({a})"

    def integer(self, dtype, depth):
        rng = self.rng
        a, b = self.expr(dtype, depth - 1), self.expr(dtype, depth - 1)
        op = rng.choice(["+", "-", "*", "+", "-", "*", "min", "max", "shift_left", "shift_right",
                         "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"]
                        + ([] if self.gnu else ["//", "%", "truncdiv", "truncmod", "popcount",
                                                "q_multiply_shift"]))
        one = self.spread(f"T.{dtype}(1)")
        if op in ("+", "-", "*"):
            return f"({a} {op} {b})"
        if op in ("//", "%"):
            divisor = self.divisor(dtype, b)
            return f"T.{'floordiv' if op == '//' else 'floormod'}({a}, {divisor})"
        if op in ("truncdiv", "truncmod"):
            return f"T.{op}({a}, {self.divisor(dtype, b)})"
        if op in ("shift_left", "shift_right"):
            mask = self.spread(f"T.{dtype}({bits(dtype) - 1})")
            return f"T.{op}({a}, T.bitwise_and({b}, {mask}))"
        if op == "bitwise_not":
            return f"T.bitwise_not({a})"
        if op == "popcount":
            return f"T.popcount({a})" if dtype == "int32" else f"T.bitwise_xor({a}, {one})"
        if op == "q_multiply_shift":
            if dtype != "int32" or self.lanes > 1:
                return f"({a} * {b})"
            factor = rng.choice([1073741824, 1518500250, rng.randint(2 ** 30, 2 ** 31 - 1)])
            return f"T.q_multiply_shift({a}, {factor}, 31, {rng.randint(-12, 6)})"
        return f"T.{op}({a}, {b})"

    def divisor(self, dtype, b):
        if self.rng.random() < 0.4:
            low, high = limits(dtype)
            choice = self.rng.choice([1, 2, 3, 7, high, max(low, -1) or 1, max(low, -3) or 5])
            return self.spread(f"T.{dtype}({min(choice, 2 ** 63 - 1)})")
        return f"T.bitwise_or({b}, {self.spread(f'T.{dtype}(1)')})"


def write_npy(path, dtype, values):
    size = struct.calcsize(CODES[dtype])
    # bfloat16 is stored as its bits, since NumPy has no such type.
    descr = f"{'|' if size == 1 else '<'}{'u' if dtype == 'bfloat16' else dtype[0]}{size}"
    header = str({"descr": descr, "fortran_order": False, "shape": (len(values),)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + struct.pack(f"<{len(values)}{CODES[dtype]}", *values))


def read_npy(path, dtype):
    raw = path.read_bytes()
    data = raw[10 + struct.unpack("<H", raw[8:10])[0]:]
    numbers = struct.unpack(f"<{len(data) // struct.calcsize(CODES[dtype])}{CODES[dtype]}", data)
    return [bfloat16_value(bits16) for bits16 in numbers] if dtype == "bfloat16" else numbers


def make_module(rng, count):
    """The text, and for each dtype the expressions whose results it stores."""
    generators = [Generator(rng), Generator(rng), Generator(rng, ROWS), Generator(rng, ROWS, True)]
    expressions = {dtype: [] for dtype in CODES}
    for i in range(count):
        generator = generators[i // len(CODES) % len(generators)]
        dtype = generator.dtypes[i % len(CODES) % len(generator.dtypes)]
        expressions[dtype].append(generator.expr(dtype, rng.randint(1, 4)))
    params = [f'{side}_{dtype}: T.Buffer(({ROWS},), "{dtype}")' for dtype in CODES for side in "ab"]
    params += [f'out_{dtype}: T.Buffer(({ROWS * len(expressions[dtype])},), "{dtype}")'
               for dtype in CODES]
    lines = ["@T.prim_func", f"def main({', '.join(params)}):",
             '    T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})',
             f"    for i in range({ROWS}):"]
    vectors = []
    for dtype in CODES:
        for index, text in enumerate(expressions[dtype]):
            if f"[0:{ROWS}]" in text or "T.Broadcast" in text:
                vectors.append(f"    out_{dtype}[{index * ROWS}:{(index + 1) * ROWS}] = {text}")
            else:
                lines.append(f"        out_{dtype}[i + {index * ROWS}] = {text}")
    lines += vectors
    return "\n".join(lines) + "\n", expressions


def run_engine(options, folder, inputs, engine):
    command = [options.tenon, "run", folder / "module.py", *engine]
    for name in inputs:
        command += ["--input", f"{name}={folder / name}.npy"]
    outputs = {}
    for dtype in CODES:
        outputs[dtype] = folder / f"{len(engine)}{engine[-1][-3:]}_{dtype}.npy"
        command += ["--output", f"out_{dtype}={outputs[dtype]}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "runtime error" in done.stderr:
        print(f"FAILED: {' '.join(map(str, engine))}\n{done.stderr[:6000]}")
        return None
    return {dtype: read_npy(path, dtype) for dtype, path in outputs.items()}


def count_vectors(options, folder):
    """Expressions that are stored as vectors of GNU C."""
    done = subprocess.run([options.tenon, "compile", folder / "module.py", "--c-vectors=gnu", "-o",
                           folder / "c"], capture_output=True, text=True, check=False)
    text = (folder / "c" / "tvmgen_default.c").read_text() if done.returncode == 0 else ""
    stores = re.findall(r"\*\(tenon_\w+_u\*\)&(out_\w+)\[(\d+)\] = ", text)
    return len({(name, int(index) // ROWS) for name, index in stores})


def ubsan_flags(cc, folder):
    """Flags that stop at undefined behavior in a shared object, with a message if possible."""
    probe = folder / "probe.c"
    probe.write_text("int f(int x); int f(int x) { return x + 1; }\n")
    for flags in (["-fsanitize=undefined", "-fno-sanitize-recover=undefined"],
                  ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]):
        done = subprocess.run([cc, *flags, "-shared", "-fPIC", "-Wl,-z,defs", probe, "-o",
                               folder / "probe.so"], capture_output=True, check=False)
        if done.returncode == 0:
            return " " + " ".join(flags)
    return ""


def same(a, b):
    if a != a or b != b:
        return a != a and b != b
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def compare(interp, compiled, expressions, values):
    wrong = 0
    for dtype, texts in expressions.items():
        for index, text in enumerate(texts):
            for row in range(ROWS):
                a, b = (side[dtype][index * ROWS + row] for side in (interp, compiled))
                if same(a, b):
                    continue
                wrong += 1
                if wrong <= 10:
                    used = {name: column[row] for name, column in values.items() if name in text}
                    print(f"FAILED: {dtype} {text}\n  with {used}: interpreter {a!r}, C {b!r}")
                break
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--seed", type=int, default=20240607)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if shutil.which(options.cc) is None:
        return SKIPPED
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        text, expressions = make_module(rng, options.count)
        (folder / "module.py").write_text(text)
        values = {f"{side}_{dtype}": column(rng, dtype) for dtype in CODES for side in "ab"}
        for name, numbers in values.items():
            write_npy(folder / f"{name}.npy", name[2:], numbers)
        # Float division by zero is defined in the IR; UBSan does not check it by default.
        flags = "-std=c99 -O1 -ffp-contract=off" + ubsan_flags(options.cc, folder)
        interp = run_engine(options, folder, values, ["--engine=interp"])
        wrong = 0
        for vectors in ("loops", "gnu"):
            compiled = run_engine(options, folder, values,
                                  ["--engine=c", f"--cc={options.cc}", f"--cflags={flags}",
                                   f"--c-vectors={vectors}"])
            if interp is None or compiled is None:
                return 1
            wrong += compare(interp, compiled, expressions, values)
        kept = count_vectors(options, folder)
        # About a quarter should be vectors; some turn out to be scalars.
        if kept < options.count // 5:
            print(f"FAILED: only {kept} of {options.count} expressions are vectors of GNU C")
            return 1
    print(f"{options.count} expressions, {ROWS} rows each, {kept} as vectors: {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Overlapping buffers of several element types, at the tightest distance.

Use: overlap_test.py --tenon BIN [--engine E]... [--first SEED] [--count N] [--keep DIR] types|chains
- types: modules that compute q from p, of another element type, while q reuses bytes of p. With
  --overlap=on the workspace has the size that the closed form gives.
- chains: random modules of several operators, one per seed.
Each engine gives the same bits as the module without overlaps: the interpreter, gcc and clang at
-O3 with strict aliasing and with GNU vectors, and LLVM's JIT at -O3. So do engines with default
options, which fuse the operators. In the daily run, each module of `types` is compiled in two of
the ways for C; with TENON_NIGHTLY=1 in all. Exit code 77 (skipped) without a C compiler.
"""

import argparse
import itertools
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks, engine_ways  # noqa: E402

SKIPPED = 77
# Operators are not fused, so that each overlap is that of a call.
UNFUSED = ["--fuse=off", "--narrow=off"]
N = 512
SIZES = {"int8": 1, "uint8": 1, "int16": 2, "int32": 4, "float32": 4, "int64": 8}

# Loops that compute q from p. Reversed loops begin at the last element; rows are read from their ends.
KINDS = {
    "up": ["for i in range(N):", "    Q[i] = CAST(P[i])"],
    "down": ["for i in range(N):", "    Q[N - 1 - i] = CAST(P[N - 1 - i])"],
    "stencil": ["for i in range(N):", "    Q[i] = CAST(P[i // 8 * 8]) + CAST(P[i])"],
    "rows": ["for r, c in T.grid(N // 8, 8):", "    Q[r * 8 + c] = CAST(P[r * 8 + 7 - c])"],
}


def module(kind, a, b):
    """Functions that fill p, compute q from it, and read q."""
    cast = f'T.Cast("{b}", P['
    lines = [line.replace("CAST(P[", cast).replace("N", str(N)) for line in KINDS[kind]]
    body = "\n        ".join(lines)
    noalias = '"tir.noalias": T.bool(True)'
    return f"""# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer(({N},), "int32"), y: T.Buffer(({N},), "{b}")):
        T.func_attr({{"global_symbol": "main"}})
        p = T.allocate([{N}], "{a}", "global")
        q = T.allocate([{N}], "{b}", "global")
        T.evaluate(T.call_extern("int32", "fill", x.data, p))
        T.evaluate(T.call_extern("int32", "make", p, q))
        T.evaluate(T.call_extern("int32", "read", q, y.data))

    @T.prim_func
    def fill(X: T.Buffer(({N},), "int32"), P: T.Buffer(({N},), "{a}")):
        T.func_attr({{"global_symbol": "fill", {noalias}}})
        for i in range({N}):
            P[i] = T.Cast("{a}", X[i])

    @T.prim_func
    def make(P: T.Buffer(({N},), "{a}"), Q: T.Buffer(({N},), "{b}")):
        T.func_attr({{"global_symbol": "make", {noalias}}})
        {body}

    @T.prim_func
    def read(Q: T.Buffer(({N},), "{b}"), Y: T.Buffer(({N},), "{b}")):
        T.func_attr({{"global_symbol": "read", {noalias}}})
        for i in range({N}):
            Y[i] = Q[i]
"""


class Chain:
    """A random chain of operators; each writes all of its output once or twice."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.functions = []
        self.calls = []
        self.size, self.dtype, self.name = N, "int32", "x.data"
        lines = []
        for number in range(self.dice.randint(3, 7)):
            lines.append(self.add(f"b{number}", f"f{number}"))
        self.calls.append(f'T.evaluate(T.call_extern("int32", "give", {self.name}, y.data))')
        give = self.function("give", self.size, self.dtype, self.size, self.dtype,
                             [f"for i in range({self.size}):", "    B[i] = A[i]"])
        main = ["@T.prim_func",
                f'def main(x: T.Buffer(({N},), "int32"), y: T.Buffer(({self.size},), '
                f'"{self.dtype}")):', '    T.func_attr({"global_symbol": "main"})',
                *("    " + line for line in lines + self.calls)]
        parts = [main, *self.functions, give]
        self.text = ("# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
                     "@I.ir_module\nclass Module:\n"
                     + "\n\n".join("\n".join("    " + line for line in part) for part in parts)
                     + "\n")

    @staticmethod
    def function(name, size, dtype, out_size, out_dtype, body):
        return ["@T.prim_func",
                f'def {name}(A: T.Buffer(({size},), "{dtype}"), B: T.Buffer(({out_size},), '
                f'"{out_dtype}")):',
                f'    T.func_attr({{"global_symbol": "{name}", "tir.noalias": T.bool(True)}})',
                *("    " + line for line in body)]

    def add(self, buffer, name):
        """Adds an operator that computes `buffer`; returns the line that allocates it."""
        dice = self.dice
        dims = [dice.randint(2, 12) for _ in range(dice.randint(1, 3))]
        if dice.random() < 0.5 and len(dims) > 1:
            dims[-1] = dice.choice([8, 16, 32])
        size = 1
        for dim in dims:
            size *= dim
        dtype = self.dtype if dice.random() < 0.6 else dice.choice(["int8", "int16", "int32"])
        counters = [f"i{d}" for d in range(len(dims))]
        used = [c if dice.random() < 0.85 else f"({dim} - 1 - {c})"
                for c, dim in zip(counters, dims)]
        store = self.dense(used, dims)
        reads = [self.load(used, dims, dtype) for _ in range(dice.randint(1, 2))]
        head = f"for {', '.join(counters)} in T.grid({', '.join(map(str, dims))}):"
        if len(dims) == 1:
            head = f"for i0 in range({dims[0]}):"
        kind = dice.choice(["plain", "guard", "sum", "block", "fused"])
        if kind == "guard":
            bound = dice.randint(1, dims[0])
            reads[0] = f'T.if_then_else(i0 < {bound}, {reads[0]}, T.Cast("{dtype}", 3))'
        body = [head, f"    B[{store}] = {' + '.join(reads)}"]
        if kind == "sum":
            taps = dice.randint(2, 5)
            body = [head, f'    s = T.allocate([1], "{dtype}", "local")',
                    f'    S = T.Buffer((1,), "{dtype}", data=s, scope="local")',
                    f'    S[0] = T.Cast("{dtype}", 0)', f"    for k in range({taps}):",
                    f"        S[0] = S[0] + {self.load(used + ['k'], dims + [taps], dtype)}",
                    f"    B[{store}] = S[0]"]
        elif kind == "block":
            inner = dims[-1]
            outer = head if len(dims) > 1 else "for one in range(1):"
            if len(dims) > 1:
                outer = f"for {', '.join(counters[:-1])} in T.grid({', '.join(map(str, dims[:-1]))}):"
                if len(dims) == 2:
                    outer = f"for i0 in range({dims[0]}):"
            body = [outer, f'    s = T.allocate([{inner}], "{dtype}", "local")',
                    f'    S = T.Buffer(({inner},), "{dtype}", data=s, scope="local")',
                    f"    for {counters[-1]} in range({inner}):",
                    f"        S[{counters[-1]}] = {reads[0]}",
                    f"    for {counters[-1]} in range({inner}):",
                    f"        B[{store}] = S[{counters[-1]}]"]
        elif kind == "fused":
            low = dims[-1]
            index = f"f // {low} * {low} + f % {low}"
            body = [f"for f in range({size}):",
                    f"    B[{index}] = {self.load([f'(f // {low})', f'(f % {low})'], [size // low, low], dtype)}"]
        self.functions.append(self.function(name, self.size, self.dtype, size, dtype, body))
        self.calls.append(f'T.evaluate(T.call_extern("int32", "{name}", {self.name}, {buffer}))')
        self.size, self.dtype, self.name = size, dtype, buffer
        return f'{buffer} = T.allocate([{size}], "{dtype}", "global")'

    @staticmethod
    def dense(counters, dims):
        text, stride = "", 1
        for counter, dim in reversed(list(zip(counters, dims))):
            text = f"{counter} * {stride}" + (f" + {text}" if text else "")
            stride *= dim
        return text

    def load(self, counters, dims, dtype):
        """A load in bounds: in the order of the store if that fits, or with random strides."""
        stride, strides = 1, []
        for dim in reversed(dims):
            strides.insert(0, stride)
            stride *= dim
        if stride > self.size or self.dice.random() < 0.25:
            left = self.size - 1
            strides = []
            for dim in dims:
                strides.append(self.dice.randint(0, max(left // max(dim - 1, 1), 0)))
                left -= strides[-1] * (dim - 1)
        most = sum(s * (d - 1) for s, d in zip(strides, dims))
        offset = self.dice.choice([0, 0, min(self.size - 1 - most, self.dice.randint(0, 9))])
        index = " + ".join(f"{c} * {s}" for c, s in zip(counters, strides))
        return f'T.Cast("{dtype}", A[{index} + {offset}])'


def write_input(path):
    header = str({"descr": "<i4", "fortran_order": False, "shape": (N,)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    values = [(i * 37 + 11) % 127 for i in range(N)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + struct.pack(f"<{N}i", *values))


def run(command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)


class Test(Checks):
    def __init__(self, tenon, engines, folder):
        super().__init__()
        self.tenon, self.engines, self.folder = tenon, engines, folder
        self.smaller = 0
        self.modules = 0

    def workspace(self, path, overlap):
        result = run([self.tenon, "report", path, "--json=-", "--workspace-alignment=8",
                      *UNFUSED, f"--overlap={overlap}"])
        self.expect(result.returncode == 0, f"report {path} {overlap}: {result.stderr}")
        if result.returncode != 0:
            return 0
        pools = json.loads(result.stdout)["pools"]
        return sum(pool["size_bytes"] for name, pool in pools.items() if "const" not in name)

    def ways(self):
        both = ("on", "auto")
        return engine_ways(self.engines, "-O3 -fstrict-aliasing", {"loops": both, "gnu": both})

    def defaults(self):
        """Flags of the engines that leave all passes to them."""
        for engine in self.engines:
            if engine == "interp":
                yield ["--engine=interp", "--planner=optimal"]
            elif engine == "jit":
                yield ["--engine=jit", "-O3"]
            else:
                yield ["--engine=c", "--cflags=-O3 -fstrict-aliasing"]

    def output(self, path, flags):
        out = self.folder / "out.npy"
        result = run([self.tenon, "run", path, f"--input={self.folder / 'in.npy'}",
                      f"--output={out}", *flags])
        self.expect(result.returncode == 0, f"{path.name} {flags}: {result.stderr}")
        return out.read_bytes() if result.returncode == 0 else b""

    def check_chain(self, seed):
        path = self.folder / f"chain_{seed}.py"
        path.write_text(Chain(seed).text)
        apart = self.workspace(path, "off")
        shared = self.workspace(path, "on")
        self.expect(shared <= apart, f"{path.name}: {shared} bytes, {apart} apart")
        self.smaller += shared < apart
        want = self.output(path, ["--engine=interp"])
        for flags in self.ways():
            got = self.output(path, [*flags, *UNFUSED, "--overlap=on", "--workspace-alignment=8"])
            self.expect(got == want, f"{path.name} {flags}: other bits than apart")
        for flags in self.defaults():
            self.expect(self.output(path, flags) == want, f"{path.name} {flags}: other bits")

    def check(self, kind, a, b):
        path = self.folder / f"{kind}_{a}_{b}.py"
        path.write_text(module(kind, a, b))
        off = self.workspace(path, "off")
        shared = self.workspace(path, "on")
        self.expect(off == N * (SIZES[a] + SIZES[b]), f"{path.name}: {off} bytes apart")
        # A plan without any overlap would test nothing; one element more or less is due to
        # alignment.
        most = N * max(SIZES[a], SIZES[b]) + 64
        self.expect(shared <= most, f"{path.name}: {shared} bytes, expected at most {most}")
        want = self.output(path, ["--engine=interp"])
        for flags in self.some_ways():
            got = self.output(path, [*flags, *UNFUSED, "--overlap=on", "--workspace-alignment=8"])
            self.expect(got == want, f"{path.name} {flags}: other bits than apart")
        for flags in self.defaults():
            self.expect(self.output(path, flags) == want, f"{path.name} {flags}: other bits")

    def some_ways(self):
        ways = list(self.ways())
        of_c = [way for way in ways if "--engine=c" in way]
        if os.environ.get("TENON_NIGHTLY") or not of_c:
            return ways
        self.modules += 1
        first = 3 * self.modules
        some = [of_c[(first + i * len(of_c) // 2) % len(of_c)] for i in range(2)]
        return [way for way in ways if "--engine=c" not in way] + some


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int,
                        default=int(os.environ.get("TENON_OVERLAP_CHAINS", "6")))
    parser.add_argument("--keep", help="folder for modules and outputs")
    parser.add_argument("what", choices=["types", "chains"])
    args = parser.parse_args()
    if shutil.which("gcc") is None and shutil.which("clang") is None:
        print("no C compiler")
        return SKIPPED
    pairs = [("int16", "int32"), ("int32", "int16"), ("int8", "float32"), ("float32", "int32"),
             ("int64", "int8")]
    with tempfile.TemporaryDirectory() as folder:
        test = Test(args.tenon, args.engine or ["interp", "c"], pathlib.Path(args.keep or folder))
        write_input(test.folder / "in.npy")
        if args.what == "types":
            for kind, (a, b) in itertools.product(KINDS, pairs):
                test.check(kind, a, b)
        else:
            for seed in range(args.first, args.first + args.count):
                test.check_chain(seed)
            print(f"{test.smaller} of {args.count} chains take less memory")
            test.expect(test.smaller > args.count // 4, "chains do not overlap")
    return test.finish()


if __name__ == "__main__":
    sys.exit(main())

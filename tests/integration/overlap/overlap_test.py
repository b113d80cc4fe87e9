#!/usr/bin/env python3
"""Overlapping buffers of several element types, at the tightest distance.

Use: overlap_test.py --tenon BIN [--engine E]...
Each module computes q from p, of another element type, while q takes bytes of p. With --overlap=on
the workspace is what the closed form promises, and each engine gives the bits that --overlap=off
gives: the interpreter, gcc and clang at -O3 with strict aliasing and with GNU vectors, and LLVM's JIT
at -O3. Exit code 77 (skipped) without a C compiler.
"""

import argparse
import itertools
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
N = 512
SIZES = {"int8": 1, "uint8": 1, "int16": 2, "int32": 4, "float32": 4, "int64": 8}

# How q is made of p. Reversed loops begin at the last element; rows are read from their ends.
KINDS = {
    "up": ["for i in range(N):", "    Q[i] = CAST(P[i])"],
    "down": ["for i in range(N):", "    Q[N - 1 - i] = CAST(P[N - 1 - i])"],
    "stencil": ["for i in range(N):", "    Q[i] = CAST(P[i // 8 * 8]) + CAST(P[i])"],
    "rows": ["for r, c in T.grid(N // 8, 8):", "    Q[r * 8 + c] = CAST(P[r * 8 + 7 - c])"],
}


def module(kind, a, b):
    """Functions that fill p, make q of it, and read q."""
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


def write_input(path):
    header = str({"descr": "<i4", "fortran_order": False, "shape": (N,)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    values = [(i * 37 + 11) % 127 for i in range(N)]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + struct.pack(f"<{N}i", *values))


def run(command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)


class Test:
    def __init__(self, tenon, engines, folder):
        self.tenon, self.engines, self.folder = tenon, engines, folder
        self.count = 0
        self.failures = []

    def expect(self, good, text):
        self.count += 1
        if not good:
            self.failures.append(text)
            print(f"FAILED: {text}", flush=True)

    def workspace(self, path, overlap):
        result = run([self.tenon, "report", path, "--json=-", "--workspace-alignment=8",
                      f"--overlap={overlap}"])
        self.expect(result.returncode == 0, f"report {path} {overlap}: {result.stderr}")
        if result.returncode != 0:
            return 0
        pools = json.loads(result.stdout)["pools"]
        return sum(pool["size_bytes"] for name, pool in pools.items() if "const" not in name)

    def ways(self):
        """Flags of the engines."""
        for engine in self.engines:
            if engine == "interp":
                yield ["--engine=interp", "--planner=optimal"]
            elif engine == "jit":
                yield ["--engine=jit", "-O3"]
                yield ["--engine=jit", "-O3", "--optimize=off"]
            else:
                for cc, vectors in itertools.product(("gcc", "clang"), ("loops", "gnu")):
                    if shutil.which(cc) is not None:
                        yield ["--engine=c", f"--cc={cc}", "--cflags=-O3 -fstrict-aliasing",
                               f"--c-vectors={vectors}", "--optimize=on"]
                        yield ["--engine=c", f"--cc={cc}", "--cflags=-O3 -fstrict-aliasing",
                               f"--c-vectors={vectors}"]

    def output(self, path, flags):
        out = self.folder / "out.npy"
        result = run([self.tenon, "run", path, f"--input={self.folder / 'in.npy'}",
                      f"--output={out}", *flags])
        self.expect(result.returncode == 0, f"{path.name} {flags}: {result.stderr}")
        return out.read_bytes() if result.returncode == 0 else b""

    def check(self, kind, a, b):
        path = self.folder / f"{kind}_{a}_{b}.py"
        path.write_text(module(kind, a, b))
        off = self.workspace(path, "off")
        shared = self.workspace(path, "on")
        self.expect(off == N * (SIZES[a] + SIZES[b]), f"{path.name}: {off} bytes apart")
        # What does not overlap at all shows nothing; one element more or less is alignment.
        most = N * max(SIZES[a], SIZES[b]) + 64
        self.expect(shared <= most, f"{path.name}: {shared} bytes, expected at most {most}")
        want = self.output(path, ["--engine=interp"])
        for flags in self.ways():
            got = self.output(path, [*flags, "--overlap=on", "--workspace-alignment=8"])
            self.expect(got == want, f"{path.name} {flags}: other bits than apart")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--engine", action="append", default=[])
    args = parser.parse_args()
    if shutil.which("gcc") is None and shutil.which("clang") is None:
        print("no C compiler")
        return SKIPPED
    pairs = [("int16", "int32"), ("int32", "int16"), ("int8", "float32"), ("float32", "int32"),
             ("int64", "int8")]
    with tempfile.TemporaryDirectory() as folder:
        test = Test(args.tenon, args.engine or ["interp", "c"], pathlib.Path(folder))
        write_input(test.folder / "in.npy")
        for kind in KINDS:
            for a, b in pairs:
                test.check(kind, a, b)
    print(f"{test.count} checks, {len(test.failures)} failed")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())

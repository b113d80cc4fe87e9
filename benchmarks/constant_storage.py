#!/usr/bin/env python3
"""Time and memory from a module to linkable constants, for every way to emit them.

Use: benchmarks/constant_storage.py BIN_DIR [--megabytes=50] [--runs=3] [--seconds=300] [--gigabytes=8]
Random float32 constants in a side file; prints a table in Markdown. `emit` is the whole process of
tenon compile. `compile` is the work on the constants before linking. Memory is the largest resident
set of that process or its children. A dash means that the compiler has no #embed. A compiler that
exceeds the limits of time or address space is stopped, and the row says so. Steps that take 20 s
run once.
"""

import argparse
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

MODULE = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", I.file("weights.safetensors", "w"), "float32", [@N@])]})
    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const(I.constant("w"), "float32", [@N@])
        w_1 = T.Buffer((@N@,), "float32", data=w)
        for i in range(4):
            y[i] = x[i] + w_1[i]
"""
# Runs a command in a separate process, which has no other children.
MEASURE = """
import os, resource, signal, subprocess, sys, time
limit = int(sys.argv[2])
start = time.perf_counter()
process = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
try:
    code = process.wait(float(sys.argv[1]))
except subprocess.TimeoutExpired:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    code = "late"
print(code, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


class Limits:
    """The limits of a command."""

    def __init__(self, options):
        self.runs, self.seconds, self.bytes = options.runs, options.seconds, options.gigabytes << 30


def measure(command, limits):
    """Best seconds, largest megabytes, and whether the command was stopped; None if it fails
    immediately."""
    seconds, memory = [], []
    while len(seconds) < limits.runs and not (seconds and seconds[0] > 20):
        out = subprocess.run([sys.executable, "-c", MEASURE, str(limits.seconds), str(limits.bytes),
                              *map(str, command)], check=True, capture_output=True, text=True).stdout.split()
        figures = float(out[1]), int(out[2]) / 1024
        if out[0] == "late" or (out[0] != "0" and figures[1] > 1000):
            return (*figures, out[0] == "late", out[0] != "late")
        if out[0] != "0":
            return None
        seconds.append(figures[0])
        memory.append(figures[1])
    return min(seconds), max(memory), False, False


def write_module(folder, size):
    count = size // 4
    header = f'{{"w":{{"dtype":"F32","shape":[{count}],"data_offsets":[0,{4 * count}]}}}}'
    header += " " * (4088 - len(header))
    with open(folder / "weights.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header.encode())
        # Small numbers with all digits, like weights.
        block = b"".join(struct.pack("<f", ((i * 2654435761) % 1000003 - 500000) / 3.7e6)
                         for i in range(1 << 16))
        left = 4 * count
        while left > 0:
            file.write(block[:left])
            left -= len(block)
    module = folder / "module.py"
    module.write_text(MODULE.replace("@N@", str(count)))
    return module


def rows(bin_dir, size, limits):
    """(kind, compiler, emit, compile) for each way."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        module = write_module(folder, size)
        for kind in ("c-array", "incbin", "embed", "object", "file"):
            out = folder / kind
            emit = measure([f"{bin_dir}/tenon", "compile", module, "--emit=c",
                            f"--constant-storage={kind}", "-o", out], limits)
            prefix = out / "tvmgen_default"
            what = {"c-array": f"{prefix}.c", "incbin": f"{prefix}_constants.S",
                    "embed": f"{prefix}_constants.c"}.get(kind)
            if what is None:
                yield kind, "", emit, None
                continue
            for compiler in ("gcc", "clang-19"):
                if shutil.which(compiler):
                    yield kind, compiler, emit, measure(
                        [compiler, "-O1", "-w", f"-I{out}", "-c", what, "-o", out / "x.o"], limits)


def cell(figures):
    if figures is None:
        return "-", "-"
    seconds, memory, late, large = figures
    return (f"{'stopped after ' if late else ''}{seconds:.2f} s",
            f"{'out of memory at ' if large else ''}{memory:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--gigabytes", type=int, default=8)
    options = parser.parse_args()
    print(f"| {options.megabytes} MB as | by | emit | memory | compile | memory |\n|---|---|---|---|---|---|")
    for kind, compiler, emit, compile_ in rows(options.bin_dir, options.megabytes * 1000 * 1000,
                                               Limits(options)):
        print(f"| `{kind}` | {compiler or '-'} | {' | '.join(cell(emit))} | "
              f"{' | '.join(cell(compile_))} |", flush=True)


if __name__ == "__main__":
    main()

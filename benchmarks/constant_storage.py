#!/usr/bin/env python3
"""Time and memory from a module to linkable constants, for every way to emit them.

Use: benchmarks/constant_storage.py BIN_DIR [--megabytes=50] [--runs=3]
Random float32 constants in a side file; prints a table in Markdown. `emit` is tenon compile as a whole
process, `compile` what has to be done to the constants before the linker takes them; memory is the
largest resident set of that process or of one that it starts. Where a compiler has no #embed there is a dash.
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
# Runs a command in a process of its own, whose children are that command alone.
MEASURE = """
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(code, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measure(command, runs):
    """Best seconds and largest megabytes; None where it fails."""
    seconds, memory = [], []
    for _ in range(runs):
        out = subprocess.run([sys.executable, "-c", MEASURE, *map(str, command)], check=True,
                             capture_output=True, text=True).stdout.split()
        if out[0] != "0":
            return None
        seconds.append(float(out[1]))
        memory.append(int(out[2]) / 1024)
    return min(seconds), max(memory)


def write_module(folder, size):
    count = size // 4
    header = f'{{"w":{{"dtype":"F32","shape":[{count}],"data_offsets":[0,{4 * count}]}}}}'
    header += " " * (4088 - len(header))
    with open(folder / "weights.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header.encode())
        # Small numbers with all digits, as weights are.
        block = b"".join(struct.pack("<f", ((i * 2654435761) % 1000003 - 500000) / 3.7e6)
                         for i in range(1 << 16))
        left = 4 * count
        while left > 0:
            file.write(block[:left])
            left -= len(block)
    module = folder / "module.py"
    module.write_text(MODULE.replace("@N@", str(count)))
    return module


def rows(bin_dir, size, runs):
    """(kind, compiler, emit, compile) for each way."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        module = write_module(folder, size)
        for kind in ("c-array", "incbin", "embed", "object", "file"):
            out = folder / kind
            emit = measure([f"{bin_dir}/tenon", "compile", module, "--emit=c",
                            f"--constant-storage={kind}", "-o", out], runs)
            prefix = out / "tvmgen_default"
            what = {"c-array": f"{prefix}.c", "incbin": f"{prefix}_constants.S",
                    "embed": f"{prefix}_constants.c"}.get(kind)
            if what is None:
                yield kind, "", emit, None
                continue
            for compiler in ("gcc", "clang-19"):
                if shutil.which(compiler):
                    yield kind, compiler, emit, measure(
                        [compiler, "-O1", "-w", f"-I{out}", "-c", what, "-o", out / "x.o"], runs)


def cell(figures):
    if figures is None:
        return "-", "-"
    return f"{figures[0]:.2f} s", f"{figures[1]:.0f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"| {options.megabytes} MB as | by | emit | memory | compile | memory |\n|---|---|---|---|---|---|")
    for kind, compiler, emit, compile_ in rows(options.bin_dir, options.megabytes * 1000 * 1000,
                                               options.runs):
        print(f"| `{kind}` | {compiler or '-'} | {' | '.join(cell(emit))} | "
              f"{' | '.join(cell(compile_))} |", flush=True)


if __name__ == "__main__":
    main()

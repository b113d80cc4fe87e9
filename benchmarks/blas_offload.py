#!/usr/bin/env python3
"""Matrix products as the host's loops and as calls of BLAS, for a grid of shapes and processors.

Use: benchmarks/blas_offload.py BIN_DIR [--quick|--small] [--host=NAME]

For each shape: the best time of the loops and of BLAS, their quotient, and the decision of the
generator `blas` (byoc/generators/blas_rule.cc). A decision is wrong if it costs more than 5 % of
the faster time. BLAS runs on one thread.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Rows, columns, and length of the sums.
SHAPES = [(1, 1024, 1024), (8, 1024, 1024), (16, 256, 256), (64, 64, 64), (64, 64, 576), (49, 512, 512),
          (196, 128, 256), (3136, 64, 64), (128, 256, 256), (256, 256, 256), (128, 512, 512),
          (384, 384, 384), (128, 768, 768), (512, 512, 512), (128, 768, 3072), (1024, 1024, 1024)]
# Shapes of small models: few columns, short sums, vectors.
SMALL = [(2304, 16, 8), (576, 32, 16), (576, 32, 32), (144, 64, 64), (36, 128, 128), (9, 256, 256),
         (1024, 16, 16), (1024, 32, 16), (125, 64, 64), (1, 128, 128), (1, 640, 128), (16, 16, 256)]
QUICK = [(64, 64, 64), (64, 64, 576), (128, 256, 256), (128, 768, 768), (128, 768, 3072)]
HOSTS = {
    "c, -O2": ["--engine=c"],
    "c, -O3 native": ["--engine=c", "--cflags=-std=c99 -O3 -march=native"],
    "c, optimised": ["--engine=c", "--optimize=on", "--cflags=-std=c99 -O3 -march=native"],
    "any x86-64": ["--engine=jit"],
    "x86-64-v3": ["--engine=jit", "--cpu=x86-64-v3"],
    "x86-64-v3, fma": ["--engine=jit", "--cpu=x86-64-v3", "--fp-contract=fast"],
    "native": ["--engine=jit", "--cpu=native"],
    "native, fma": ["--engine=jit", "--cpu=native", "--fp-contract=fast"],
}
TEXT = """# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(a: T.Buffer(({m}, {k}), "float32"), b: T.Buffer(({k}, {n}), "float32"), \
c: T.Buffer(({m}, {n}), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        for i, j in T.grid({m}, {n}):
            c[i, j] = T.float32(0)
            for k in range({k}):
                c[i, j] = c[i, j] + a[i, k] * b[k, j]

    @T.prim_func
    def main(a: T.Buffer(({m}, {k}), "float32"), b: T.Buffer(({k}, {n}), "float32"), \
c: T.Buffer(({m}, {n}), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        T.evaluate(T.call_extern("int32", "product", a.data, b.data, c.data))
"""
FORCED = "recognise-ops,annotate-targets{targets=blas trust=true},merge-regions{min-macs=0},partition"


def npy(path, rows, columns):
    """A matrix of small numbers."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    row = b"".join(bytes([0, 0, i * 37 % 256, 0x3D]) for i in range(columns))
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() +
                     row * rows)


def best(command):
    """The shortest run in milliseconds, and the program's output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    times = json.loads(done.stdout)
    return times["min_ms"], done.stderr


def models(arguments):
    """Each model without the target and with it, by the default rule."""
    for host, flags in HOSTS.items():
        for model in arguments.models:
            if arguments.host and host != arguments.host:
                continue
            run = [str(arguments.bin / "tenon"), "run", model / "module.py",
                   f"--input={model}/input0.npy", "--repeat=40", "--json", *flags]
            with_blas, without = [], []
            for _ in range(3):
                without.append(best(run)[0])
                time, said = best([*run, "--targets=blas"])
                with_blas.append(time)
            summary = next(line for line in said.splitlines() if "blas:" in line)
            print(f"{host:16} {model.name:14} {min(without):9.4f} {min(with_blas):9.4f} "
                  f"{min(with_blas) / min(without):6.2f}  {summary.split(';')[0]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--host", help="one row of HOSTS")
    parser.add_argument("--models", type=pathlib.Path, nargs="*", help="modules, instead of shapes")
    arguments = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if arguments.models:
        return models(arguments)
    wrong = 0
    print(f"{'host':16} {'m x n x k':>18} {'million':>8} {'loops':>9} {'BLAS':>9} {'quotient':>8}  rule")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for host, flags in HOSTS.items():
            if arguments.host and host != arguments.host:
                continue
            for m, n, k in QUICK if arguments.quick else SMALL if arguments.small else SMALL + SHAPES:
                macs = m * n * k
                (folder / "m.py").write_text(TEXT.format(m=m, n=n, k=k), encoding="utf-8")
                npy(folder / "a.npy", m, k)
                npy(folder / "b.npy", k, n)
                tenon = str(arguments.bin / "tenon")
                subprocess.run([str(arguments.bin / "tenon-opt"), folder / "m.py", "--pipeline=" + FORCED,
                                "-o", folder / "p.py"], check=True)
                repeat = max(5, min(2000, 200_000_000 // macs))
                run = [f"--input={folder}/a.npy", f"--input={folder}/b.npy",
                       f"--repeat={repeat}", "--json", *flags]
                loops = blas = float("inf")
                # Alternating, so that other load affects both.
                for _ in range(2):
                    loops = min(loops, best([tenon, "run", folder / "m.py", *run])[0])
                    blas = min(blas, best([tenon, "run", folder / "p.py", *run])[0])
                said = best([tenon, "run", folder / "m.py", *run, "--targets=blas"])[1]
                offloads = "blas: 1 of 1" in said
                is_wrong = (blas if offloads else loops) > 1.05 * min(loops, blas)
                # Staying on the host is never a loss: it is the result without the target.
                lost = offloads and blas > 1.05 * loops
                wrong += lost
                note = " LOST" if lost else " (could go)" if is_wrong else ""
                print(f"{host:16} {f'{m} x {n} x {k}':>18} {macs / 1e6:8.2f} {loops:9.4f} {blas:9.4f} "
                      f"{loops / blas:8.2f}  {'blas' if offloads else 'host'}{note}", flush=True)
    print(f"{wrong} shapes became slower by more than 5 %")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The time to compile a model to an object, next to LLVM's own programs on the IR that Tenon emits.

Use: benchmarks/compile_speed.py BIN_DIR [MODEL...] [--runs 5] [--text module.py]

`tenon compile --emit=obj -O3` reads the text, plans memory and writes the object. `opt -O3` and
`llc -O3` start from the same functions as bitcode and do the rest. The three processes alternate,
and the medians are of user and system time, so that other load matters little. The goal is a ratio
of at most 1.2 for vww_int8. Tenon optimizes functions on all processors; the table also shows the
wall-clock time, with all threads and with one.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GOAL = 1.2


def cpu_seconds(command):
    """User plus system time, and wall-clock time."""
    start = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - start


def measure(bin_dir, opt, llc, module, folder, runs):
    """Medians in seconds: Tenon, opt plus llc, and Tenon's wall-clock time with all threads and
    with one."""
    tenon = [f"{bin_dir}/tenon", "compile", str(module)]
    plain, optimised = f"{folder}/plain.bc", f"{folder}/optimised.bc"
    subprocess.run([*tenon, "--emit=bitcode", "-O0", "-o", plain], check=True, capture_output=True)
    obj = [*tenon, "--emit=obj", "-O3", "-o", f"{folder}/tenon.o"]
    rows = []
    for _ in range(runs):
        ours, clock = cpu_seconds(obj)
        _, single = cpu_seconds([*obj, "--threads=1"])
        theirs = (cpu_seconds([opt, "-O3", plain, "-o", optimised])[0]
                  + cpu_seconds([llc, "-O3", "-filetype=obj", "-relocation-model=pic",
                                 "-function-sections", "-data-sections", optimised,
                                 "-o", f"{folder}/llc.o"])[0])
        rows.append((ours, theirs, clock, single))
    return [statistics.median(column) for column in zip(*rows)]


def tool(name):
    for version in range(22, 18, -1):
        path = shutil.which(f"{name}-{version}") or shutil.which(f"/usr/lib/llvm-{version}/bin/{name}")
        if path:
            return path
    return None


def main():
    parser = argparse.ArgumentParser(description="Time to compile models to objects.")
    parser.add_argument("bin_dir", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("models", nargs="*", default=["vww_int8"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--text", default="module.py")
    args = parser.parse_args()
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR") or HERE.parent.parent / "shared" / "corpus")
    opt, llc = tool("opt"), tool("llc")
    has_llvm = pathlib.Path(f"{args.bin_dir}/tenon-llvm").exists()
    if not (corpus / "models").is_dir() or opt is None or llc is None or not has_llvm:
        print("compile_speed: skipped, it needs the corpus, Tenon with LLVM, and opt and llc of LLVM 19 or later")
        return
    print(f"{'to an object, -O3':20} {'tenon s':>8} {'opt+llc s':>10} {'ratio':>6} {'clock s':>8} {'1 thread':>9}"
          f"   goal {GOAL}, vww_int8")
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs, clock, single = measure(args.bin_dir, opt, llc, corpus / "models" / model / args.text,
                                                   folder, args.runs)
        print(f"{model:20} {ours:8.3f} {theirs:10.3f} {ours / theirs:6.2f} {clock:8.3f} {single:9.3f}")


if __name__ == "__main__":
    sys.exit(main())

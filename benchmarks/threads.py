#!/usr/bin/env python3
"""The speed of networks and of the corpus's models on several threads, next to one thread.

Use: benchmarks/threads.py --bin BIN_DIR [--threads=2] [--rounds=7] FOLDER

Runs each model with `tenon run --engine=jit -O3 --cpu=native`, on one thread and on several by turns,
so that other load affects both. The figures are medians of the rounds' medians, in milliseconds.
FOLDER gets the networks that benchmarks/networks.py writes. Without the corpus ($TENON_CORPUS_DIR),
only these are measured. The outputs of both ways must be equal, byte for byte. A model without parallel
loops has the same code on all threads, so its times are not compared.
"""

import argparse
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import model_speed
import networks


def run(args, module, tensors, threads, *flags):
    """The median of the runs, in milliseconds."""
    return model_speed.jit_median(args.bin, module, tensors, f"--threads={threads}", *flags)


def check(args, name, module, tensors):
    """Compares the outputs, and returns the time of one run."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"{threads}.npy" for threads in (1, args.threads)]
        once = [run(args, module, tensors, threads, f"--output={file}")
                for threads, file in zip((1, args.threads), files)]
        if files[0].read_bytes() != files[1].read_bytes():
            sys.exit(f"{name}: {args.threads} threads give another output than one")
    return once[0]


def has_parallel_loops(args, module):
    """Whether the passes choose loops of the module."""
    command = [args.bin / "tenon", "compile", module, "--emit=llvm-ir", "-O3", "--cpu=native",
               "--parallel=threads", "-q", "-o", "-"]
    text = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    return re.search(r"\bcall\b.*@tenon_parallel_for\(", text) is not None


def measure(args, name, module, tensors):
    if not has_parallel_loops(args, module):
        print(f"{name:32}{check(args, name, module, tensors):10.4f}   no parallel loops", flush=True)
        return
    repeat = f"--repeat={max(5, math.ceil(50 / max(check(args, name, module, tensors), 0.01)))}"
    rounds = [[run(args, module, tensors, threads, repeat) for threads in (1, args.threads)]
              for _ in range(args.rounds)]
    one, several = (statistics.median(times) for times in zip(*rounds))
    print(f"{name:32}{one:10.4f}{several:10.4f}{one / several:8.2f}", flush=True)


def models(args):
    """Name, module and input of each model."""
    for name in networks.NETWORKS:
        module, tensors = networks.write(name, "large", args.folder)
        yield name, module, tensors
    for folder in sorted((model_speed.CORPUS / "models").glob("*/")):
        for text in ("module.py", "module_llvm.py"):
            if (folder / text).exists():
                yield f"{folder.name}/{text}", folder / text, folder / "input0.npy"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    if not (args.bin / "tenon-llvm").exists():
        print("threads: skipped, built without LLVM")
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'model':32}{'1 thread':>10}{args.threads:>8} t{'faster':>8}")
    for model in models(args):
        measure(args, *model)


if __name__ == "__main__":
    main()

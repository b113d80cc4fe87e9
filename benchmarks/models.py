#!/usr/bin/env python3
"""Whole models: the time of each step, and the bytes of each plan next to other planners' results.

Use: benchmarks/models.py BIN_DIR [RUNS]. Reads the models in TENON_CORPUS_DIR (default
../shared/corpus next to the root of the tree), and the bytes that TVM and TensorFlow Lite Micro
need for them.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TVM = ("greedy_by_size", "greedy_by_conflicts", "hill_climb")


def seconds(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def workspace(bin_dir, module, planner):
    """Bytes and lower bound of the workspace with that planner."""
    command = [f"{bin_dir}/tenon", "report", module, f"--planner={planner}", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    pool = report["pools"]["global_workspace"]
    return pool["size_bytes"], pool["lower_bound_bytes"]


def times(bin_dir, models, runs):
    print(f"Milliseconds, medians of {runs} whole processes:")
    print(f"{'model':14} {'read+print':>10} {'compile to C':>12} {'interpret':>10}")
    for model in models:
        module = f"{model}/module.py"
        with tempfile.TemporaryDirectory() as folder:
            steps = (
                [f"{bin_dir}/tenon-opt", module, "-o", "/dev/null"],
                [f"{bin_dir}/tenon", "compile", module, "--emit=c", "--constant-storage=c-array", "-o",
                 folder],
                [f"{bin_dir}/tenon", "run", module, "--input", f"{model}/input0.npy",
                 "--engine=interp", "--expect", f"{model}/expected0.npy"],
            )
            medians = [statistics.median(seconds(s) for _ in range(runs)) for s in steps]
        print(f"{model.name:14} {medians[0] * 1e3:10.0f} {medians[1] * 1e3:12.0f} "
              f"{medians[2] * 1e3:10.0f}")


def plans(bin_dir, models, expected):
    print("Workspace in bytes: Tenon's default, its lower bound, TVM's algorithms as they run here "
          "(TVM's own figure where it differs), TensorFlow Lite Micro's arena without its structures:")
    print(f"{'model':14} {'default':>8} {'bound':>8} {'by_size':>8} {'by_confl.':>9} {'hill':>8} "
          f"{'TFLM':>8}")
    for model in models:
        module = f"{model}/module.py"
        default, bound = workspace(bin_dir, module, "optimal")
        line = f"{model.name:14} {default:8} {bound:8}"
        for name, width in zip(TVM, (8, 9, 8)):
            ours, _ = workspace(bin_dir, module, name)
            theirs = expected[model.name]["tvm_usmp"][name]["workspace_bytes"]
            line += f" {ours:{width}}" + ("" if ours == theirs else f" ({theirs})")
        print(line + f" {expected[model.name]['tflite_micro']['arena_head_bytes']:8}")


def main():
    bin_dir = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", ROOT.parent / "shared" / "corpus"))
    if not (corpus / "models").is_dir():
        print(f"models: skipped, {corpus} is not here")
        return
    expected = json.loads((corpus / "expected.json").read_text(encoding="utf-8"))
    models = [corpus / "models" / name for name in expected]
    times(bin_dir, models, runs)
    plans(bin_dir, models, expected)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Memory planning: problems of google/minimalloc and idealloc, and the models' own buffers.

Use: benchmarks/plan.py BIN_DIR [SECONDS]. SECONDS is the time for making each of minimalloc's
problems as small as possible (default 60; 0 leaves that out). Reads TENON_CORPUS_DIR (default
../shared/corpus beside the root of the tree).
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPACITY = 1048576
# Seconds of minimalloc on one core of such a machine, from the README of the corpus.
MINIMALLOC = dict(zip("ABCDEFGHIJK", (4.7, 3.7, 0.7, 3.4, 3.7, 5.1, 1.1, 1.5, 3.0, 1.3, 0.6)))
# The smallest packings known from asking minimalloc for single capacities.
KNOWN = {"C": 1039360, "D": 1031168, "J": 1037312}
# The best of eight plain heuristics, in times the bound.
IDEALLOC = {"G_1": 1.0, "resnet50": 1.0030, "pangu_2.6B": 1.0076}


def cpu():
    """Seconds of all processes that have ended; a busy machine changes them little."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def plan(bin_dir, problem, *options, clock=time.monotonic):
    """The JSON of a plan, or None if there was none; and the seconds of the whole process."""
    start = clock()
    done = subprocess.run([f"{bin_dir}/tenon", "plan", problem, "--json", *options],
                          check=False, capture_output=True)
    seconds = clock() - start
    return (json.loads(done.stdout) if done.returncode == 0 else None), seconds


def feasible(bin_dir, folder):
    print(f"Fitting minimalloc's problems into {CAPACITY} bytes, CPU seconds of whole processes:")
    print(f"{'':3} {'tenon':>7} {'minimalloc':>10}")
    total = 0
    for name, theirs in MINIMALLOC.items():
        found, seconds = plan(bin_dir, folder / f"{name}.1048576.csv", f"--capacity={CAPACITY}",
                              clock=cpu)
        total += seconds
        print(f"{name:3} {seconds:7.3f} {theirs:10.1f}" + ("" if found else "  NOT FOUND"))
    print(f"sum {total:7.3f} {sum(MINIMALLOC.values()):10.1f}")


def smallest(bin_dir, folder, limit):
    print(f"The same, as small as possible within {limit:g} s each; `known` is the smallest known before:")
    print(f"{'':3} {'peak':>9} {'known':>9} {'bound':>9} {'by':>6} {'gap %':>6} {'seconds':>8}")
    for name in MINIMALLOC:
        found, seconds = plan(bin_dir, folder / f"{name}.1048576.csv", f"--time-limit={limit:g}")
        by = "search" if found["bound_by_search"] else "live"
        print(f"{name:3} {found['peak_bytes']:9} {KNOWN.get(name, CAPACITY):9} "
              f"{found['lower_bound_bytes']:9} {by:>6} {found['gap_percent']:6.2f} {seconds:8.3f}")


def large(bin_dir, folder):
    print("idealloc's problems, in times the bound; `plain` is the best of eight plain heuristics:")
    print(f"{'':12} {'tenon':>7} {'plain':>7} {'seconds':>8}")
    for name, plain in IDEALLOC.items():
        found, seconds = plan(bin_dir, folder / f"{name}.csv")
        ratio = found["peak_bytes"] / found["lower_bound_bytes"]
        print(f"{name:12} {ratio:7.4f} {plain:7.4f} {seconds:8.3f}")


def models(bin_dir, corpus):
    print("The models' own buffers, planned by default; milliseconds of reading, planning and reporting:")
    print(f"{'':14} {'workspace':>9} {'bound':>9} {'proven':>7} {'ms':>6}")
    for folder in sorted((corpus / "models").iterdir()):
        start = time.monotonic()
        done = subprocess.run([f"{bin_dir}/tenon", "report", folder / "module.py", "--json"],
                              check=True, capture_output=True)
        seconds = time.monotonic() - start
        pool = json.loads(done.stdout)["pools"]["global_workspace"]
        print(f"{folder.name:14} {pool['size_bytes']:9} {pool['lower_bound_bytes']:9} "
              f"{str(pool['proven_optimal']):>7} {seconds * 1e3:6.0f}")


def main():
    bin_dir = sys.argv[1]
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", ROOT.parent / "shared" / "corpus"))
    if not (corpus / "planning").is_dir():
        print(f"plan: skipped, {corpus} is not here")
        return
    feasible(bin_dir, corpus / "planning" / "minimalloc")
    if limit > 0:
        smallest(bin_dir, corpus / "planning" / "minimalloc", limit)
    large(bin_dir, corpus / "planning" / "idealloc")
    models(bin_dir, corpus)


if __name__ == "__main__":
    main()

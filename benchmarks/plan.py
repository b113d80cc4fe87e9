#!/usr/bin/env python3
"""Memory planning next to its peers: published problems, synthetic problems, and buffers of models.

Use: benchmarks/plan.py BIN_DIR [SECONDS] [--only=PART,...] [--most=COUNT] [--plot=FILE.svg]. SECONDS
is the time for making each of minimalloc's problems as small as possible (default 60; 0 skips
that). Reads TENON_CORPUS_DIR (default ../shared/corpus next to the root of the tree).
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import scale_plot
import synthetic_problems

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPACITY = 1048576
# Seconds of minimalloc on one core of a similar machine, from the README of the corpus.
MINIMALLOC = dict(zip("ABCDEFGHIJK", (4.7, 3.7, 0.7, 3.4, 3.7, 5.1, 1.1, 1.5, 3.0, 1.3, 0.6)))
# The smallest known packings, found by running minimalloc for single capacities.
KNOWN = {"C": 1039360, "D": 1031168, "J": 1037312}
# The best of eight simple heuristics, as a multiple of the bound.
IDEALLOC = {"G_1": 1.0, "resnet50": 1.0030, "pangu_2.6B": 1.0076}
TVM = ("greedy_by_size", "greedy_by_conflicts", "hill_climb")
ALGORITHMS = ("optimal", "best_fit", "first_fit", *TVM)
COUNTS = (10**3, 10**4, 10**5, 10**6)


class Run:
    """A plan made by a separate process: its figures, CPU and wall-clock seconds, peak bytes."""

    def __init__(self, bin_dir, problem, *options, kill_after=None):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "plan.json"
            start = time.monotonic()
            with subprocess.Popen([f"{bin_dir}/tenon", "plan", problem, f"--json={out}", *options],
                                  stderr=subprocess.DEVNULL) as process:
                timer = threading.Timer(kill_after, process.kill) if kill_after else None
                if timer:
                    timer.start()
                _, status, usage = os.wait4(process.pid, 0)
                if timer:
                    timer.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.monotonic() - start
            # CPU time depends little on other load.
            self.cpu = usage.ru_utime + usage.ru_stime
            self.memory = usage.ru_maxrss * 1024
            self.figures = self.read(out) if process.returncode == 0 else None
            self.found_by = (self.figures or {}).get("found_by", "")

    @staticmethod
    def read(path):
        """All members except the list of buffers, which would increase this process's memory, and
        thus the reported memory of the next child processes."""
        members = {}
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith('   "found_by"'):
                    members.update(json.loads("{" + line.rstrip(",\n") + "}"))
                if line.startswith(' "') and not line.endswith(("[\n", "{\n")):
                    members.update(json.loads("{" + line.rstrip(",\n") + "}"))
        return members


def minimalloc(corpus):
    for name, seconds in MINIMALLOC.items():
        yield name, corpus / "planning" / "minimalloc" / f"{name}.1048576.csv", seconds


def feasible(args):
    print(f"Fitting minimalloc's problems into {CAPACITY} bytes, CPU seconds of whole processes:")
    print(f"{'':3} {'tenon':>7} {'minimalloc':>10}")
    total = 0
    for name, problem, theirs in minimalloc(args.corpus):
        run = Run(args.bin_dir, problem, f"--capacity={CAPACITY}")
        total += run.cpu
        print(f"{name:3} {run.cpu:7.3f} {theirs:10.1f}" + ("" if run.figures else "  NOT FOUND"))
    print(f"sum {total:7.3f} {sum(MINIMALLOC.values()):10.1f}")


def smallest(args):
    if args.seconds <= 0:
        return
    print(f"The same, as small as possible within {args.seconds:g} s each; `known` is the smallest "
          "known before:")
    print(f"{'':3} {'peak':>9} {'known':>9} {'bound':>9} {'by':>6} {'gap %':>6} {'seconds':>8}")
    for name, problem, _ in minimalloc(args.corpus):
        run = Run(args.bin_dir, problem, f"--time-limit={args.seconds:g}")
        found = run.figures
        by = "search" if found["bound_by_search"] else "live"
        print(f"{name:3} {found['peak_bytes']:9} {KNOWN.get(name, CAPACITY):9} "
              f"{found['lower_bound_bytes']:9} {by:>6} {found['gap_percent']:6.2f} "
              f"{run.seconds:8.3f}")


def idealloc(args):
    print("idealloc's problems, in times the bound; `plain` is the best of eight plain heuristics; "
          "seconds of whole processes:")
    print(f"{'':12} {'tenon':>7} {'plain':>7} {'CPU':>8} {'clock':>8}")
    for name, plain in IDEALLOC.items():
        run = Run(args.bin_dir, args.corpus / "planning" / "idealloc" / f"{name}.csv")
        ratio = run.figures["peak_bytes"] / run.figures["lower_bound_bytes"]
        print(f"{name:12} {ratio:7.4f} {plain:7.4f} {run.cpu:8.3f} {run.seconds:8.3f}")


def synthetic(args):
    """See synthetic_problems.py for the laws."""
    print("Synthetic problems: seconds and memory of whole processes; `us` is microseconds of CPU a "
          "buffer,\n`us/log` the same divided by log2 of the number of buffers:")
    print(f"{'law':10} {'buffers':>8} {'CPU s':>7} {'clock s':>7} {'us':>7} {'us/log':>7} "
          f"{'MiB':>5} {'gap %':>7}")
    costs = {law: [] for law in synthetic_problems.LAWS}
    with tempfile.TemporaryDirectory() as folder:
        problem = pathlib.Path(folder) / "problem.csv"
        for law, points in costs.items():
            for count in (count for count in COUNTS if count <= args.most):
                with problem.open("w", encoding="utf-8") as out:
                    synthetic_problems.write(out, law, count)
                run = Run(args.bin_dir, problem)
                cost = run.cpu / count * 1e6
                points.append((count, cost))
                print(f"{law:10} {count:8} {run.cpu:7.3f} {run.seconds:7.3f} {cost:7.2f} "
                      f"{cost / math.log2(count):7.3f} {run.memory / 2**20:5.0f} "
                      f"{run.figures['gap_percent']:7.4f}", flush=True)
    if args.plot:
        args.plot.write_text(scale_plot.svg(costs, "microseconds of CPU a buffer", "buffers"),
                             encoding="utf-8")


def laws(args):
    """The default next to every other algorithm, with the same time. Only runs with --only."""
    print(f"Gaps in percent of the bound, within {args.seconds:g} s each; `-`: no plan in that time:")
    print(f"{'law':10} {'buffers':>8} " + " ".join(f"{name:>19}" for name in ALGORITHMS) + "  found by")
    with tempfile.TemporaryDirectory() as folder:
        problem = pathlib.Path(folder) / "problem.csv"
        for law in synthetic_problems.LAWS:
            for count in (count for count in COUNTS if count <= min(args.most, 10**5)):
                with problem.open("w", encoding="utf-8") as out:
                    synthetic_problems.write(out, law, count)
                runs = [Run(args.bin_dir, problem, f"--algorithm={name}",
                            f"--time-limit={args.seconds:g}", kill_after=4 * args.seconds)
                        for name in ALGORITHMS]
                gaps = [f"{run.figures['gap_percent']:19.3f}" if run.figures else f"{'-':>19}"
                        for run in runs]
                print(f"{law:10} {count:8} {' '.join(gaps)}  {runs[0].found_by}", flush=True)


def workspace(bin_dir, module):
    """The workspace pool of the default plan, and the seconds of the process."""
    start = time.monotonic()
    done = subprocess.run([f"{bin_dir}/tenon", "report", module, "--json"],
                          check=True, capture_output=True)
    seconds = time.monotonic() - start
    return json.loads(done.stdout)["pools"]["global_workspace"], seconds


def models(args):
    print("The models' own buffers, in bytes: the default plan, the plans of TVM's algorithms in TVM,\n"
          "and TensorFlow Lite Micro's arena without its structures; milliseconds of reading, "
          "planning and reporting:")
    print(f"{'':14} {'tenon':>7} {'bound':>7} {'proven':>6} {'ms':>4}   {'by_size':>7} {'by_confl':>8} "
          f"{'hill':>7} {'TFLM':>7}")
    for name, expected in json.loads((args.corpus / "expected.json").read_bytes()).items():
        pool, seconds = workspace(args.bin_dir, args.corpus / "models" / name / "module.py")
        tvm = [expected["tvm_usmp"][algorithm]["workspace_bytes"] for algorithm in TVM]
        print(f"{name:14} {pool['size_bytes']:7} {pool['lower_bound_bytes']:7} "
              f"{str(pool['proven_optimal']):>6} {seconds * 1e3:4.0f}   {tvm[0]:7} {tvm[1]:8} "
              f"{tvm[2]:7} {expected['tflite_micro']['arena_head_bytes']:7}")


DEFAULT_PARTS = (feasible, smallest, idealloc, synthetic, models)
PARTS = {part.__name__: part for part in (*DEFAULT_PARTS, laws)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir")
    parser.add_argument("seconds", type=float, nargs="?", default=60)
    parser.add_argument("--only", type=lambda names: names.split(","), default=[part.__name__ for part in DEFAULT_PARTS],
                        help="of " + ",".join(PARTS))
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="buffers of a synthetic problem")
    parser.add_argument("--plot", type=pathlib.Path, help="SVG file for the cost of synthetic problems")
    args = parser.parse_args()
    for name in args.only:
        if name not in PARTS:
            parser.error(f"no part `{name}`")
    args.corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR",
                                              ROOT.parent / "shared" / "corpus"))
    return args


def main():
    args = parse_arguments()
    for name in args.only:
        if name not in ("synthetic", "laws") and not (args.corpus / "planning").is_dir():
            print(f"plan: {name} skipped, {args.corpus} is not here", file=sys.stderr)
            continue
        PARTS[name](args)


if __name__ == "__main__":
    main()

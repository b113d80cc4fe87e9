#!/usr/bin/env python3
"""The speed of models whose operators go to an external code generator, next to the host's code.

Use: benchmarks/external_speed.py BIN_DIR [--targets=onednn] [--models=a,b] [--modes=a,b] [--rounds=N]
                                          [--milliseconds=N] [--json=FILE]

Each model of the corpus runs by turns without targets and with them, so that whatever else the
machine does falls on both. A figure is the median over the rounds of a run's median time, in
milliseconds. Outputs are compared with the corpus. `ratio` is the time with targets over the time
without: the goal is 1.05, docs/byoc/onednn.md has the figures.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = pathlib.Path(os.environ.get("TENON_CORPUS_DIR", ROOT.parent / "shared" / "corpus"))

MODES = {
    "jit": ["--engine=jit"],
    "x86-64": ["--engine=jit", "--cpu=x86-64"],
    "c": ["--engine=c"],
}


def run(bin_dir, folder, flags, repeat):
    """The median time of a run, in milliseconds."""
    words = [f"{bin_dir}/tenon", "run", str(folder / "module.py"), f"--repeat={repeat}", "--json", *flags]
    for value in sorted(folder.glob("input*.npy")):
        words += ["--input", str(value)]
    for value in sorted(folder.glob("expected*.npy")):
        words += ["--expect", str(value)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}:\n{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])["median_ms"]


def compare(bin_dir, folder, mode, options):
    """Median times without targets and with them."""
    times = {"host": [], "targets": []}
    ways = {"host": MODES[mode], "targets": [*MODES[mode], f"--targets={options.targets}"]}
    once = {way: run(bin_dir, folder, flags, 5) for way, flags in ways.items()}
    for _ in range(options.rounds):
        for way, flags in ways.items():
            repeat = max(5, math.ceil(options.milliseconds / max(once[way], 1e-3)))
            times[way].append(run(bin_dir, folder, flags, repeat))
    return {way: statistics.median(values) for way, values in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("--targets", default="onednn")
    parser.add_argument("--models")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=100)
    parser.add_argument("--json")
    options = parser.parse_args()
    if not (CORPUS / "models").is_dir():
        print(f"no models in {CORPUS} (TENON_CORPUS_DIR); nothing is measured")
        return
    folders = sorted((CORPUS / "models").iterdir())
    if options.models:
        folders = [folder for folder in folders if folder.name in options.models.split(",")]
    modes = options.modes.split(",")
    print(f"Milliseconds a run without targets and with --targets={options.targets}:")
    print(f"{'model':13}" + "".join(f"{mode:>10}{'+ targets':>11}{'ratio':>7}" for mode in modes))
    results = {}
    for folder in folders:
        line = f"{folder.name:13}"
        results[folder.name] = {}
        for mode in modes:
            times = compare(options.bin_dir, folder, mode, options)
            results[folder.name][mode] = times
            line += (f"{times['host']:10.4f}{times['targets']:11.4f}"
                     f"{times['targets'] / times['host']:7.2f}")
        print(line, flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

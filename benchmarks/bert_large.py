#!/usr/bin/env python3
"""Gigabytes of constants: every step for a module of BERT-large's size, next to `cp` of its data.

Use: benchmarks/bert_large.py BIN_DIR [FOLDER] [--runs 3] and the sizes of bert_module.py.

Makes the module (1.3 GB of weights; needs NumPy and 7 GB of disk), runs each step as a separate
process, and prints seconds, peak resident memory and the share of the goal: twice the copy of the
data plus its hash at 5 GB/s. Runs of `cp` on the same files alternate with the steps. Then it
builds the programs with cc -O2 and runs them: it prints the startup time and compares the output of
the first layers with NumPy's. All files are removed at the end.
"""

import argparse
import array
import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HASH_RATE = 5e9  # bytes a second
PASSES = ("extract-constants,merge-constants,assign-pool-info,plan-memory,"
          "convert-pool-allocations-to-offsets")


def run(command, folder):
    """Seconds and peak resident MB of one process."""
    start = time.monotonic()
    pid = os.posix_spawnp("sh", ["sh", "-c", f'cd "{folder}" && exec {command}'], os.environ)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"bert_large: failed: {command}")
    return seconds, usage.ru_maxrss * 1024 / 1e6


def measure(commands, folder, runs):
    """Median seconds and largest memory of each command. The commands alternate, so that other load
    affects all of them. Outputs of the previous run are removed first: replacing a file takes
    longer than creating one."""
    results = {name: [] for name in commands}
    for _ in range(runs):
        for name, (command, output) in commands.items():
            shutil.rmtree(f"{folder}/{output}", ignore_errors=True)
            pathlib.Path(f"{folder}/{output}").unlink(missing_ok=True)
            results[name].append(run(command, folder))
    return {name: (statistics.median(s for s, _ in all_), max(m for _, m in all_))
            for name, all_ in results.items()}


def has_storage(bin_dir):
    """Whether constants can be stored in other ways than C arrays, which are too slow to compile at
    a gigabyte."""
    text = subprocess.run([f"{bin_dir}/tenon", "compile", "--help"], check=True, capture_output=True)
    return b"--constant-storage" in text.stdout


def steps(bin_dir):
    """Command and output of each step."""
    opt, tenon = f"{bin_dir}/tenon-opt bert.py", f"{bin_dir}/tenon compile bert.py --module-name=bert"
    result = {
        "cp": ("cp bert.safetensors copy.safetensors", "copy.safetensors"),
        "open, print": (f"{opt} --constants=keep -o out.py", "out.py"),
        "hash": (f"{opt} --constants=elide -o out.py", "out.py"),
        "lift to a file": (
            f"{opt} --constants=keep --pipeline='lift-params{{file=lifted.safetensors}}' -o lifted.py",
            "lifted.safetensors"),
        "bind that file": (
            f"{bin_dir}/tenon-opt lifted.py --constants=keep "
            "--pipeline='bind-params{file=lifted.safetensors}' -o bound.py", "bound.py"),
        "extract, merge, pool": (f"{opt} --constants=keep --pipeline={PASSES} -o out.py", "out.py"),
        "the same, to a side file": (
            f"{opt} --constants=sidecar --pipeline={PASSES} -o side.py", "side.py.safetensors"),
    }
    for storage in ("file", "object") if has_storage(bin_dir) else ():
        result[f"compile, --constant-storage={storage}"] = (
            f"{tenon} --emit=c --constant-storage={storage} -o {storage} 2>messages", storage)
    return result


def table(bin_dir, folder, size, runs):
    results = measure(steps(bin_dir), folder, runs)
    copy, _ = results["cp"]
    goal = 2 * copy + size / HASH_RATE
    print(f"{size / 1e9:.2f} GB of constants, medians of {runs}; goal {goal:.2f} s: "
          f"twice cp, and the hash at 5 GB/s")
    print(f"{'':36} {'s':>7} {'of goal':>8} {'MB':>6}")
    for name, (seconds, memory) in results.items():
        print(f"{name:36} {seconds:7.3f} {seconds / goal:8.2f} {memory:6.0f}")


def floats(path):
    """The float32 elements of a .npy file, or of one without a header."""
    data = pathlib.Path(path).read_bytes()
    if data.startswith(b"\x93NUMPY"):
        data = data[10 + int.from_bytes(data[8:10], "little"):]
    return array.array("f", data)


def programs(folder, runs):
    """Builds and runs the compiled program. Its output must equal NumPy's."""
    expected = floats(f"{folder}/expected.npy")
    print(f"{'the program, constants in':36} {'start s':>7} {'run s':>8} {'MB':>6}")
    for name, storage, sources in (
            ("an object", "object", "tvmgen_bert_constants.o"),
            ("a file, each constant checked", "file", "tvmgen_bert_constants_host.c"),
            ("a file, -DTENON_CONSTANTS_TRUST_DATA", "file",
             "tvmgen_bert_constants_host.c -DTENON_CONSTANTS_TRUST_DATA")):
        where = f"{folder}/{storage}"
        run(f"cc -O2 -I. -o bert {HERE}/bert_main.c tvmgen_bert.c {sources} -lm", where)
        start = statistics.median(run("./bert", where)[0] for _ in range(runs))
        seconds, memory = run("./bert ../ids.npy ../depth.npy y.bin", where)
        answer = floats(f"{where}/y.bin")
        wrong = sum(abs(a - e) > 1e-5 + 1e-4 * abs(e) for a, e in zip(answer, expected))
        if wrong or len(answer) != len(expected):
            sys.exit(f"bert_large: {wrong} of {len(expected)} elements are not as NumPy's")
        print(f"{name:36} {start:7.3f} {seconds:8.3f} {memory:6.0f}")


def main():
    parser = argparse.ArgumentParser(description="Gigabytes of constants, step by step.")
    parser.add_argument("bin_dir", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("folder", nargs="?", help="where the files go for a while; default: /tmp")
    parser.add_argument("--runs", type=int, default=3)
    args, sizes = parser.parse_known_args()
    if importlib.util.find_spec("numpy") is None:
        print("bert_large: skipped, NumPy is not here")
        return
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        # In a separate process: the peak of a child includes its parent's memory at the fork.
        subprocess.run([sys.executable, HERE / "bert_module.py", folder, *sizes], check=True)
        size = pathlib.Path(f"{folder}/bert.safetensors").stat().st_size
        table(args.bin_dir, folder, size, args.runs)
        if has_storage(args.bin_dir):
            print("the first layers, as NumPy has them:")
            programs(folder, args.runs)


if __name__ == "__main__":
    main()

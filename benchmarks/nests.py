#!/usr/bin/env python3
"""Single nests of loops through Tenon, next to gcc's code for the same loops in C.

Use: benchmarks/nests.py BIN_DIR [--count=N] [--seed=N] [--rounds=N] [--only=TEXT]... [--json=FILE]
                         [--options="..."] [--keep=FOLDER] [--peer="gcc ..."] [--schedules]

The nests are the collection of benchmarks/texts/collection.py (convolutions and products of matrices
in many layouts and orders), and N random ones (default: 200).

Each nest becomes a shared object by `tenon compile --emit=shared -O3 --cpu=native`. Its peer is C with
the text's loops, layouts and order of sums, compiled by `gcc -O3 -march=native -ffp-contract=off`. Both
run alternately in this process, on one thread, with the same inputs and outputs. A function in C
repeats each call for about 1 ms. The figure is the least processor time of a run over all rounds.
Outputs must be equal bit for bit. If gcc's are wrong with dot products (VNNI), its code runs
without them.

With --schedules, each schedule that `--print-schedules` shows for a nest is measured as well: a line has its time
next to the chosen one, the model's cycles, and its text.

The ratio is Tenon's time over gcc's. A ratio above 1.05 is measured again with four times the rounds.
The exit code is 1 if a nest remains above 1.05.
"""

import argparse
import concurrent.futures
import ctypes
import json
import pathlib
import re
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile

from texts import collection, random_nests
from texts.nest import values

PEER = "gcc -O3 -march=native -ffp-contract=off"
MOST = 1.05
# Loads that follow stores to the same place in another page wait for them. With all buffers at the
# beginning of a page, no side depends on where its buffers happen to be.
PAGE = 4096
FORMATS = {"float32": "f", "int8": "b", "uint8": "B", "int16": "h", "int32": "i"}
CLOCK = r"""
#include <stdint.h>
#include <time.h>
typedef int32_t (*Run)(void *, void *);
double clock_of(Run run, void *inputs, void *outputs, int repeats) {
  struct timespec a, b;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  for (int i = 0; i < repeats; ++i) {
    if (run(inputs, outputs) != 0) return -1;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / repeats;
}
"""


def make_clock(folder):
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(CLOCK)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    function = ctypes.CDLL(str(library)).clock_of
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    return function


def build(nest, folder, args):
    """The shared objects of Tenon and of the peer."""
    text, c = folder / f"{nest.name}.py", folder / f"{nest.name}.c"
    text.write_text(nest.text())
    c.write_text(nest.c())
    ours, theirs = folder / f"{nest.name}.tenon.so", folder / f"{nest.name}.c.so"
    tenon = [f"{args.bin}/tenon", "compile", text, "--emit=shared", "-O3", "--cpu=native",
             "--parallel=serial", *shlex.split(args.options), "-o", ours]
    peer = [*shlex.split(args.peer), "-shared", "-fPIC", "-o", theirs, c, "-lm"]
    for command in (tenon, peer):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{nest.name}: {shlex.join(map(str, command))}\n{done.stderr}")
    return ours, theirs


def shown_schedules(nest, folder, args):
    """The model's cycles and the texts of the schedules that Tenon compares for a nest."""
    command = [f"{args.bin}/tenon", "compile", folder / f"{nest.name}.py", "--emit=obj", "-O3", "--cpu=native",
               "--parallel=serial", "--print-schedules", *shlex.split(args.options), "-o", "-"]
    notes = subprocess.run(command, capture_output=True, check=True).stderr.decode()
    return [(int(cycles), text) for cycles, text in re.findall(r"(\d+) `([^`]*\blanes [^`]*|[^`]*\bunroll [^`]*)`", notes)]


def measure_schedules(nest, libraries, folder, clock, args):
    """Prints the times of all schedules of a nest, as far as a text can ask for them."""
    for number, (cycles, schedule) in enumerate(shown_schedules(nest, folder, args)):
        text, library = folder / f"{nest.name}.{number}.py", folder / f"{nest.name}.{number}.so"
        text.write_text(nest.text().replace("T.func_attr({", f'T.func_attr({{"tenon.schedule": "{schedule}", ', 1))
        done = subprocess.run([f"{args.bin}/tenon", "compile", text, "--emit=shared", "-O3", "--cpu=native",
                               "--parallel=serial", *shlex.split(args.options), "-o", library],
                              capture_output=True, check=False)
        if done.returncode == 0:
            ours, chosen = measure(nest, (library, libraries[0]), clock, max(args.rounds, 1), None,
                                   functions=("tvmgen_default_run",) * 2)
            print(f"{'':8}{ours / 1000:10.2f} us {ours / chosen:6.2f} of the chosen one; {cycles} cycles: {schedule}",
                  flush=True)


def build_without_faults(library, peer):
    """A shared object of the peer's C, without two faults of gcc 12: it computes `uint8 - 128` wrongly in dot products
    of processors with VNNI, and interchanges loops around sums of floats, whose order then differs."""
    without = library.with_suffix(".plain.so")
    subprocess.run([*shlex.split(peer), "-mno-avx512vnni", "-mno-avxvnni", "-fno-loop-interchange", "-shared", "-fPIC",
                    "-o", without, library.with_suffix(""), "-lm"], check=True)
    return without


class Side:
    """One of the two codes. Both have the same inputs and outputs: other addresses are other times."""

    def __init__(self, clock, library, function, inputs, outputs):
        self.clock = clock
        self.shared = ctypes.CDLL(str(library))
        self.function = ctypes.cast(getattr(self.shared, function), ctypes.c_void_p)
        self.buffers = outputs
        self.inputs = (ctypes.c_void_p * 8)(*(address for _, address, _ in inputs))
        self.outputs = (ctypes.c_void_p * 8)(*(address for _, address, _ in outputs))
        self.best = float("inf")
        self.repeats = 1

    def run(self):
        nanoseconds = self.clock(self.function, self.inputs, self.outputs, self.repeats)
        if nanoseconds < 0:
            sys.exit("a run failed")
        return nanoseconds

    def calibrate(self):
        self.run()
        self.repeats = max(1, min(100_000, int(1e6 / max(self.run(), 20))))

    def answers(self):
        """The outputs of one run, which overwrites all of each buffer."""
        for _, address, size in self.buffers:
            ctypes.memset(address, 0xA5, size)
        self.run()
        return [ctypes.string_at(address, size) for _, address, size in self.buffers]


def aligned(size):
    """Memory that begins with a page: the storage, its address, its size."""
    storage = ctypes.create_string_buffer(size + PAGE)
    return storage, (ctypes.addressof(storage) + PAGE - 1) // PAGE * PAGE, size


def measure(nest, libraries, clock, rounds, peer, functions=("tvmgen_default_run", "run")):
    """Nanoseconds of a run of Tenon's code and of the peer's."""
    inputs = []
    for buffer in nest.inputs:
        data = struct.pack(f"<{buffer.count}{FORMATS[buffer.dtype]}", *values(buffer, nest.name))
        inputs.append(aligned(len(data)))
        ctypes.memmove(inputs[-1][1], data, len(data))
    outputs = [aligned(buffer.count * struct.calcsize(FORMATS[buffer.dtype]))
               for buffer in nest.outputs]
    sides = [Side(clock, library, function, inputs, outputs)
             for library, function in zip(libraries, functions)]
    for side in sides:
        side.calibrate()
    if sides[0].answers() != sides[1].answers():
        sides[1] = Side(clock, build_without_faults(libraries[1], peer), "run", inputs, outputs)
        sides[1].calibrate()
        if sides[0].answers() != sides[1].answers():
            print(f"{nest.name}: outputs differ", flush=True)
            return float("inf"), 1.0
        print(f"{nest.name}: the peer's answer is wrong; it runs without dot products and interchange", flush=True)
    if rounds == 0:
        return 0.0, 1.0
    for attempt in (rounds, 4 * rounds):
        for _ in range(attempt):
            for side in sides:
                side.best = min(side.best, side.run())
        if sides[0].best <= MOST * sides[1].best:
            break
    return sides[0].best, sides[1].best


def summary(title, results, rounds):
    if rounds == 0:
        wrong = sum(ours > theirs for ours, theirs in results.values())
        print(f"{title}: {len(results)} nests, {wrong} with other answers")
        return
    ratios = sorted((ours / theirs, name) for name, (ours, theirs) in results.items())
    if not ratios:
        return
    above = sum(ratio > MOST for ratio, _ in ratios)
    median = statistics.median(ratio for ratio, _ in ratios)
    print(f"{title}: {len(ratios)} nests, median ratio {median:.2f}, slowest {ratios[-1][0]:.2f} "
          f"({ratios[-1][1]}), {above} above {MOST}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0],
                                     epilog="\n".join(__doc__.splitlines()[5:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder of `tenon`")
    parser.add_argument("--count", type=int, default=200, help="random nests; default: 200")
    parser.add_argument("--seed", type=int, default=1, help="of the random nests; default: 1")
    parser.add_argument("--rounds", type=int, default=9,
                        help="0 compares the answers only; default: 9")
    parser.add_argument("--only", action="append", help="nests whose name contains the text")
    parser.add_argument("--options", default="", help="more options of `tenon compile`")
    parser.add_argument("--peer", default=PEER, help=f"default: {PEER}")
    parser.add_argument("--schedules", action="store_true",
                        help="also measure the schedules that the model compares")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for texts, C and objects")
    parser.add_argument("--json", type=pathlib.Path, help="file for the times in nanoseconds")
    args = parser.parse_args()
    groups = {"texts": list(collection.nests()),
              "random": list(random_nests.nests(args.seed, args.count))}
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        clock = make_clock(folder)
        for group, nests in groups.items():
            nests = [nest for nest in nests
                     if not args.only or any(text in nest.name for text in args.only)]
            print(f"{group}: compiling {len(nests)} nests", flush=True)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                built = list(pool.map(lambda nest: build(nest, folder, args), nests))
            times = {}
            for nest, libraries in zip(nests, built):
                ours, theirs = times[nest.name] = measure(nest, libraries, clock,
                                                          args.rounds, args.peer)
                mark = "  slower" if ours > MOST * theirs else ""
                if args.rounds > 0:
                    print(f"{nest.name:44}{ours / 1000:10.2f} us {theirs / 1000:10.2f} us"
                          f"{ours / theirs:8.2f}{mark}", flush=True)
                if args.schedules:
                    measure_schedules(nest, libraries, folder, clock, args)
            results[group] = times
    for group, times in results.items():
        summary(group, times, args.rounds)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")
    return any(ours > MOST * theirs for times in results.values()
               for ours, theirs in times.values())


if __name__ == "__main__":
    sys.exit(main())

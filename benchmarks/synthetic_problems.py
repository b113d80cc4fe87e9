#!/usr/bin/env python3
"""Writes large planning problems; the same arguments give the same problem.

Use: benchmarks/synthetic_problems.py LAW COUNT [SEED] > FILE.csv. The laws of sizes and lifetimes:

  short     sizes of a log-normal law, lives a few hundred ticks long: activations of a long program
  pareto    heavy tails in both: most are small and short, a few are large and live long
  uniform   any size to 4096, any two times: a third of all buffers are live together
  training  the lives of a forward and a backward pass: born in order, dying in reverse, with short
            scratch between
  identical one size, any two times
  giants    one buffer in fifty is a thousand times as large as the others, any two times
  bursts    phases, each of which allocates at once what lives within it, and some that outlive it
  nested    calls within calls: lives lie within each other or apart, the outer ones are larger
  tails     heavy tails in both, so strong that few buffers decide
  crowd     lives of a tenth of the time and more: thousands of unlike sizes are live at once
"""

import random
import sys

LAWS = ("short", "pareto", "uniform", "training", "identical", "giants", "bursts", "nested", "tails",
        "crowd")


def short(draw, i, count):
    lower = draw.randrange(count)
    return lower, lower + 1 + int(draw.expovariate(1 / 200)), 16 * (1 + int(draw.lognormvariate(4, 1.5)))


def pareto(draw, i, count):
    lower = draw.randrange(count)
    length = min(count, int(2 * draw.paretovariate(0.8)))
    return lower, lower + length, 64 * min(1 << 20, int(draw.paretovariate(0.9)))


def uniform(draw, i, count):
    lower, upper = sorted((draw.randrange(count), draw.randrange(count)))
    return lower, upper + 1, draw.randrange(1, 4097)


def training(draw, i, count):
    if i % 4 == 0:
        return i, 2 * count - i, 256 * draw.randrange(1, 2000)
    lower = draw.randrange(2 * count)
    return lower, lower + draw.randrange(1, 64), 64 * draw.randrange(1, 4000)


def identical(draw, i, count):
    lower, upper = sorted((draw.randrange(count), draw.randrange(count)))
    return lower, upper + 1, 4096


def giants(draw, i, count):
    lower, upper = sorted((draw.randrange(count), draw.randrange(count)))
    size = 64 * draw.randrange(1, 64)
    return lower, upper + 1, size * 1000 if i % 50 == 0 else size


def bursts(draw, i, count):
    phase = max(1, count // 20)
    start = draw.randrange(20) * phase
    lower = start + draw.randrange(max(1, phase // 10))
    length = draw.randrange(1, 3 * phase if draw.random() < 0.1 else phase)
    return lower, lower + length, 16 * (1 + int(draw.lognormvariate(5, 1.2)))


def nested(draw, i, count):
    first, end = 0, 1 << 30
    depth = draw.randrange(1, 12)
    for _ in range(depth):
        middle = first + (end - first) * (1 + hash_of(first, end) % 7) // 8
        first, end = (first, middle) if draw.random() < 0.5 else (middle, end)
    return first, end, 16 * (1 + int(draw.lognormvariate(8 - depth / 3, 1)))


def hash_of(first, end):
    return (first * 2654435761 + end * 40503) % 2**32 >> 7


def tails(draw, i, count):
    lower = draw.randrange(count)
    length = min(count, int(2 * draw.paretovariate(0.4)))
    return lower, lower + length, 16 * min(1 << 24, int(draw.paretovariate(0.6)))


def crowd(draw, i, count):
    lower = draw.randrange(count)
    length = int(count * draw.uniform(0.1, 0.4))
    return lower, lower + length, 8 * (1 + int(draw.lognormvariate(6, 1.5)))


def write(out, law, count, seed=1):
    draw = random.Random(f"{law} {seed}")
    make = globals()[law]
    out.write("id,lower,upper,size\n")
    for i in range(count):
        lower, upper, size = make(draw, i, count)
        out.write(f"{i},{lower},{upper},{size}\n")


if __name__ == "__main__":
    write(sys.stdout, sys.argv[1], int(sys.argv[2]), *sys.argv[3:])

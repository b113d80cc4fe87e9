#!/usr/bin/env python3
"""Writes large planning problems, the same for the same arguments.

Use: benchmarks/synthetic_problems.py LAW COUNT [SEED] > FILE.csv. The laws of sizes and lifetimes:

  short     sizes of a log-normal law, lives a few hundred ticks long: activations of a long program
  pareto    heavy tails in both: most are small and short, a few are large and live long
  uniform   any size to 4096, any two times: a third of all buffers are live together
  training  the lives of a forward and a backward pass: born in order, dying in reverse, with short
            scratch between
  identical one size, any two times
"""

import random
import sys

LAWS = ("short", "pareto", "uniform", "training", "identical")


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


def write(out, law, count, seed=1):
    draw = random.Random(f"{law} {seed}")
    make = globals()[law]
    out.write("id,lower,upper,size\n")
    for i in range(count):
        lower, upper, size = make(draw, i, count)
        out.write(f"{i},{lower},{upper},{size}\n")


if __name__ == "__main__":
    write(sys.stdout, sys.argv[1], int(sys.argv[2]), *sys.argv[3:])

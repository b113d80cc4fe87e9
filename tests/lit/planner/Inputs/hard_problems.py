"""hard_problems.py SHAPE COUNT: writes a problem that is hard on planners, as CSV."""

import random
import sys


def together(_, i, count):
    """All live at once."""
    return 0, 1, 4096


def identical(draw, i, count):
    lower, upper = sorted((draw.randrange(count), draw.randrange(count)))
    return lower, upper + 1, 4096


def comb(_, i, count):
    """Teeth that end in reverse of the order in which they begin; a short filler between any two."""
    return (i, 2 * count - i, 3 + i % 5) if i % 2 == 0 else (i, i + 2, 7 + i % 3)


def broken_comb(_, i, count):
    """Every second tooth ends, and what comes then is one byte larger than what it leaves."""
    half = count // 2
    if i < half:
        return 0, half if i % 2 else 2 * half, 10
    return half, 2 * half, 11


def spread(draw, i, count):
    """All are live at one time, and begin and end when they like."""
    return draw.randrange(count), count + 1 + draw.randrange(count), 1 + draw.randrange(1000)


def huge(_, i, count):
    """Any two neighbours fill all that numbers can say."""
    return i, i + 2, 2**61 - i % 2


def too_huge(_, i, count):
    return i, i + 3, 2**61 - 1


def empty(_, i, count):
    return 0, 1, 0


def never(_, i, count):
    return 5, 5, 10


if __name__ == "__main__":
    shape, number = globals()[sys.argv[1]], int(sys.argv[2])
    source = random.Random(1)
    print("id,lower,upper,size")
    for index in range(number):
        print(index, *shape(source, index, number), sep=",")

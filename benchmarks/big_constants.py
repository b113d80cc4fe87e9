#!/usr/bin/env python3
"""Reading and printing of constant lists of about 100 MB of text: speed and peak memory.

Use: benchmarks/big_constants.py BIN_DIR [MEGABYTES]
"""

import os
import random
import struct
import sys
import tempfile

from matmul import run

HEAD = """# from tvm.script import tir as T

@T.prim_func
def main(out: T.Buffer((1,), "{0}")):
    weights = T.allocate_const(["""
TAIL = """], "{0}", [{1}])
    w = T.Buffer(({1},), "{0}", data=weights)
    out[0] = w[0]
"""


def shortest(value):
    """The shortest decimal that reads back as this float32, as TVM prints it."""
    (value,) = struct.unpack("f", struct.pack("f", value))
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            break
    return repr(float(text))


def elements(dtype):
    """A few thousand elements as text."""
    source = random.Random(1)
    if dtype == "int8":
        return [str(source.randint(-128, 127)) for _ in range(10000)]
    return [shortest(source.gauss(0, 0.05)) for _ in range(10000)]


def main():
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with tempfile.TemporaryDirectory() as folder:
        for dtype in ("int8", "float32"):
            items = elements(dtype)
            block = ", ".join(items)
            blocks = megabytes * 1000000 // (len(block) + 2)
            path = f"{folder}/{dtype}.py"
            # In pieces: the peak of a child includes its parent's memory at the fork.
            with open(path, "w", encoding="utf-8") as out:
                out.write(HEAD.format(dtype))
                out.writelines(block if i == 0 else ", " + block for i in range(blocks))
                out.write(TAIL.format(dtype, blocks * len(items)))
            size = os.path.getsize(path) / 1e6
            command = [f"{sys.argv[1]}/tenon-opt", path, "-o", "/dev/null"]
            # With elided constants only reading and the hash of the bytes remain.
            read, _ = min(run(command + ["--constants=elide"]) for _ in range(3))
            both, peak = min(run(command) for _ in range(3))
            print(f"big constants, {dtype}: {size:.0f} MB, read {size / read:.0f} MB/s, "
                  f"read and printed {size / both:.0f} MB/s, "
                  f"peak {peak * 1.048576 / size:.2f} times the file")


if __name__ == "__main__":
    main()

"""large_headers.py FOLDER: safetensors files, sparse, whose headers claim or have a gigabyte and more."""

import os
import sys


def write(path, claim, size):
    with open(path, "wb") as out:
        out.write(claim.to_bytes(8, "little") + b'{"w":')
        out.truncate(size)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    # The whole header is present, as zeros.
    write(f"{folder}/gigabyte.safetensors", 1 << 30, (1 << 30) + 4096)
    write(f"{folder}/terabyte.safetensors", 1 << 40, (1 << 40) + 4096)
    # The longest header that is read; it ends where its zeros start.
    write(f"{folder}/limit.safetensors", 100_000_000, 200_000_000)
    write(f"{folder}/above.safetensors", 100_000_001, 200_000_000)


main()

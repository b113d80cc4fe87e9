"""runs.py FILE FOLDER u1|i2|f4 ELEMENTS: runs FILE on numbers unplanned, then under every planner, in pools
whose bytes are lost where a plan gives them to another buffer, and compares."""

import random
import struct
import subprocess
import sys

file, folder, dtype, count = sys.argv[1:]
draw = random.Random(7)
code = {"u1": "B", "i2": "h", "f4": "f"}[dtype]
values = [draw.random() if dtype == "f4" else draw.randrange(200) for _ in range(int(count))]
header = str({"descr": ("|" if dtype == "u1" else "<") + dtype, "fortran_order": False, "shape": (int(count),)})
header = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
with open(folder + "/x.npy", "wb") as out:
    out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    out.write(struct.pack(f"<{count}{code}", *values))

run = ["tenon", "run", file, "--allow-truncated-constants", "--input", folder + "/x.npy"]
subprocess.run([*run, "--output", folder + "/y.npy"], check=True)
with open(folder + "/y.npy", "rb") as made:
    assert len(set(made.read()[128:])) > 20, "the output is too dull to tell plans apart"
for planner in ["greedy_by_size", "greedy_by_conflicts", "hill_climb", "first_fit", "optimal"]:
    subprocess.run([*run, "--planner=" + planner, "--expect", folder + "/y.npy"], check=True)
print("every plan gives the same output")

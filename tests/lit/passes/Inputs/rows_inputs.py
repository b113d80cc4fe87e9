"""rows_inputs.py FOLDER: writes FOLDER/fN.npy, N floats, for the inputs of choose_blocks_rows.test and
choose_blocks_inner.py."""

import pathlib
import subprocess
import sys

WRITER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "Inputs" / "npy.py"
for count in (4, 15, 24, 48, 60, 64, 96, 128, 240, 400):
    values = [str((i * 37 + i // 5) % 101 / 8 - 6) for i in range(count)]
    subprocess.run([sys.executable, WRITER, f"{sys.argv[1]}/f{count}.npy", "f4", str(count), *values], check=True)

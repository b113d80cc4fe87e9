"""matrix.py FILE ROWS COLUMNS: writes a matrix of float32 between -1 and 1, as .npy."""

import pathlib
import subprocess
import sys

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
values = [str((i * 7919 % 2001 - 1000) / 1000) for i in range(rows * columns)]
npy = pathlib.Path(__file__).parents[2] / "tools" / "Inputs" / "npy.py"
subprocess.run([sys.executable, str(npy), path, "f4", f"{rows}x{columns}", *values], check=True)

"""matrix.py FILE ROWS COLUMNS: writes a matrix of float32 between -1 and 1, as .npy."""

import pathlib
import runpy
import sys

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
values = [str((i * 7919 % 2001 - 1000) / 1000) for i in range(rows * columns)]
npy = pathlib.Path(__file__).parents[2] / "tools" / "Inputs" / "npy.py"
# There are more values than a command line can contain.
sys.argv = [str(npy), path, "f4", f"{rows}x{columns}", *values]
runpy.run_path(str(npy), run_name="__main__")

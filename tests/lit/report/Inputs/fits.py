"""Checks that `tenon report MODEL` fits 100 columns and 40 lines, with the closing line: fits.py MODEL..."""
import subprocess
import sys

for path in sys.argv[1:]:
    run = subprocess.run(["tenon", "report", path], capture_output=True, text=True, check=True)
    # Both streams, as a terminal shows them.
    lines = (run.stdout + run.stderr).splitlines()
    widest = max(lines, key=len)
    assert len(lines) <= 40, (path, len(lines))
    # The closing line may name a path.
    assert len(widest) <= 100, (path, widest)
    whole = subprocess.run(["tenon", "report", path, "--all", "-q"], capture_output=True, text=True, check=True)
    assert len(whole.stdout.splitlines()) > len(lines) or "--all" not in run.stdout, path
    print(path.split("/")[-2], len(lines) > 30)

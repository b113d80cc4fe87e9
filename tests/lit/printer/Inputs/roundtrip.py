"""Prints each model of the corpus with tenon-opt and compares the text with the file."""

import pathlib
import subprocess
import sys


def without_metadata(text: bytes) -> bytes:
    """The text after the line(s) of `metadata = ...`, if there is one."""
    if not text.startswith(b"metadata = "):
        return text
    end = text.index(b'""")\n')
    return text[end + 5:]


def main(models: str) -> int:
    files = sorted(pathlib.Path(models).glob("*/*.py"))
    files = [file for file in files if file.name != "module_raw_metadata.py"]
    failures = 0
    for file in files:
        run = subprocess.run(["tenon-opt", str(file)], capture_output=True, check=False)
        got = run.stdout.rstrip(b"\n")
        want = file.read_bytes().rstrip(b"\n")
        if run.returncode != 0 or without_metadata(got) != without_metadata(want):
            failures += 1
            print(f"{file}: exit {run.returncode}, text differs", run.stderr.decode()[:500])
    print(f"{len(files)} files, {failures} failures")
    return 1 if failures or len(files) < 25 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""Compares the memory of Tenon's C with that of emx-onnx-cgen, for models of ONNX.

Use: scripts/judges/onnx_memory.py [--tenon PROGRAM] [--other PROGRAM] MODEL...

Both programs write C, and gcc -O2 -fstack-usage says how much stack each function takes. A figure is the largest
function's stack and the largest of the others, which it calls; Tenon's also has the workspace. emx-onnx-cgen keeps
temporaries on the stack (--large-temp-threshold=0). Inputs, outputs and weights do not count. Prints a line for each
model; the exit code is 1 if a program could not write a model. The other program is the package emx-onnx-cgen of PyPI.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stack_of(folder):
    """The bytes of stack of the C in a folder."""
    for source in sorted(folder.glob("*.c")):
        subprocess.run(["gcc", "-std=gnu99", "-O2", "-w", "-fstack-usage", "-c", source.name, "-o",
                        source.with_suffix(".o").name], cwd=folder, check=True)
    frames = [int(line.split("\t")[1]) for file in folder.glob("*.su") for line in file.read_text().splitlines()]
    return sum(sorted(frames)[-2:])


def of_tenon(program, model, folder):
    done = subprocess.run([program, "compile", str(model), "--module-name=m", "--emit=c", "-o", str(folder)],
                          capture_output=True, text=True, check=True)
    workspace = int(re.search(r"workspace ([0-9,]+) B", done.stderr)[1].replace(",", ""))
    return workspace, stack_of(folder)


def of_other(program, model, folder):
    subprocess.run([program, "compile", str(model), "m.c", "--large-temp-threshold=0", "--large-weight-threshold=0"],
                   cwd=folder, capture_output=True, check=True)
    return stack_of(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=str(ROOT / "build/check/bin/tenon"))
    parser.add_argument("--other", default="emx-onnx-cgen")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    is_wrong = False
    print("| model | Tenon: workspace | stack | emx-onnx-cgen: stack | ratio |\n|---|---|---|---|---|")
    for model in options.models:
        with tempfile.TemporaryDirectory() as name:
            folders = pathlib.Path(name) / "tenon", pathlib.Path(name) / "other"
            folders[1].mkdir()
            try:
                workspace, stack = of_tenon(options.tenon, model.resolve(), folders[0])
                other = of_other(options.other, model.resolve(), folders[1])
            except subprocess.CalledProcessError as error:
                print(f"{model}: {error.cmd[0]}: {str(error.stderr)[-300:]}", file=sys.stderr)
                is_wrong = True
                continue
        ratio = (workspace + stack) / max(other, 1)
        print(f"| {model.stem} | {workspace:,} | {stack:,} | {other:,} | {ratio:.2f} |", flush=True)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

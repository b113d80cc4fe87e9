#!/usr/bin/env python3
"""Runs the nine light models of the package `onnx` in Tenon, and compares the outputs with the package's.

Use: scripts/judges/onnx_light.py [--tenon PROGRAM] [--engine c] [--cflags FLAGS] [--only NAME,...]

The models are networks for images whose weights nodes compute. Their input is the package's: numbers from 0 to 1 in
rising order. Floats may differ by 1e-3 of the package's value, as in its own test. Prints a line for each model, and
exits with 1 if one differs or is refused. Needs Python's packages onnx and numpy, and a C compiler.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from onnx.backend.test.runner import Runner

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTOL, ATOL = 1e-3, 1e-7


def models():
    return sorted((pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light").glob("light_*.onnx"))


def judge(path, options, folder):
    """What is wrong with a model; an empty text if it is right."""
    graph = onnx.load(path).graph
    initial = {tensor.name for tensor in graph.initializer}
    command = [options.tenon, "run", str(path), f"--engine={options.engine}", "-q", f"--output={folder / 'y.npy'}"]
    if options.engine == "c":
        command.append(f"--cflags={options.cflags}")
    for value in graph.input:
        if value.name not in initial:
            numpy.save(folder / "x.npy", Runner.generate_dummy_data(value, name=path.stem))
            command.append(f"--input={folder / 'x.npy'}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return " | ".join(done.stderr.strip().splitlines()[:4])
    wanted = onnx.numpy_helper.to_array(onnx.load_tensor(path.with_name(f"{path.stem}_output_0.pb")))
    found = numpy.load(folder / "y.npy")
    if found.shape != wanted.shape:
        return f"{list(found.shape)} in place of {list(wanted.shape)}"
    far = ~numpy.isclose(found, wanted, RTOL, ATOL)
    return f"{far.sum()} of {far.size} elements differ" if far.any() else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=str(ROOT / "build/check/bin/tenon"))
    parser.add_argument("--engine", default="c")
    parser.add_argument("--cflags", default="-std=c99 -O3 -march=native")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    unknown = only - {path.stem.removeprefix("light_") for path in models()}
    if unknown:
        parser.error(f"expected names of light models without `light_`, found {', '.join(sorted(unknown))}")
    is_wrong = False
    for path in models():
        name = path.stem.removeprefix("light_")
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            wrong = judge(path, options, pathlib.Path(folder))
            print(f"{name:16} {wrong or 'equal'}, {time.monotonic() - begin:.1f} s", flush=True)
        is_wrong = is_wrong or bool(wrong)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

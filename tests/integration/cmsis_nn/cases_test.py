#!/usr/bin/env python3
"""Runs recorded cases of int8 operators, as LiteRT's reference kernels computed them, with the code generator `cmsis-nn`.

Use: cases_test.py --tenon BIN [--cc CC] [--include DIR --library FILE] [--count N] --kind KIND...
An operator that the library gets must give LiteRT's integers, and must equal its body. Of each kind, some must go to
the library. The library is the model in stub/, or the one that --include and --library name.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tflite"))
import tflite_cases  # noqa: E402
import tflite_graphs  # noqa: E402
import tflite_models  # noqa: E402


def write(folder, flag, arrays):
    arguments = []
    for i, array in enumerate(arrays):
        path = folder / f"{flag}{i}.npy"
        path.write_bytes(tflite_cases.npy(*array))
        arguments += [f"--{flag}", str(path)]
    return arguments


def run_case(arguments, kind, entry, folder, environment):
    """1 if the library gets the operator, 0 if not, or None for another type."""
    case = tflite_graphs.make_case(kind, entry["seed"])
    if any(dtype != tflite_cases.INT8 for _, dtype, _ in case.inputs):
        return None
    (folder / "model.tflite").write_bytes(case.model)
    done = subprocess.run(
        [arguments.tenon, "run", folder / "model.tflite", "--targets=cmsis-nn:twice", "--engine=c", "--externals=both",
         *write(folder, "input", case.inputs), *write(folder, "expect", entry["outputs"])],
        capture_output=True, text=True, check=False, env=environment)
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise SystemExit(f"{kind} {entry['seed']}: {said}")
    return 0 if "cmsis-nn:twice: 0 of" in said else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--include", default=str(HERE / "stub"))
    parser.add_argument("--library", dest="archive")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--kind", nargs="+", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cmsis_nn_") as name:
        folder = pathlib.Path(name)
        archive = arguments.archive or folder / "libcmsis-nn.a"
        if not arguments.archive:
            subprocess.run([arguments.cc, "-std=c99", "-O2", "-fPIC", "-c", HERE / "stub" / "cmsis_nn.c", "-o",
                            folder / "cmsis_nn.o"], check=True)
            subprocess.run(["ar", "rcs", archive, folder / "cmsis_nn.o"], check=True)
        environment = {**os.environ, "CMSIS_NN_INCLUDE": arguments.include, "CMSIS_NN_LIBRARY": str(archive)}
        for kind in arguments.kind:
            recorded = json.loads((tflite_models.FOLDER / "recorded" / f"{kind}.json").read_text())
            found = []
            for entry in recorded:
                taken = run_case(arguments, kind, entry, folder, environment)
                found += [] if taken is None else [taken]
                if len(found) == arguments.count:
                    break
            print(f"{kind:<18} {sum(found)} of {len(found)} cases are calls of the library, all as LiteRT", flush=True)
            if sum(found) == 0:
                raise SystemExit(f"{kind}: no case is a call of the library")
    return 0


if __name__ == "__main__":
    sys.exit(main())

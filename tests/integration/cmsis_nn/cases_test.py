#!/usr/bin/env python3
"""Runs recorded cases of int8 operators, as LiteRT's reference kernels computed them, with the code generator `cmsis-nn`.

Use: cases_test.py --tenon BIN [--cc CC] [--include DIR --library FILE] [--count N] [--rows N] --kind KIND...
An operator that the library gets must give LiteRT's integers, and must equal its body. Of each kind, some must go to
the library. --rows also compares softmax with its body for random scales and N random rows of integers. The library is
the model in stub/, or the one that --include and --library name.
"""

import argparse
import json
import os
import pathlib
import random as random_numbers
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tflite"))
import tflite_cases  # noqa: E402
import tflite_graphs  # noqa: E402
import tflite_models  # noqa: E402
import tflite_writer  # noqa: E402


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


# Each makes another computation of a softmax, as does another entry of the table.
MUTANTS = {"1515870810": "1515870811", "1010580540": "1010580541", "536870912": "536870911", "1073741824": "1073741823",
           "1024": "1023", "35 -": "34 -", "T.int64(2))": "T.int64(1))", "T.min(": "T.max(", "[2147483647, ": "[2147483646, "}


def refused_mutants(arguments, folder, environment):
    """A softmax with one number changed is not a call of the library."""
    subprocess.run([pathlib.Path(arguments.tenon).with_name("tenon-opt"), folder / "rows.tflite", "-o", folder / "rows.py"],
                   check=True)
    text = (folder / "rows.py").read_text()
    for old, new in MUTANTS.items():
        if old not in text:
            raise SystemExit(f"the text of softmax has no {old}")
        (folder / "rows.py").write_text(text.replace(old, new, 1))
        said = subprocess.run([arguments.tenon, "compile", folder / "rows.py", "--targets=cmsis-nn", "--byoc-report",
                               "-o", folder / "c"], capture_output=True, text=True, check=False, env=environment)
        if said.returncode != 0 or "-> host" not in said.stdout:
            raise SystemExit(f"softmax with {new} for {old} is a call of the library: {said.stdout}{said.stderr}")


def softmax_rows(arguments, rows, folder, environment):
    """Compares softmax with its body: 250 rows of random integers for each scale and width."""
    random = random_numbers.Random(7)
    done = 0
    while done < rows:
        columns, scale = random.choice((2, 3, 10, 12, 33, 255)), 2.0 ** random.uniform(-16, 1)
        shape, width = [250, columns], random.choice((3, 40, 255))
        model = tflite_writer.Model()
        x = model.tensor(shape, tflite_cases.INT8, scale=scale, zero_point=random.randrange(-128, 128))
        y = model.tensor(shape, tflite_cases.INT8, scale=1 / 256, zero_point=-128)
        model.operator(25, [x], [y], 9, {0: tflite_writer.Scalar("f", random.choice((1.0, 0.5, 3.0)))})
        (folder / "rows.tflite").write_bytes(model.file([x], [y]))
        data = [random.randrange(128 - width, 128) for _ in range(250 * columns)]
        said = subprocess.run(
            [arguments.tenon, "run", folder / "rows.tflite", "--targets=cmsis-nn", "--engine=c", "--externals=both",
             *write(folder, "input", [(shape, tflite_cases.INT8, data)])],
            capture_output=True, text=True, check=False, env=environment)
        if said.returncode != 0 or "all equal to their bodies" not in said.stderr:
            raise SystemExit(f"softmax of scale {scale}, {columns} columns: {said.stdout}{said.stderr}")
        if done == 0:
            refused_mutants(arguments, folder, environment)
        done += 250
    print(f"softmax            {done} random rows equal their bodies", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--include", default=str(HERE / "stub"))
    parser.add_argument("--library", dest="archive")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--rows", type=int, default=0)
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
        softmax_rows(arguments, arguments.rows, folder, environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())

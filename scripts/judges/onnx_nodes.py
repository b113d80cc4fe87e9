#!/usr/bin/env python3
"""Runs the node cases of the package `onnx` in Tenon, and compares the outputs.

Use: scripts/judges/onnx_nodes.py [--tenon PROGRAM] [--engines interp,c,jit] [--only OPERATOR,...] [--jobs N]
                                  [--bar N] [--show-refused] [--record FILE]

Takes the cases whose inputs and outputs are tensors of static shapes and plain types. An input that Tenon needs as
a constant, as its error says, becomes one by --constant. A case is equal if all outputs have the shapes, types and
values of the package. Floats may differ by the tolerance of the case, and float16 by two units of the last place:
the package rounds each step of a function to float16. Sums of a DFT that cancel may differ by a unit of the last
place of the largest element: NumPy computes in float32. It is refused if Tenon names an operator, a
type or an attribute that it does not support. Everything else is wrong.

Prints a line for each operator, and each wrong case. Exits with 1 if a case is wrong, or if fewer than --bar are
equal. --record writes the smallest equal case of each operator, for tests/integration/onnx. Needs Python's packages
onnx and numpy.
"""

import argparse
import base64
import collections
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy
import onnx
from onnx.backend.test.loader import load_model_tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Types of .npy files that Tenon reads.
PLAIN = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64"}
NEEDS_CONSTANT = re.compile(r"`([^`]*)` is known only at run time")
REFUSED = ("not supported", "are not supported", "expected version")
SECONDS = 120


def is_static(value):
    """Whether a ValueInfo is a tensor of a static shape."""
    if value.type.WhichOneof("value") != "tensor_type" or not value.type.tensor_type.HasField("shape"):
        return False
    return all(dim.WhichOneof("value") == "dim_value" for dim in value.type.tensor_type.shape.dim)


def is_plain(case):
    graph = case.model.graph
    if not all(map(is_static, [*graph.input, *graph.output])) or not case.data_sets:
        return False
    arrays = [array for lists in case.data_sets for arrays in lists for array in arrays]
    return all(isinstance(array, (numpy.ndarray, numpy.generic)) and str(array.dtype) in PLAIN for array in arrays)


def operator_of(case):
    """The operator that a case is about: its first node, or the function that was expanded."""
    graph = case.model.graph
    expanded = re.match(r"test_.*_expanded", case.name) is not None
    names = [node.op_type for node in graph.node]
    return ("expanded " if expanded else "") + (names[0] if len(names) == 1 else "+".join(sorted(set(names)))[:40])


def run(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no end after {SECONDS} s")


def run_engine(tenon, engine, model, folder, case, constants):
    """(verdict, message) of one engine. Inputs that must be constant are added to `constants`."""
    graph = case.model.graph
    initial = {tensor.name for tensor in graph.initializer}
    names = [value.name for value in graph.input if value.name not in initial]
    inputs, outputs = case.data_sets[0]
    while True:
        command = [tenon, "run", str(model), f"--engine={engine}", "-q"]
        for i, name in enumerate(names[:len(inputs)]):
            path = folder / f"in{i}.npy"
            numpy.save(path, numpy.ascontiguousarray(inputs[i]).reshape(numpy.shape(inputs[i])))
            command.append(f"--constant={name}={path}" if name in constants else f"--input={path}")
        for i in range(len(outputs)):
            (folder / f"out{i}.npy").unlink(missing_ok=True)
            command.append(f"--output={folder / f'out{i}.npy'}")
        result = run(command)
        needed = {name for name in NEEDS_CONSTANT.findall(result.stderr) if name in names} - constants
        if result.returncode == 0 or not needed:
            break
        constants |= needed
    if result.returncode != 0:
        message = " | ".join(result.stderr.strip().splitlines()[:4])
        return ("refused" if any(text in message for text in REFUSED) else "wrong"), message
    for i, wanted in enumerate(outputs):
        found = numpy.load(folder / f"out{i}.npy")
        wanted = numpy.asarray(wanted)
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            return "wrong", f"output {i} is {found.dtype}{list(found.shape)}, not {wanted.dtype}{list(wanted.shape)}"
        if wanted.dtype.kind == "f":
            relative = max(case.rtol, 2 * float(numpy.finfo(wanted.dtype).eps))
            absolute = case.atol
            if operator_of(case) == "DFT":
                absolute = max(absolute, float(numpy.finfo(wanted.dtype).eps * numpy.abs(wanted).max()))
            close = numpy.isclose(found.astype("f8"), wanted.astype("f8"), relative, absolute, equal_nan=True)
        else:
            close = found == wanted
        if not close.all():
            at = numpy.unravel_index(numpy.argmin(close), close.shape) if close.shape else ()
            return "wrong", f"output {i} at {list(map(int, at))}: {found[at]}, not {wanted[at]}"
    return "equal", ""


def judge(case, tenon, engines):
    """The verdict of a case, its message and the engine; or the inputs that were constants."""
    constants = set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "model.onnx"
        onnx.save(case.model, model)
        for engine in engines:
            verdict, message = run_engine(tenon, engine, model, folder, case, constants)
            if verdict != "equal":
                return verdict, message, engine
    return "equal", "", constants


def file_text(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


def npy_text(array):
    file = io.BytesIO()
    numpy.save(file, numpy.ascontiguousarray(array).reshape(numpy.shape(array)))
    return file_text(file.getvalue())


def record(path, equal):
    """Writes the smallest case of each operator: the model, its inputs and outputs."""
    smallest = {}
    for case, constants in equal:
        operator = operator_of(case)
        arrays = [numpy.asarray(array) for arrays in case.data_sets[0] for array in arrays]
        # The tolerance of `tenon run --expect` is for float32.
        size = (any(array.dtype == "float16" for array in arrays),
                case.model.ByteSize() + sum(array.nbytes for array in arrays))
        if operator not in smallest or size < smallest[operator][0]:
            smallest[operator] = (size, case, constants)
    recorded = {}
    for operator, (_, case, constants) in sorted(smallest.items()):
        initial = {tensor.name for tensor in case.model.graph.initializer}
        names = [value.name for value in case.model.graph.input if value.name not in initial]
        inputs, outputs = case.data_sets[0]
        recorded[operator] = {
            "model": file_text(case.model.SerializeToString(deterministic=True)),
            "constants": {name: npy_text(array) for name, array in zip(names, inputs) if name in constants},
            "inputs": [npy_text(array) for name, array in zip(names, inputs) if name not in constants],
            "outputs": [npy_text(array) for array in outputs]}
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


def cases_of(only):
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    plain = [case for case in cases if is_plain(case)]
    if only:
        plain = [case for case in plain if any(node.op_type in only for node in case.model.graph.node)]
    return cases, plain


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=str(ROOT / "build/check/bin/tenon"))
    parser.add_argument("--engines", default="interp,c,jit")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--bar", type=int, default=0)
    parser.add_argument("--show-refused", action="store_true", help="print the refusals")
    parser.add_argument("--record", type=pathlib.Path, help="file for the smallest case of each operator")
    options = parser.parse_args()
    everything, cases = cases_of(set(filter(None, options.only.split(","))))
    counts = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        engines = options.engines.split(",")
        verdicts = pool.map(lambda case: judge(case, options.tenon, engines), cases)
        equal = []
        for case, (verdict, message, engine) in zip(cases, verdicts):
            counts[operator_of(case)][verdict] += 1
            if verdict == "equal":
                equal.append((case, engine))
            if verdict == "wrong" or (verdict == "refused" and options.show_refused):
                print(f"{verdict}: {case.name}, {engine}: {message}", flush=True)
    if options.record:
        record(options.record, equal)
    total = sum(counts.values(), collections.Counter())
    for operator in sorted(counts):
        of = counts[operator]
        print(f"{operator:40} {of['equal']:4} equal {of['refused']:4} refused {of['wrong']:4} wrong")
    print(f"{len(everything)} cases, {len(cases)} static and plain: {total['equal']} equal, {total['refused']} refused, "
          f"{total['wrong']} wrong")
    return 1 if total["wrong"] or total["equal"] < options.bar else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""A Python for `tenon verify --python` that has no framework, and plays one instead.

It answers with the outputs of `running_sum` of frontends/onnx/Inputs/write_model.py, with s=sum and
last=next as states: y = 2 s, before = last. Environment: FAKE_ERROR is added to the outputs of the last
run; FAKE_EXIT is the exit code, without outputs. The tensors of the model have no errors, but one that
FAKE_TENSOR names has 1 more.
"""

import json
import os
import pathlib
import re
import struct
import sys

folder = pathlib.Path(sys.argv[2])
request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
assert pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").startswith('"""Runs a model in its framework')
assert request["format"] == "onnx" and request["states"] == {"last": "next", "s": "sum"}, request
assert request["inputs"] == 1, request
if "FAKE_EXIT" in os.environ:
    print("the fake ends", file=sys.stderr)
    sys.exit(int(os.environ["FAKE_EXIT"]))


def read(path):
    """The head and the floats of a .npy file."""
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    assert re.search(rb"'descr': '<f4'.*\(1, ?3\)", data[:begin]), data[:begin]
    return data[:begin], struct.unpack("<3f", data[begin:])


def rounded(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


total, last = (0.0,) * 3, (0.0,) * 3
for run in range(request["runs"]):
    head, x = read(folder / f"in_{run}_0.npy")
    error = float(os.environ.get("FAKE_ERROR", 0)) if run + 1 == request["runs"] else 0
    outputs = [2 * s for s in total], last
    for number, values in enumerate(outputs):
        packed = struct.pack("<3f", *(value + error for value in values))
        (folder / f"out_{run}_{number}.npy").write_bytes(head + packed)
    values = {"sum": [s + value for s, value in zip(total, x)], "before": last, "y": outputs[0], "next": x}
    for number, tensor in enumerate(request["tensors"]):
        error = 1 if tensor["name"] == os.environ.get("FAKE_TENSOR") else 0
        packed = struct.pack("<3f", *(value + error for value in values[tensor["name"]]))
        (folder / f"tensor_{run}_{number}.npy").write_bytes(head + packed)
    total, last = tuple(rounded(s + value) for s, value in zip(total, x)), x

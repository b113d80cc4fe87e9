"""Prints one line for each tensor of a safetensors file; pads are left out."""

import json
import struct
import sys

NAMES = {"I8": "int8", "I32": "int32", "F32": "float32"}

with open(sys.argv[1], "rb") as file:
    (length,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
for name, tensor in header.items():
    if not name.startswith("__"):
        print(name, NAMES[tensor["dtype"]], tensor["shape"])

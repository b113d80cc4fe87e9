"""Writes files of parameters, good ones and broken ones, into a folder: no NumPy needed."""

import json
import os
import struct
import sys


def safetensors(tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


BYTES = bytes([1, 2, 3, 4])
WORDS = struct.pack("<4i", 5, 6, 7, 8)
FILES = {
    "names.safetensors": safetensors({"w": ("I8", [4], BYTES), "v": ("I32", [2, 2], WORDS),
                                      "__pad_0": ("U8", [3], bytes(3))}),
    "index.safetensors": safetensors({"2": ("I8", [4], BYTES), "arr_3": ("I32", [2, 2], WORDS)}),
    "only.safetensors": safetensors({"v": ("I32", [2, 2], WORDS)}),
    "other.safetensors": safetensors({"p": ("I8", [4], BYTES), "main.w": ("I8", [4], BYTES)}),
    "dtype.safetensors": safetensors({"w": ("U8", [4], BYTES)}),
    "shape.safetensors": safetensors({"v": ("I32", [4], WORDS)}),
    "name.safetensors": safetensors({"z": ("I8", [4], BYTES)}),
    "index_beyond.safetensors": safetensors({"7": ("I8", [4], BYTES)}),
    "both.safetensors": safetensors({"w": ("I8", [4], BYTES), "2": ("I8", [4], BYTES)}),
    "written.safetensors": safetensors({"y": ("I8", [4], BYTES)}),
    "number.safetensors": safetensors({"n": ("I32", [], WORDS[:4])}),
    "strides.safetensors": safetensors({"s": ("I8", [4], BYTES)}),
    "hash.safetensors": safetensors({"w": ("I8", [4], BYTES)}, {"xxh3.w": "xxh3:" + "0" * 32}),
    "floats.safetensors": safetensors({"b": ("F32", [4], struct.pack("<4f", 1, 2, 3, 4))}),
    "w.npz": b"PK\3\4" + bytes(26),
    "names.py": b"""# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", I.file("w.npz", "w"), "int8", [4])]})
""",
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, content in FILES.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


main()

"""Writes safetensors files, each broken in its own way, into a folder."""

import json
import os
import struct
import sys

DATA = struct.pack("<4f", 1, 2, 3, 4)


def tensor(begin=0, end=16, dtype="F32", shape=(4,)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def raw(header: bytes, data: bytes = DATA, length=None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def of(header, data: bytes = DATA) -> bytes:
    return raw(json.dumps(header).encode(), data)


def without(key):
    entry = tensor()
    del entry[key]
    return of({"w": entry})


def twice() -> bytes:
    entry = json.dumps(tensor())
    return raw(('{"w": ' + entry + ', "w": ' + entry + "}").encode())


FILES = {
    "empty": b"",
    "short": b"\x08\0\0",
    "length_alone": struct.pack("<Q", 0),
    "header_longer_than_file": raw(b'{"w": {}}', length=1000),
    "header_of_2_to_63": raw(b"{}", length=1 << 63),
    "no_object": raw(b"[1, 2]  "),
    "no_json": raw(b'{"w": '),
    "deep": raw(b'{"w": ' + b"[" * 100000 + b"]" * 100000 + b"}"),
    "no_utf8": raw(b'{"w\xff": 3}'),
    "nul": raw(b'{"w\0": 3}'),
    "same_name_twice": twice(),
    "overlap": of({"a": tensor(0, 16), "w": tensor(8, 24)}, DATA + DATA[:8]),
    "hole": of({"a": tensor(0, 16), "w": tensor(20, 36)}, DATA + b"\0" * 4 + DATA),
    "hole_in_front": of({"w": tensor(4, 20)}, b"\0" * 4 + DATA),
    "out_of_range": of({"w": tensor(0, 16)}, DATA[:8]),
    "far_out_of_range": of({"w": tensor(1 << 61, (1 << 61) + 16)}),
    "beyond_62_bits": of({"w": tensor(0, 1 << 63)}),
    "negative": of({"w": tensor(-16, 0)}),
    "backwards": of({"w": tensor(16, 0)}),
    "more_behind": of({"w": tensor()}, DATA + b"\0"),
    "dtype_unknown": of({"w": tensor(dtype="F33")}),
    "dtype_number": of({"w": tensor(dtype=3)}),
    "without_dtype": without("dtype"),
    "without_shape": without("shape"),
    "without_offsets": without("data_offsets"),
    "three_offsets": of({"w": {**tensor(), "data_offsets": [0, 8, 16]}}),
    "shape_of_floats": of({"w": tensor(shape=(4.5,))}),
    "shape_too_large": of({"w": tensor(shape=(1 << 40, 1 << 40))}),
    "shape_and_size": of({"w": tensor(shape=(5,))}),
    "tensor_is_list": of({"w": [1, 2]}),
    "metadata_is_list": of({"__metadata__": [], "w": tensor()}),
    "metadata_of_numbers": of({"__metadata__": {"a": 3}, "w": tensor()}),
    "hash_is_none": of({"__metadata__": {"xxh3.w": "xxh3:nonsense"}, "w": tensor()}),
    "hash_of_others": of({"__metadata__": {"xxh3.w": "xxh3:" + "0" * 32}, "w": tensor()}),
    "no_bool": of({"w": tensor(0, 16, "BOOL", (16,))}),
    "good": of({"w": tensor()}),
}


def main() -> None:
    folder = sys.argv[1]
    os.makedirs(os.path.join(folder, "folder.safetensors"), exist_ok=True)
    for name, content in FILES.items():
        with open(os.path.join(folder, f"{name}.safetensors"), "wb") as file:
            file.write(content)


main()

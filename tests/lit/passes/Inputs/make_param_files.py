"""Writes files of parameters, good ones and broken ones, into a folder: no NumPy needed."""

import io
import json
import os
import struct
import sys
import zipfile


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


def npy(descr, shape, content, fortran=False):
    header = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + content


def npz(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return out.getvalue()


def twice():
    """An archive with one name twice; zipfile itself only warns of that."""
    text = npz({"w.npy": npy("|i1", (4,), bytes(4)), "v.npy": npy("|i1", (4,), bytes(4))})
    return text.replace(b"v.npy", b"w.npy")


BYTES = bytes([1, 2, 3, 4])
WORDS = struct.pack("<4i", 5, 6, 7, 8)
BIG = struct.pack(">4i", 5, 6, 7, 8)
COLUMNS = struct.pack("<4i", 5, 7, 6, 8)
FILES = {
    "names.safetensors": safetensors({"w": ("I8", [4], BYTES), "v": ("I32", [2, 2], WORDS),
                                      "__pad_0": ("U8", [3], bytes(3))}),
    "index.safetensors": safetensors({"2": ("I8", [4], BYTES), "arr_3": ("I32", [2, 2], WORDS)}),
    "only.safetensors": safetensors({"v": ("I32", [2, 2], WORDS)}),
    "other.safetensors": safetensors({"p": ("I8", [4], BYTES), "main.w": ("I8", [4], BYTES)}),
    "stored.npz": npz({"w.npy": npy("|i1", (4,), BYTES), "v.npy": npy("<i4", (2, 2), WORDS)}),
    "packed.npz": npz({"w.npy": npy("|i1", (4,), BYTES), "v.npy": npy("<i4", (2, 2), WORDS)},
                      zipfile.ZIP_DEFLATED),
    "order.npz": npz({"arr_2.npy": npy("|i1", (4,), BYTES), "v.npy": npy(">i4", (2, 2), BIG)}),
    "columns.npz": npz({"w.npy": npy("|i1", (4,), BYTES),
                        "v.npy": npy("<i4", (2, 2), COLUMNS, True)}),
    "dtype.safetensors": safetensors({"w": ("U8", [4], BYTES)}),
    "shape.safetensors": safetensors({"v": ("I32", [4], WORDS)}),
    "shape.npz": npz({"v.npy": npy("<i4", (4,), WORDS)}),
    "name.safetensors": safetensors({"z": ("I8", [4], BYTES)}),
    "index_beyond.safetensors": safetensors({"7": ("I8", [4], BYTES)}),
    "both.safetensors": safetensors({"w": ("I8", [4], BYTES), "2": ("I8", [4], BYTES)}),
    "written.safetensors": safetensors({"y": ("I8", [4], BYTES)}),
    "number.safetensors": safetensors({"n": ("I32", [], WORDS[:4])}),
    "strides.safetensors": safetensors({"s": ("I8", [4], BYTES)}),
    "hash.safetensors": safetensors({"w": ("I8", [4], BYTES)}, {"xxh3.w": "xxh3:" + "0" * 32}),
    "twice.npz": twice(),
    "cut.npz": npz({"w.npy": npy("|i1", (4,), BYTES)})[:-30],
    "damaged.npz": npz({"w.npy": npy("|i1", (4,), BYTES)}).replace(BYTES, b"\1\2\3\5"),
    "text.npz": npz({"w.txt": b"hello"}),
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, content in FILES.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


main()

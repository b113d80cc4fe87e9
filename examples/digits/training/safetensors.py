"""Writes a safetensors file whose data starts on a page.

Layout: 8 bytes little-endian length of the header, the header (JSON, padded with spaces so that the
data starts at a multiple of 4096), the tensors one after the other without gaps.
"""

import json

import numpy as np

DATA_ALIGNMENT = 4096
TENSOR_ALIGNMENT = 16
DTYPES = {"int8": "I8", "int32": "I32"}


def write(path, tensors):
    """tensors: name -> array, in file order.

    If a tensor would not start at a multiple of 16, a tensor named __pad_<n> fills the gap, because
    the format does not allow gaps.
    """
    header, data = {}, b""

    def append(name, dtype, shape, content):
        nonlocal data
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content

    for name, array in tensors.items():
        gap = -len(data) % TENSOR_ALIGNMENT
        if gap:
            pads = sum(key.startswith("__pad_") for key in header)
            append(f"__pad_{pads}", "U8", [gap], bytes(gap))
        little_endian = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        append(name, DTYPES[array.dtype.name], list(array.shape), little_endian.tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % DATA_ALIGNMENT)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)

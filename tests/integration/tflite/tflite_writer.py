"""Writes .tflite files: a flatbuffer of the tensors and operators that a test asks for.

The writer is for tests. It knows nothing that the reader in frontends/tflite knows: tables are
dictionaries of field numbers, and each vector and table is written where the next free byte is.
"""

import struct

FLOAT32, FLOAT16, INT32, UINT8, INT64, BOOL, INT16, INT8 = 0, 1, 2, 3, 4, 6, 7, 9
# Types without a format of struct: elements of 4 or 2 bits.
INT4, INT2 = 17, 19
BITS = {INT4: 4, INT2: 2}
STRING, RESOURCE = 5, 13
FORMATS = {FLOAT32: "f", FLOAT16: "e", INT32: "i", UINT8: "B", INT64: "q", BOOL: "?", INT16: "h", INT8: "b"}


class Scalar:
    """A number that stands in its table."""

    def __init__(self, kind, value):
        self.bytes = struct.pack("<" + kind, value)


class Vector:
    """Numbers, or tables, with their count before them."""

    def __init__(self, kind, items, alignment=4):
        self.kind, self.items, self.alignment = kind, items, alignment


def text(value):
    """A string: bytes with a zero after them."""
    return Vector("s", value.encode())


class Writer:
    """Children come after what points to them, as offsets have no sign."""

    def __init__(self):
        self.out = bytearray()

    def align(self, size):
        self.out += b"\0" * (-len(self.out) % size)

    def point(self, at, target):
        self.out[at:at + 4] = struct.pack("<I", target - at)

    def table(self, fields):
        fields = {number: value for number, value in fields.items() if value is not None}
        slots = max(fields, default=-1) + 1
        self.align(8)
        # The list of fields, padded so that the table begins at a multiple of 8 less 4.
        self.out += b"\0" * ((-(len(self.out) + 4 + 2 * slots) + 4) % 8)
        vtable = len(self.out)
        offsets, position = [0] * slots, 4
        sizes = {number: len(value.bytes) if isinstance(value, Scalar) else 4
                 for number, value in fields.items()}
        order = sorted(fields, key=lambda number: -sizes[number])
        for number in order:
            position += -(position + 4) % sizes[number] if sizes[number] == 8 else 0
            offsets[number] = position
            position += sizes[number]
        self.out += struct.pack("<HH", 4 + 2 * slots, position)
        self.out += struct.pack(f"<{slots}H", *offsets)
        start = len(self.out)
        self.out += struct.pack("<i", start - vtable) + b"\0" * (position - 4)
        for number, value in fields.items():
            if isinstance(value, Scalar):
                at = start + offsets[number]
                self.out[at:at + len(value.bytes)] = value.bytes
        for number, value in fields.items():
            if not isinstance(value, Scalar):
                self.point(start + offsets[number], self.child(value))
        return start

    def child(self, value):
        if isinstance(value, dict):
            return self.table(value)
        self.align(4)
        if value.kind in "s1":
            # The elements begin at a multiple of the alignment.
            self.out += b"\0" * (-(len(self.out) + 4) % value.alignment)
            start = len(self.out)
            self.out += struct.pack("<I", len(value.items)) + bytes(value.items)
            self.out += b"\0" if value.kind == "s" else b""
            return start
        if value.kind == "table":
            start = len(self.out)
            self.out += struct.pack("<I", len(value.items)) + b"\0" * (4 * len(value.items))
            for index, item in enumerate(value.items):
                self.point(start + 4 + 4 * index, self.table(item))
            return start
        size = struct.calcsize("<" + value.kind)
        self.out += b"\0" * (-(len(self.out) + 4) % size)
        start = len(self.out)
        self.out += struct.pack(f"<I{len(value.items)}{value.kind}", len(value.items),
                                *value.items)
        return start

    def file(self, root, identifier=b"TFL3"):
        self.out += b"\0\0\0\0" + identifier
        self.point(0, self.table(root))
        return bytes(self.out)


def packed(data, bits):
    """Integers of a few bits, the first in the lowest bits of a byte."""
    out = bytearray(-(-len(data) * bits // 8))
    for index, value in enumerate(data):
        out[index * bits // 8] |= (value & (1 << bits) - 1) << index * bits % 8
    return bytes(out)


class Model:
    """A model's first subgraph. `others` are its other subgraphs, which operators run."""

    def __init__(self, first=None):
        # The version of the next operators; interpreters know each up to some version.
        self.version = 1
        self.tensors, self.operators, self.others = [], [], []
        self.inputs, self.outputs = [], []
        self.buffers, self.codes = ([b""], []) if first is None else (first.buffers, first.codes)

    def subgraph(self):
        """Another subgraph of the model, and its number. The caller gives it `inputs` and `outputs`."""
        self.others.append(Model(self))
        return self.others[-1], len(self.others)

    def tensor(self, shape, dtype, scale=None, zero_point=0, axis=0, data=None, name=None,
               is_variable=False):
        """The number of a new tensor. `scale` is a number or a list; `data` a flat list."""
        quantization = None
        if scale is not None:
            scales = scale if isinstance(scale, list) else [scale]
            points = zero_point if isinstance(zero_point, list) else [zero_point] * len(scales)
            quantization = {2: Vector("f", scales), 3: Vector("q", points),
                            6: Scalar("i", axis) if axis else None}
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(packed(data, BITS[dtype]) if dtype in BITS else
                                struct.pack(f"<{len(data)}{FORMATS[dtype]}", *data))
        number = len(self.tensors)
        self.tensors.append({0: Vector("i", list(shape)), 1: Scalar("b", dtype),
                             2: Scalar("I", buffer), 3: text(name or f"tensor:{number}"),
                             4: quantization, 5: Scalar("?", True) if is_variable else None})
        return number

    def operator(self, code, inputs, outputs, options_type=0, options=None, custom=None,
                 intermediates=None, second=False):
        """`second` says that the table of options is in the second union."""
        key = (code, custom, self.version)
        if key not in self.codes:
            self.codes.append(key)
        fields = {0: Scalar("I", self.codes.index(key)), 1: Vector("i", inputs),
                  2: Vector("i", outputs)}
        if options_type:
            fields[11 if second else 3] = Scalar("B", options_type)
            fields[12 if second else 4] = options or {}
        if intermediates is not None:
            fields[8] = Vector("i", intermediates)
        self.operators.append(fields)

    def root(self, inputs, outputs):
        codes = [{0: Scalar("b", min(code, 127)), 1: text(custom) if custom else None,
                  2: Scalar("i", version), 3: Scalar("i", code)}
                 for code, custom, version in self.codes]
        self.inputs, self.outputs = inputs, outputs
        graphs = [{0: Vector("table", graph.tensors), 1: Vector("i", graph.inputs),
                   2: Vector("i", graph.outputs), 3: Vector("table", graph.operators),
                   4: text("main" if graph is self else f"graph:{number}")}
                  for number, graph in enumerate([self, *self.others])]
        buffers = [{0: Vector("1", data, 16)} if data else {} for data in self.buffers]
        return {0: Scalar("I", 3), 1: Vector("table", codes), 2: Vector("table", graphs),
                3: text("test"), 4: Vector("table", buffers)}

    def file(self, inputs, outputs):
        return Writer().file(self.root(inputs, outputs))

"""Writes .onnx files: a protocol buffer of the tensors and nodes that a test asks for.

The writer is for tests. It knows the field numbers of onnx.proto and nothing of the reader in frontends/onnx.
"""

import struct

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = range(1, 12)
UINT32, UINT64 = 12, 13
FORMATS = {FLOAT: "f", UINT8: "B", INT8: "b", UINT16: "H", INT16: "h", INT32: "i", INT64: "q", BOOL: "?",
           FLOAT16: "e", DOUBLE: "d", UINT32: "I", UINT64: "Q"}
OPSET = 20


def varint(value):
    """Seven bits in each byte, the lowest first; negative numbers have 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field: an int, a float32, or bytes (a text, a message)."""
    if isinstance(value, bool) or isinstance(value, int):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def packed(number, values):
    return field(number, b"".join(map(varint, values)))


def elements(kind, values):
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


def tensor(name, kind, shape, values=(), *, raw=None, extra=b""):
    """A TensorProto with raw data."""
    data = elements(kind, values) if raw is None else raw
    return packed(1, shape) + field(2, kind) + field(8, name) + field(9, data) + extra


def external(name, kind, shape, location, offset=None, length=None):
    """A TensorProto whose elements are in another file."""
    entries = {"location": location, "offset": offset, "length": length}
    message = packed(1, shape) + field(2, kind) + field(8, name)
    for key, value in entries.items():
        if value is not None:
            message += field(13, field(1, key) + field(2, str(value)))
    return message + field(14, 1)


def value(name, kind, shape):
    """A ValueInfoProto. Extents are numbers, names, or None; a shape of None is unknown."""
    if shape is None:
        of_shape = b""
    else:
        dims = [b"" if dim is None else field(2 if isinstance(dim, str) else 1, dim) for dim in shape]
        of_shape = field(2, fields(1, dims))
    return field(1, name) + field(2, field(1, field(1, kind) + of_shape))


def attribute(name, given):
    """An AttributeProto of an int, a float, a text, a list of them, or a (kind, message) pair: "t" or "g"."""
    message = field(1, name)
    if isinstance(given, tuple):
        kind, part = given
        return message + (field(5, part) + field(20, 4) if kind == "t" else field(6, part) + field(20, 5))
    if isinstance(given, float):
        return message + field(2, given) + field(20, 1)
    if isinstance(given, int):
        return message + field(3, given) + field(20, 2)
    if isinstance(given, str):
        return message + field(4, given) + field(20, 3)
    if given and isinstance(given[0], float):
        return message + fields(7, given) + field(20, 6)
    if given and isinstance(given[0], str):
        return message + fields(9, given) + field(20, 8)
    return message + fields(8, given) + field(20, 7)


def node(op_type, inputs, outputs, name="", domain="", **attributes):
    message = fields(1, inputs) + fields(2, outputs) + (field(3, name) if name else b"") + field(4, op_type)
    message += b"".join(field(5, attribute(key, given)) for key, given in attributes.items())
    return message + (field(7, domain) if domain else b"")


def graph(nodes, inputs, outputs, initializers=(), values=(), name="graph"):
    return (fields(1, nodes) + field(2, name) + fields(5, initializers) + fields(11, inputs) + fields(12, outputs) +
            fields(13, values))


def function(name, domain, inputs, outputs, nodes, attributes=(), opset=OPSET):
    return (field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(6, attributes) + fields(7, nodes) +
            field(9, field(2, opset)) + field(10, domain))


def model(of_graph, opset=OPSET, functions=(), domains=()):
    """A ModelProto; `domains` are those of functions and other operators, all of version 1."""
    sets = [field(2, opset)] + [field(1, domain) + field(2, 1) for domain in domains]
    return field(1, 10) + field(2, "tests") + field(7, of_graph) + fields(8, sets) + fields(25, functions)

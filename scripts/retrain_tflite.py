#!/usr/bin/env python3
"""Makes a twin of a .tflite file, as if the network had been trained again: other weights, and other scales.

The twin has the same operators and shapes. Without a real training, it stands in for one in tests and in tutorials;
its answers mean nothing.

    retrain_tflite.py model.tflite twin.tflite --seed 1 --scales
"""
import argparse
import random
import struct
import sys

TYPES = {0: ("float32", 4), 2: ("int32", 4), 3: ("uint8", 1), 4: ("int64", 8), 7: ("int16", 2), 9: ("int8", 1)}
FORMS = {"float32": "f", "int32": "i", "int8": "b", "uint8": "B", "int64": "q", "int16": "h"}
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
# Kernels of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV have input, weights, bias in these places.
CONTRACTIONS = {3: (0, 1, 2), 4: (0, 1, 2), 9: (0, 1, 2), 67: (2, 1, 3)}


class Flatbuffer:
    """Fields of a flatbuffer, by their places in a bytearray that may be changed."""

    def __init__(self, data):
        self.data = data

    def unpack(self, form, at):
        return struct.unpack_from("<" + form, self.data, at)[0]

    def field(self, table, number):
        """The place of a field; 0 if the table does not have it."""
        vtable = table - self.unpack("i", table)
        if 4 + 2 * number >= self.unpack("H", vtable):
            return 0
        offset = self.unpack("H", vtable + 4 + 2 * number)
        return table + offset if offset else 0

    def scalar(self, table, number, form, otherwise=0):
        at = self.field(table, number)
        return self.unpack(form, at) if at else otherwise

    def follow(self, table, number):
        at = self.field(table, number)
        return at + self.unpack("I", at) if at else 0

    def vector(self, table, number):
        """The place of the first element, and the count."""
        at = self.follow(table, number)
        return (at + 4, self.unpack("I", at)) if at else (0, 0)

    def tables(self, table, number):
        first, count = self.vector(table, number)
        return [first + 4 * i + self.unpack("I", first + 4 * i) for i in range(count)]

    def numbers(self, table, number, form):
        first, count = self.vector(table, number)
        return list(struct.unpack_from(f"<{count}{form}", self.data, first)) if count else []

    def set_numbers(self, table, number, form, values):
        first, count = self.vector(table, number)
        assert count == len(values)
        struct.pack_into(f"<{count}{form}", self.data, first, *values)


class Tensor:
    def __init__(self, file, table, buffers):
        self.table = table
        self.type, self.width = TYPES.get(file.scalar(table, 1, "b"), ("other", 1))
        self.buffer = file.vector(buffers[file.scalar(table, 2, "I")], 0)
        self.quantization = file.follow(table, 4)
        self.scales = file.numbers(self.quantization, 2, "f") if self.quantization else []
        self.zero_points = file.numbers(self.quantization, 3, "q") if self.quantization else []

    def is_constant(self):
        return self.buffer[1] > 0


class Twin:
    def __init__(self, data, seed):
        self.file = Flatbuffer(data)
        self.random = random.Random(seed)
        model = self.file.unpack("I", 0)
        self.codes = []
        for code in self.file.tables(model, 1):
            self.codes.append(max(self.file.scalar(code, 0, "b"), self.file.scalar(code, 3, "i")))
        self.buffers = self.file.tables(model, 4)
        self.graphs = self.file.tables(model, 2)

    def contractions(self):
        """(input, weights, bias or None) of each operator that has weights."""
        for graph in self.graphs:
            tensors = [Tensor(self.file, table, self.buffers) for table in self.file.tables(graph, 0)]
            for op in self.file.tables(graph, 3):
                places = CONTRACTIONS.get(self.codes[self.file.scalar(op, 0, "I")])
                inputs = self.file.numbers(op, 1, "i")
                if places is None or len(inputs) <= places[1] or not tensors[inputs[places[1]]].is_constant():
                    continue
                bias = inputs[places[2]] if len(inputs) > places[2] else -1
                yield tensors[inputs[places[0]]], tensors[inputs[places[1]]], tensors[bias] if bias >= 0 else None

    def change_weights(self, change):
        """Replaces each element of weights and biases by `change(type, element, is_bias)`."""
        seen = set()
        for _, weights, bias in self.contractions():
            for tensor in (weights, bias):
                if tensor is None or not tensor.is_constant() or tensor.buffer[0] in seen:
                    continue
                seen.add(tensor.buffer[0])
                form = FORMS.get(tensor.type)
                if form is None:
                    continue
                first, size = tensor.buffer
                count = size // tensor.width
                old = struct.unpack_from(f"<{count}{form}", self.file.data, first)
                new = [change(tensor.type, element, tensor is bias) for element in old]
                struct.pack_into(f"<{count}{form}", self.file.data, first, *new)

    def trained(self, kind, element, is_bias):
        """The element after some more steps of training."""
        if kind == "float32":
            return element * self.random.uniform(0.8, 1.2) + self.random.gauss(0, 0.01)
        if is_bias:
            return round(element * self.random.uniform(0.8, 1.2))
        low, high = RANGES[kind]
        return min(max(round(element * self.random.uniform(0.8, 1.2) + self.random.gauss(0, 4)), low), high)

    def change_scales(self):
        """Other scales and zero points of activations; tensors that had the same ones still do."""
        changed = {}
        for graph in self.graphs:
            for tensor in [Tensor(self.file, table, self.buffers) for table in self.file.tables(graph, 0)]:
                # Some operators prescribe powers of two.
                if tensor.is_constant() or len(tensor.scales) != 1 or tensor.type not in RANGES:
                    continue
                mantissa = tensor.scales[0] * 2**20
                if mantissa == int(mantissa):
                    continue
                key = (tensor.scales[0], tensor.zero_points[0], tensor.type)
                if key not in changed:
                    low, high = RANGES[tensor.type]
                    point = tensor.zero_points[0]
                    if tensor.type != "int16" and point not in (low, high):
                        point = min(max(point + self.random.randint(-9, 9), low), high)
                    changed[key] = (tensor.scales[0] * self.random.uniform(0.8, 1.25), point)
                scale, point = changed[key]
                self.file.set_numbers(tensor.quantization, 2, "f", [scale])
                self.file.set_numbers(tensor.quantization, 3, "q", [point])
        seen = set()
        for _, weights, _ in self.contractions():
            if weights.quantization and weights.scales and weights.quantization not in seen:
                seen.add(weights.quantization)
                self.file.set_numbers(weights.quantization, 2, "f",
                                      [scale * self.random.uniform(0.8, 1.25) for scale in weights.scales])
        self.match_biases()

    def match_biases(self):
        """The scale of a bias is the product of those of the input and the weights."""
        for x, weights, bias in self.contractions():
            if bias is None or not bias.scales or not x.scales:
                continue
            if len(bias.scales) == len(weights.scales):
                self.file.set_numbers(bias.quantization, 2, "f", [x.scales[0] * scale for scale in weights.scales])


def change_of(twin, name):
    ends = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
    special = [float("nan"), float("inf"), float("-inf")]

    def to_ends(kind, element, is_bias):
        return element if is_bias or kind not in ends else twin.random.choice(ends[kind])

    def to_special(kind, element, _):
        return twin.random.choice(special) if kind == "float32" and twin.random.random() < 0.01 else element

    def to_large(kind, element, is_bias):
        return 2**31 - 1 if is_bias and kind == "int32" else element

    def to_equal(kind, element, is_bias):
        return 1 if kind in ends and not is_bias else element

    return {"trained": twin.trained, "ends": to_ends, "special": to_special, "large-bias": to_large,
            "equal": to_equal}[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("twin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scales", action="store_true", help="also change scales and zero points")
    parser.add_argument("--weights", default="trained", choices=["trained", "ends", "special", "large-bias", "equal"],
                        help="trained: near the old ones; ends: the ends of the type; special: some NaN and infinity; "
                        "large-bias: the largest biases; equal: all alike")
    options = parser.parse_args()
    try:
        with open(options.model, "rb") as file:
            data = bytearray(file.read())
    except OSError as error:
        return f"{options.model}: {error.strerror}"
    if data[4:8] != b"TFL3":
        return f"{options.model}: expected a .tflite file, with the letters `TFL3` at byte 4; found {bytes(data[4:8])!r}"
    try:
        twin = Twin(data, options.seed)
        twin.change_weights(change_of(twin, options.weights))
        if options.scales:
            twin.change_scales()
    except (struct.error, IndexError):
        return f"{options.model}: expected a .tflite file, found one that is damaged: an offset leads out of it"
    with open(options.twin, "wb") as file:
        file.write(twin.file.data)


if __name__ == "__main__":
    sys.exit(main())

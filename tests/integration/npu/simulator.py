#!/usr/bin/env python3
"""A code generator for a simulated NPU. It reads the members of claims alone: their steps are dropped unread.

Each external function becomes a payload: instructions of int64 numbers, which npu.c runs on an array of 8 x 8 multipliers.
"""
import os
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, os.environ.get("TENON_CLAIMS", str(HERE.parents[2] / "python" / "claims")))
import tenon_claims as claims  # noqa: E402

SUMS = ("dot", "sum", "add", "mul", "input", "max")
ROUNDINGS = ("tflite", "once", "onnxruntime", "exact", "quotient")
DTYPES = ("int8", "uint8", "int16", "uint16", "int32")


def bits_of(scale):
    return struct.unpack("<i", struct.pack("<f", scale))[0]


class Instruction:
    """The numbers of one operator."""

    def __init__(self, claim):
        claim = {key: value for key, value in claim.items() if key not in ("steps", "contraction", "input", "weights")}
        self.claim, self.member = claim, claim["requantise"]
        self.extents = dict(map(tuple, claim["loops"]))
        self.kept = claim["stores"][0][2]
        self.summed = [loop for loop in self.extents if loop not in self.kept]
        self.elements = [claims.Element(claim, each["access"]) for each in self.member["inputs"]]
        self.output = claims.Element(claim, self.member["output"])

    def problem(self):
        for element in [*self.elements, self.output]:
            if element.dtype not in DTYPES:
                return f"a tensor of {element.dtype}"
            if element.divisor != 1:
                return "an element that is divided"
        if min(self.member["accumulator"]) < -2**31 or max(self.member["accumulator"]) >= 2**31:
            return "sums of more than 32 bits"
        if self.claim["kind"].endswith("transpose"):
            return "a transposed convolution"
        return ""

    def loops(self, loops):
        return [len(loops), *(self.extents[loop] for loop in loops)]

    def strides(self, strides, loops):
        return [strides.get(loop, 0) for loop in loops]

    def tensor(self, element, place):
        return [*place, DTYPES.index(element.dtype), element.offset, *self.strides(element.strides, self.kept),
                *self.strides(element.strides, self.summed)]

    def axis(self, name):
        """The strides of loops in a place on an axis."""
        own = sorted((loop for loop in self.extents if loop.rstrip("0123456789") == name),
                     key=lambda loop: int(loop[len(name):] or 0), reverse=True)
        strides, step = {}, 1
        for loop in own:
            strides[loop] = step
            step *= self.extents[loop]
        return strides

    def window(self):
        window = self.claim.get("window")
        if window is None or not self.summed:
            return [0]
        axes, numbers = len(window["input"]), [len(window["input"])]
        for i in range(axes):
            name = "dhw"[3 - axes + i]
            numbers += [window["input"][i], window["stride"][i], window["dilation"][i], window["pad_before"][i],
                        *self.strides(self.axis(name), self.kept), *self.strides(self.axis("k" + name), self.summed)]
        return numbers

    def rescale(self):
        member = self.member
        channel = dict(map(tuple, member.get("channel", [0, []])[1]))
        numbers = [ROUNDINGS.index(member["rounding"]), *self.strides(channel, self.kept)]
        steps = member.get("steps", [])
        for values in (member.get("bias", []), member.get("multiplier", []), member.get("shift", []),
                       list(map(bits_of, member.get("scale", []))), list(map(len, steps)),
                       [step for row in steps for step in row]):
            numbers += [len(values), *values]
        return [*numbers, member["zero_point"], *member["clamp"], member["accumulator"][0]]

    def numbers(self, places):
        """`places` has the memory of each input and of the output: the kind, the number and an offset in bytes."""
        code = [SUMS.index(self.member["sum"]), *self.loops(self.kept), *self.loops(self.summed)]
        for element, place, each in zip(self.elements, places, self.member["inputs"]):
            code += [*self.tensor(element, place), each["zero_point"]]
            code += [ROUNDINGS.index(each.get("rounding", "once")), each.get("left_shift", 0), each.get("multiplier", 0),
                     each.get("shift", 0), each.get("sign", 1)]
        return code + self.tensor(self.output, places[-1]) + self.window() + self.rescale()


class Npu(claims.Generator):
    def supports(self, operator):
        if "requantise" not in operator.claim:
            return "its claim has no `requantise`"
        return Instruction(operator.claim).problem() or True

    def generate(self, functions, folder):
        answers, payloads = [], []
        for number, function in enumerate(functions):
            code = [len(function.operators)]
            for operator in function.operators:
                instruction = Instruction(operator.claim)
                places = [self.place(function, operator, element)
                          for element in [*instruction.elements, instruction.output]]
                code += instruction.numbers(places)
            name = f"npu_code_{number}"
            with open(os.path.join(folder, name), "wb") as file:
                file.write(struct.pack(f"<{len(code)}q", *code))
            payloads.append({"name": name, "alignment": 16, "runtime_symbol": "npu_run"})
            answers.append({"symbol": function.symbol, "payload": name, "workspace_bytes": function.workspace_bytes})
        runtime = {"name": "npu.c", "text": (HERE / "npu.c").read_text(encoding="utf-8")}
        return {"functions": answers, "payloads": payloads, "sources": [runtime], "version": "1.0"}

    @staticmethod
    def place(function, operator, element):
        argument = operator.arguments[element.index]
        if "parameter" in argument:
            return [0, argument["parameter"], argument["offset"]]
        return [1, 0, function.start(argument["intermediate"]) + argument["offset"]]


claims.serve(Npu())

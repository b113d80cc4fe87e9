#!/usr/bin/env python3
"""A code generator for Tenon: convolutions, depthwise convolutions and dense layers as loops in C (docs/guide/generators.md).

It takes float32 and quantised integers, with bias, activation and pads, and packs the weights of each channel.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python/claims"))
import tenon_claims as claims  # noqa: E402


class Loops(claims.Generator):
    packs = True

    def __init__(self):
        self.packed = set()  # the functions whose weights are packed: this object lives until the last request

    def supports(self, operator):
        dot = claims.contraction(operator)
        if dot is None:
            return "not a sum of products"
        if not dot.is_understood:
            return "its epilogue has other steps than a bias and an activation"
        if dot.requantise:
            return True if dot.requantise.sums_fit(32) else "its sums need more than 32 bits"
        return True if dot.input.dtype == "float32" else "not float32 or quantised"

    def pack(self, function, folder):
        """The weights of a channel become neighbours, in the order of the loops. The code has the members' numbers."""
        changed, read = [], set()
        for operator in function.operators:
            dot = claims.contraction(operator)
            read |= {function.constant(operator, element) for element in dot.elements}
            index = function.constant(operator, dot.weights)
            if index is None or index in [each["constant"] for each in changed]:
                continue
            values = function.values(index)
            packed = [values[place] for channel in dot.weight_places() for place in channel]
            if len(packed) == len(values):
                changed.append(claims.write_constant(folder, index, f"w{index}", dot.weights.dtype, packed, 32))
                self.packed.add((function.symbol, operator.name))
        return changed + function.without_unread(folder, read)

    def weight(self, function, operator, dot):
        """An element of the weights in C."""
        pointer = function.pointer(operator, dot.weights)
        if (function.symbol, operator.name) not in self.packed:
            return f"{pointer}[{dot.weights.c()}]"
        place = "0"
        for loop in [loop for loop in dot.kept if loop in dot.weights.strides] + dot.summed:
            place = f"({place}) * {dot.loops[loop]} + {loop}"
        return f"{pointer}[{place}]"

    def code_of(self, function, operator, prefix):
        dot = claims.contraction(operator)

        def read(element):
            return f"{function.pointer(operator, element)}[{element.c()}]"
        kind = "int64_t" if dot.requantise else "float"
        x, w = read(dot.input), self.weight(function, operator, dot)
        if dot.requantise:
            x, w = (f"((int64_t){value} - ({zero}))" for value, zero in zip((x, w), dot.zero_points))
        return (f"  {dot.c_loops(dot.kept)}{{\n    {kind} sum = 0;\n"
                f"    {dot.c_loops(dot.summed)}if ({dot.c_inside()}) sum += {x} * {w};\n"
                f"    {read(dot.output)} = {dot.c_result('sum', prefix, read)};\n  }}\n")

    def generate(self, functions, folder):
        text, answers = claims.C_HELPERS, []
        for number, function in enumerate(functions):
            body = ""
            for i, operator in enumerate(function.operators):
                dot, prefix = claims.contraction(operator), f"f{number}_{i}"
                text += dot.requantise.c_tables(prefix) if dot.requantise else ""
                body += self.code_of(function, operator, prefix)
            text += f"{function.c_signature()};\n{function.c_signature()} {{\n{body}  return 0;\n}}\n"
            answers.append({"symbol": function.symbol, "workspace_bytes": function.workspace_bytes})
        return {"functions": answers, "sources": [{"name": "loops.c", "text": text}]}


claims.serve(Loops())

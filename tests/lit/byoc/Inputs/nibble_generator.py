"""A generator of dense layers that packs two weights into a byte: other bytes, another type, half the size."""
import sys

sys.path.insert(0, sys.argv[1])
import tenon_claims as claims  # noqa: E402


class Nibbles(claims.Generator):
    packs = True

    def supports(self, operator):
        dot = claims.contraction(operator)
        return True if dot and dot.requantise and dot.kind == "dense" else "not a quantised dense layer"

    def pack(self, function, folder):
        changed = []
        for operator in function.operators:
            dot = claims.contraction(operator)
            index = function.constant(operator, dot.weights)
            if index is None or index in [each["constant"] for each in changed]:
                continue
            values = function.values(index)
            rows = [values[place] & 15 for channel in dot.weight_places() for place in channel]
            packed = [low | high << 4 for low, high in zip(rows[::2], rows[1::2])]
            changed.append(claims.write_constant(folder, index, f"w{index}", "uint8", packed))
        return changed

    def generate(self, functions, folder):
        text, answers = claims.C_HELPERS, []
        for number, function in enumerate(functions):
            body = ""
            for i, operator in enumerate(function.operators):
                dot, prefix = claims.contraction(operator), f"f{number}_{i}"
                text += dot.requantise.c_tables(prefix)
                place = "0"
                for loop in dot.kept + dot.summed:
                    place = f"({place}) * {dot.loops[loop]} + {loop}"
                weight = function.pointer(operator, dot.weights, "uint8")
                x, y = (f"{function.pointer(operator, each)}[{each.c()}]" for each in (dot.input, dot.output))
                body += (f"  {dot.c_loops(dot.kept)}{{\n    int64_t sum = 0;\n    {dot.c_loops(dot.summed)}{{\n"
                         f"      const int at = {place}, two = {weight}[at / 2];\n"
                         f"      sum += ({x} - {dot.zero_points[0]}) * (((at % 2 ? two >> 4 : two & 15) ^ 8) - 8);\n    }}\n"
                         f"    {y} = {dot.requantise.c('sum', prefix)};\n  }}\n")
            text += f"{function.c_signature()} {{\n{body}  return 0;\n}}\n"
            answers.append({"symbol": function.symbol, "workspace_bytes": function.workspace_bytes})
        return {"functions": answers, "sources": [{"name": "nibbles.c", "text": text}], "version": "4.2"}


claims.serve(Nibbles())

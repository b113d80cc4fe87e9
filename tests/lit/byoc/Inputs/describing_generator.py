"""Writes what tenon_claims reads from the operators of a module to a file, and takes none of them."""
import sys

sys.path.insert(0, sys.argv[1])
import tenon_claims as claims  # noqa: E402


class Describing(claims.Generator):
    def supports(self, operator):
        conv, dot = claims.conv(operator), claims.contraction(operator)
        with open(sys.argv[2], "a", encoding="utf-8") as file:
            if dot is None:
                print(operator.name, operator.kind, "no contraction", file=file)
                return "not this"
            bias = dot.bias if not isinstance(dot.bias, claims.Element) else f"element {dot.bias.c()}"
            print(operator.name, operator.kind, operator.tensors, "conv" if conv else "dot", "plain" if dot.is_plain else "not plain",
                  "understood" if dot.is_understood else "not understood", f"bias={bias}", f"activation={dot.activation}",
                  f"pads={dot.pads}", f"zero_points={dot.zero_points}",
                  f"rounding={dot.requantise.rounding if dot.requantise else None}", file=file)
        return "not this"


claims.serve(Describing())

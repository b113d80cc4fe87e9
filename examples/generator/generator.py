#!/usr/bin/env python3
"""A code generator for Tenon: sums of products of floats as loops in C (docs/guide/generators.md)."""
import json
import sys


def support(claim):
    """True if there is code for an operator, else the reason why not."""
    if claim.get("acc") != "float32" or [s[1] for s in claim["stores"]] != [claim["contraction"]]:
        return "not a plain sum of products of float32"
    kinds = [step[0] for step in claim["steps"]]
    return kinds == ["const", "read", "read", "mul", "reduce"] or "it computes its factors"


def loops(names, claim):
    return "".join(f"for (int {name} = 0; {name} < {extent}; ++{name}) "
                   for name, extent in claim["loops"] if name in names)


def code_of(operator, pointers):
    claim = operator["claim"]
    summed = claim["steps"][-1][2]
    kept = [name for name, _ in claim["loops"] if name not in summed]

    def element(access):
        operand, (offset, strides) = claim["accesses"][access]
        index = " + ".join([str(offset)] + [f"{loop} * {stride}" for loop, stride in strides])
        return f"((float*){pointers[claim['operands'][operand][1]]})[{index}]"

    x, w, y = map(element, (claim["input"], claim["weights"], claim["stores"][0][0]))
    return (f"  {loops(kept, claim)}{{\n    float sum = 0;\n"
            f"    {loops(summed, claim)}sum += {x} * {w};\n    {y} = sum;\n  }}\n")


def function_of(function):
    """C for an external function, and its description for Tenon."""
    sizes = [tensor["bytes"] for tensor in function["intermediates"]]
    params = [f"char* p{i}" for i in range(len(function["parameters"]))]
    params += ["char* scratch"] if sum(sizes) > 0 else []

    def pointer(argument):
        if "parameter" in argument:
            return f"(p{argument['parameter']} + {argument['offset']})"
        return f"(scratch + {sum(sizes[:argument['intermediate']]) + argument['offset']})"

    symbol, operators = function["symbol"], function["operators"]
    code = "".join(code_of(each, [*map(pointer, each["arguments"])]) for each in operators)
    return (f"int {symbol}({', '.join(params)}) {{\n{code}  return 0;\n}}\n",
            {"symbol": symbol, "workspace_bytes": sum(sizes)})


request = json.load(sys.stdin)
answer = {"tenon_generator": 1}
if request["action"] == "supports":
    answer["operators"] = [support(claim) for claim in request["operators"]]
else:
    codes, answer["functions"] = zip(*map(function_of, request["functions"]))
    answer["sources"] = [{"name": "sums.c", "text": "\n".join(codes)}]
json.dump(answer, sys.stdout)

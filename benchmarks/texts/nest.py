"""A nest of loops as TIR text, and its translation into plain C.

The C has the loops, the layouts and the order of sums of the text. It knows what a programmer knows:
`restrict` pointers, constants in `static const` arrays, sums in local variables.
"""

import ast
import dataclasses
import random

C_TYPES = {"float32": "float", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t",
           "int32": "int32_t"}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Div: "/",
             ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}


@dataclasses.dataclass(frozen=True)
class Buffer:
    name: str
    dtype: str
    count: int
    kind: str = "input"  # or "output", "constant"


def values(buffer, seed):
    """Random elements: small floats, or integers of the whole range of the type."""
    dice = random.Random(f"{seed} {buffer.name}")
    if buffer.dtype == "float32":
        return [dice.randrange(-1024, 1025) / 512 for _ in range(buffer.count)]
    bits = min(int(buffer.dtype.strip("uint")), 16)
    low = 0 if buffer.dtype.startswith("u") else -(1 << (bits - 1))
    return [dice.randrange(low, low + (1 << bits)) for _ in range(buffer.count)]


@dataclasses.dataclass
class Nest:
    name: str
    buffers: list
    lines: list

    @property
    def inputs(self):
        return [buffer for buffer in self.buffers if buffer.kind == "input"]

    @property
    def outputs(self):
        return [buffer for buffer in self.buffers if buffer.kind == "output"]

    @property
    def constants(self):
        return [buffer for buffer in self.buffers if buffer.kind == "constant"]

    def text(self):
        """The module of the nest."""
        params = ", ".join(f'{b.name}: T.Buffer(({b.count},), "{b.dtype}")'
                           for b in self.inputs + self.outputs)
        lines = ["# from tvm.script import tir as T", "", "@T.prim_func", f"def main({params}):",
                 '    T.func_attr({"tir.noalias": T.bool(True)})']
        for b in self.constants:
            lines.append(f'    {b.name}_data = T.allocate_const({values(b, self.name)}, '
                         f'"{b.dtype}", [{b.count}])')
        for b in self.constants:
            lines.append(f'    {b.name} = T.Buffer(({b.count},), "{b.dtype}", data={b.name}_data)')
        return "\n".join(lines + ["    " + line for line in self.lines]) + "\n"

    def c(self):
        """The C of the nest, with the function `run(inputs, outputs)`."""
        lines = ["#include <math.h>", "#include <stdint.h>"]
        for b in self.constants:
            elements = ", ".join(f"{v}f" if b.dtype == "float32" else str(v)
                                 for v in values(b, self.name))
            lines.append(f"static const {C_TYPES[b.dtype]} {b.name}[{b.count}] = {{{elements}}};")
        params = [f"const {C_TYPES[b.dtype]} *restrict {b.name}" for b in self.inputs]
        params += [f"{C_TYPES[b.dtype]} *restrict {b.name}" for b in self.outputs]
        body = PlainC()
        body.statements(ast.parse("\n".join(self.lines)).body, 1)
        lines += body.arrays + [f"static void nest({', '.join(params)}) {{", *body.lines, "}"]
        arguments = [f"inputs[{i}]" for i in range(len(self.inputs))]
        arguments += [f"outputs[{i}]" for i in range(len(self.outputs))]
        lines += ["int32_t run(void **inputs, void **outputs) {",
                  f"  nest({', '.join(arguments)});", "  return 0;", "}"]
        return "\n".join(lines) + "\n"


class PlainC:
    """Statements of the text as C."""

    def __init__(self):
        self.lines = []
        self.arrays = []
        self.shapes = {}
        self.scalars = set()

    def statements(self, body, depth):
        for statement in body:
            self.statement(statement, depth)

    def statement(self, node, depth):
        margin = "  " * depth
        if isinstance(node, ast.For):
            extents = [self.expr(argument) for argument in node.iter.args]
            names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            for name, extent in zip(names, extents):
                self.lines.append(f"{margin}for (int {name.id} = 0; {name.id} < {extent}; "
                                  f"++{name.id})")
            self.lines[-1] += " {"
            self.statements(node.body, depth + 1)
            self.lines.append(margin + "}")
        elif isinstance(node, ast.If):
            self.lines.append(f"{margin}if ({self.expr(node.test)}) {{")
            self.statements(node.body, depth + 1)
            self.lines.append(margin + "}")
        elif isinstance(node.value, ast.Call) and node.value.func.attr in ("allocate", "Buffer"):
            self.declare(node, margin)
        else:
            self.lines.append(f"{margin}{self.expr(node.targets[0])} = {self.expr(node.value)};")

    def declare(self, node, margin):
        """An allocation becomes a variable, an array on the stack, or a static array."""
        name, call = node.targets[0].id, node.value
        if call.func.attr == "allocate":
            self.shapes[name] = (call.args[0].elts[0].value, call.args[1].value)
            return
        source = next(word.value.id for word in call.keywords if word.arg == "data")
        count, dtype = self.shapes[source]
        if count == 1:
            self.scalars.add(name)
            self.lines.append(f"{margin}{C_TYPES[dtype]} {name};")
        elif count <= 64:
            self.lines.append(f"{margin}{C_TYPES[dtype]} {name}[{count}];")
        else:
            self.arrays.append(f"static {C_TYPES[dtype]} {name}[{count}];")

    def expr(self, node):
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.BinOp):
            return f"({self.expr(node.left)} {OPERATORS[type(node.op)]} {self.expr(node.right)})"
        if isinstance(node, ast.UnaryOp):
            return f"(-{self.expr(node.operand)})"
        if isinstance(node, ast.Compare):
            return (f"({self.expr(node.left)} {OPERATORS[type(node.ops[0])]} "
                    f"{self.expr(node.comparators[0])})")
        if isinstance(node, ast.BoolOp):
            return "(" + " && ".join(self.expr(value) for value in node.values) + ")"
        if isinstance(node, ast.Subscript):
            name = node.value.id
            return name if name in self.scalars else f"{name}[{self.expr(node.slice)}]"
        return self.call(node.func.attr, node.args)

    def call(self, name, args):
        if name == "Cast":
            return f"({C_TYPES[args[0].value]}){self.expr(args[1])}"
        texts = [self.expr(argument) for argument in args]
        if name == "float32":
            return f"{float(ast.literal_eval(args[0]))}f"
        forms = {"max": "({0} > {1} ? {0} : {1})", "min": "({0} < {1} ? {0} : {1})",
                 "if_then_else": "({0} ? {1} : {2})", "shift_right": "({0} >> {1})",
                 "sqrt": "sqrtf({0})", "abs": "fabsf({0})"}
        return forms[name].format(*texts)

"""Helps Python programs that are code generators of Tenon (docs/guide/generators.md). Only Python's own library is needed.

A generator derives from Generator, and calls serve(). Operators of requests are Operator objects; contraction(operator)
reads a convolution, a depthwise convolution, a dense layer or a product of matrices:

    class Npu(tenon_claims.Generator):
        def supports(self, operator):
            dot = tenon_claims.contraction(operator)
            return True if dot and dot.requantise else "not a quantised sum of products"

        def generate(self, functions): ...

    tenon_claims.serve(Npu())
"""
import json
import os
import struct
import sys

C_TYPES = {"int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t",
           "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t", "float32": "float", "float64": "double",
           "bool": "uint8_t"}
FORMATS = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
           "uint64": "Q", "float32": "f", "float64": "d", "bool": "B"}
SAFETENSORS = {"I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32",
               "I64": "int64", "U64": "uint64", "F32": "float32", "F64": "float64", "BOOL": "bool"}

# C that the results of Requantise.c() call.
C_HELPERS = """\
#include <math.h>
#include <stdint.h>

/* Twice: the product by 2^31, ties up, then by a power of two, ties away from zero. */
static inline int64_t claims_tflite(int64_t x, int64_t multiplier, int shift) {
  int64_t high = ((shift > 0 ? x * ((int64_t)1 << shift) : x) * multiplier + ((int64_t)1 << 30)) >> 31;
  return shift >= 0 ? high : (high + ((int64_t)1 << (-shift - 1)) - (high < 0)) >> -shift;
}
static inline int64_t claims_once(int64_t x, int64_t multiplier, int shift) {
  return (x * multiplier + ((int64_t)1 << (30 - shift))) >> (31 - shift);
}
static inline int64_t claims_onnxruntime(int64_t x, float scale) { return (int64_t)nearbyintf((float)x * scale); }
static inline int64_t claims_exact(int64_t x, const int64_t* steps, int count, int64_t low) {
  for (int i = 0; i < count && steps[i] <= x; ++i) ++low;
  return low;
}
static inline int64_t claims_quotient(int64_t x, int64_t count) {
  return (x < 0 ? x - count / 2 : x + count / 2) / count;
}
static inline int64_t claims_clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}
"""


class Element:
    """An element of a tensor: an access of a claim."""

    def __init__(self, claim, access):
        self.operand, index = claim["accesses"][access]
        self.offset, terms = index[0], index[1]
        self.divisor = index[2] if len(index) > 2 else 1
        self.strides = dict(map(tuple, terms))
        _, self.index, self.dtype, self.elements = claim["operands"][self.operand]
        self.is_constant = claim["operands"][self.operand][0] == "constant"

    def c(self):
        """The number of the element in C; loops are variables of their names."""
        text = " + ".join([str(self.offset)] + [f"{loop} * {stride}" for loop, stride in self.strides.items()])
        return f"({text})" if self.divisor == 1 else f"(({text}) / {self.divisor})"

    def at(self, places):
        """The number of the element at these places of the loops."""
        return (self.offset + sum(places[loop] * stride for loop, stride in self.strides.items())) // self.divisor


class Requantise:
    """The member `requantise` of a claim (docs/reference/requantise.md); members are attributes."""

    def __init__(self, claim):
        member = claim["requantise"]
        self.sum, self.rounding, self.inputs = member["sum"], member["rounding"], member["inputs"]
        self.channels, self.accumulator = member["channels"], member["accumulator"]
        self.bias, self.multiplier, self.shift = (member.get(name, []) for name in ("bias", "multiplier", "shift"))
        self.scale, self.steps = member.get("scale", []), member.get("steps", [])
        self.zero_point, self.clamp, self.activation = member["zero_point"], member["clamp"], member["activation"]
        self.channel = dict(map(tuple, member.get("channel", [0, []])[1]))

    def sums_fit(self, bits):
        """True if no sum exceeds signed integers of so many bits. The C of c() is right for 32 bits."""
        return -2**(bits - 1) <= self.accumulator[0] and self.accumulator[1] < 2**(bits - 1)

    def c_channel(self):
        return " + ".join(["0"] + [f"{loop} * {stride}" for loop, stride in self.channel.items()])

    def c_tables(self, prefix):
        """Definitions of the arrays that c() uses."""
        def table(name, kind, values):
            return f"static const {kind} {prefix}_{name}[] = {{{', '.join(map(str, values))}}};\n" if values else ""
        steps = max((len(row) for row in self.steps), default=0)
        rows = [row + [2**62] * (steps - len(row)) for row in self.steps]
        return (table("bias", "int64_t", self.bias) + table("multiplier", "int64_t", self.multiplier) +
                table("shift", "int8_t", self.shift) + table("scale", "float", map(float.hex, self.scale)
                                                             if self.scale else []) +
                table("steps", "int64_t", [step for row in rows for step in row]))

    def c(self, value, prefix, count="1"):
        """The output in C for the sum `value`, which lacks the bias. `count` is the divisor of `quotient`."""
        channel = self.c_channel()

        def of(name, values):
            return f"{prefix}_{name}[{0 if len(values) == 1 else channel}]"
        total = f"({value} + {of('bias', self.bias)})" if self.bias else value
        low, high = self.clamp
        if self.rounding == "exact":
            width = max(len(row) for row in self.steps)
            row = 0 if len(self.steps) == 1 else f"({channel}) * {width}"
            return f"claims_exact({total}, {prefix}_steps + {row}, {width}, {low})"
        if self.rounding == "quotient":
            scaled = f"claims_quotient({total}, {count})"
        elif self.rounding == "onnxruntime":
            scaled = f"claims_onnxruntime({total}, {of('scale', self.scale)})"
        else:
            scaled = f"claims_{self.rounding}({total}, {of('multiplier', self.multiplier)}, {of('shift', self.shift)})"
        return f"claims_clamp({scaled} + {self.zero_point}, {low}, {high})"


class Contraction:
    """A sum of products with what follows it. `bias`, `activation`, `pads` and `requantise` say what the operator does."""

    def __init__(self, claim):
        self.claim, self.kind = claim, claim["kind"]
        self.loops = dict(map(tuple, claim["loops"]))
        output, self._stored, kept = claim["stores"][0]
        self.kept = kept
        self.summed = [loop for loop in self.loops if loop not in kept]
        self.input, self.weights = Element(claim, claim["input"]), Element(claim, claim["weights"])
        self.output = Element(claim, output)
        self.requantise = Requantise(claim) if "requantise" in claim else None
        self.zero_points = [0, 0]
        if self.requantise:
            self.zero_points = [each["zero_point"] for each in self.requantise.inputs]
        self.window, self.groups = claim.get("window"), claim.get("groups", 1)
        self.pads = list(zip(self.window["pad_before"], self.window["pad_after"])) if self.window else []
        # Steps after the sum, the first one first: ("add", Element), ("max", number), ("min", number).
        self.epilogue = [] if self.requantise else _epilogue(claim)
        self.has_plain_factors = self.requantise is not None or _has_plain_factors(claim)

    @property
    def is_understood(self):
        """True if the attributes say all that the operator computes. Other operators need their steps."""
        return self.has_plain_factors and self.epilogue is not None

    @property
    def elements(self):
        """The elements that code reads or writes. Other operands of a quantised operator are numbers of `requantise`."""
        added = [of for kind, of in self.epilogue or [] if kind == "add"]
        return [self.input, self.weights, self.output] + added

    @property
    def is_plain(self):
        """True for a sum of products with nothing after it, without zero points and pads."""
        return (self.is_understood and not self.requantise and not self.epilogue
                and not any(map(any, self.pads)))

    @property
    def bias(self):
        """A list of integers, the Element of a float bias, or None."""
        if self.requantise:
            return self.requantise.bias or None
        first = (self.epilogue or [("none", None)])[0]
        return first[1] if first[0] == "add" and set(first[1].strides) <= set(self.weights.strides) else None

    @property
    def activation(self):
        """`none`, `relu`, or `clip`."""
        if self.requantise:
            return self.requantise.activation
        limits = [step for step in self.epilogue or [] if step[0] != "add"]
        return "none" if not limits else "relu" if limits == [("max", 0)] else "clip"

    def weight_places(self):
        """For each channel, the numbers of the weights' elements in the order of the summed loops."""
        channels = [loop for loop in self.kept if loop in self.weights.strides]
        for channel in _places(channels, self.loops):
            yield [self.weights.at({**dict.fromkeys(self.loops, 0), **channel, **place})
                   for place in _places(self.summed, self.loops)]

    def c_inside(self):
        """The condition in C under which the input is read."""
        if not self.window or not any(map(any, self.pads)):
            return "1"
        axes, parts = len(self.window["input"]), []
        for i in range(axes):
            place, kernel = (self._c_place(name + "dhw"[3 - axes + i]) for name in ("", "k"))
            at = f"({place}) * {self.window['stride'][i]} + ({kernel}) * {self.window['dilation'][i]}" \
                 f" - {self.window['pad_before'][i]}"
            parts.append(f"{at} >= 0 && {at} < {self.window['input'][i]}")
        return " && ".join(parts)

    def _c_place(self, axis):
        text = "0"
        for loop in sorted((name for name in self.loops if name.rstrip("0123456789") == axis),
                           key=lambda name: int(name[len(axis):] or 0)):
            text = f"({text}) * {self.loops[loop]} + {loop}"
        return text

    def c_loops(self, loops):
        return "".join(f"for (int {loop} = 0; {loop} < {self.loops[loop]}; ++{loop}) " for loop in loops)

    def c_result(self, value, prefix, read):
        """The output in C for the sum `value`. `read(element)` is an element of another tensor in C."""
        if self.requantise:
            return self.requantise.c(value, prefix)
        for name, of in self.epilogue:
            value = f"({value} + {read(of)})" if name == "add" else \
                f"({value} {'>' if name == 'max' else '<'} {of}f ? {value} : {of}f)"
        return value


def contraction(operator):
    """The sum of products of an operator, or None. Transposed convolutions have other windows, so they are None."""
    claim = operator.claim
    has_members = "contraction" in claim and "input" in claim and "stores" in claim
    return Contraction(claim) if has_members and "transpose" not in claim["kind"] else None


def conv(operator):
    """The same for convolutions alone, depthwise ones included."""
    found = contraction(operator)
    return found if found and ("conv" in found.kind) else None


def _places(loops, extents):
    places = [{}]
    for loop in loops:
        places = [{**place, loop: i} for place in places for i in range(extents[loop])]
    return places


def _has_plain_factors(claim):
    steps = claim["steps"]

    def inner(step):
        while steps[step][0] in ("cast", "select"):
            kind = steps[step]
            if kind[0] == "select" and (steps[kind[3]][0] != "const" or steps[kind[3]][2] != 0):
                return None
            step = kind[2]
        return steps[step]
    product = inner(steps[claim["contraction"]][-1])
    return bool(product and product[0] == "mul" and
                all((inner(arg) or [None])[0] == "read" for arg in product[1:]))


def _epilogue(claim):
    steps, at, found = claim["steps"], claim["stores"][0][1], []
    while at != claim["contraction"]:
        kind, *args = steps[at]
        if kind not in ("add", "max", "min") or len(args) != 2:
            return None
        own = [arg for arg in args if _depends(steps, arg, claim["contraction"])]
        other = [arg for arg in args if arg not in own]
        if len(own) != 1 or len(other) != 1:
            return None
        step = steps[other[0]]
        if kind == "add" and step[0] == "read":
            found.append(("add", Element(claim, step[1])))
        elif kind != "add" and step[0] == "const" and not isinstance(step[2], str):
            found.append((kind, step[2]))
        else:
            return None
        at = own[0]
    return found[::-1]


def _depends(steps, step, on):
    if step == on:
        return True
    kind, *args = steps[step]
    if kind in ("const", "read", "index"):
        return False
    first = {"cast": 1, "reduce": 2}.get(kind, 0)
    return any(_depends(steps, arg, on) for arg in args[first:] if isinstance(arg, int))


class Operator:
    """An operator of a request: its `name`, its `claim`, and the names of its `tensors`, one for each operand."""

    def __init__(self, claim, name="", tensors=None, arguments=None):
        self.claim, self.name, self.tensors, self.arguments = claim, name, tensors, arguments
        self.kind = claim["kind"]


class Function:
    """An external function of the requests `generate` and `pack`."""

    def __init__(self, member, folder, constants):
        self.symbol, self.parameters = member["symbol"], member["parameters"]
        self.intermediates, self.constants = member["intermediates"], member["constants"]
        self.operators = [Operator(each["claim"], each["name"], each.get("tensors"), each["arguments"])
                          for each in member["operators"] or []]
        self._folder, self._file = folder, constants
        self._starts, self.workspace_bytes = self._place()

    def _place(self):
        """Offsets of the intermediates, and the bytes of all: the largest one first, at the least offset at which no
        tensor lies that is in use at the same time."""
        lives = [[] for _ in self.intermediates]
        for time, operator in enumerate(self.operators):
            for argument in operator.arguments:
                if "intermediate" in argument:
                    lives[argument["intermediate"]].append(time)
        sizes = [-(-tensor["bytes"] // 16) * 16 for tensor in self.intermediates]
        starts = {}
        for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
            both = sorted(j for j in starts if lives[i] and lives[j]
                          and lives[j][0] <= lives[i][-1] and lives[i][0] <= lives[j][-1])
            taken = [(starts[j], starts[j] + sizes[j]) for j in both]
            starts[i] = min(at for at in [0] + [end for _, end in taken]
                            if all(at + sizes[i] <= start or end <= at for start, end in taken))
        return ([starts[i] for i in range(len(sizes))],
                max((starts[i] + sizes[i] for i in starts), default=0))

    def c_signature(self):
        params = [f"void* p{i}" for i in range(len(self.parameters))]
        return f"int32_t {self.symbol}({', '.join(params + ['void* scratch'] * (self.workspace_bytes > 0))})"

    def start(self, intermediate):
        """The offset of an intermediate in the scratch memory, in bytes."""
        return self._starts[intermediate]

    def pointer(self, operator, element, dtype=None):
        """A pointer in C to the tensor of an element."""
        argument = operator.arguments[element.index]
        kind = C_TYPES[dtype or element.dtype]
        if "parameter" in argument:
            base, offset = f"p{argument['parameter']}", argument["offset"]
        else:
            base, offset = "scratch", self._starts[argument["intermediate"]] + argument["offset"]
        return f"(({kind}*)((char*){base} + {offset}))"

    def constant(self, operator, element):
        """The number of the constant of an element in the request `pack`, or None."""
        return operator.arguments[element.index].get("constant")

    def without_unread(self, folder, read):
        """Members of the answer to `pack` that leave one byte of each constant whose number is not in `read`: the
        members of claims have its numbers, and the code does not read it."""
        return [write_constant(folder, index, f"unread{index}", "uint8", [0])
                for index in range(len(self.constants)) if index not in read]

    def values(self, index):
        """The elements of a constant, as numbers."""
        with open(os.path.join(self._folder, self._file), "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            start = file.tell()
            tensor = header[self.constants[index]["name"]]
            file.seek(start + tensor["data_offsets"][0])
            data = file.read(tensor["data_offsets"][1] - tensor["data_offsets"][0])
        code = FORMATS[SAFETENSORS[tensor["dtype"]]]
        return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


class Generator:
    """The answers of a code generator. A generator lives from the first request to the last one."""
    constants = "arguments"
    min_macs = 0
    packs = False

    def supports(self, operator):
        """True, or the reason why not."""
        raise NotImplementedError

    def pack(self, function, folder):
        """The members `constants` of the answer to `pack`."""
        return []

    def generate(self, functions, folder):
        """The answer to `generate`, without its version."""
        raise NotImplementedError

    def answer(self, request, folder):
        if request["action"] == "supports":
            names = request.get("names") or [{}] * len(request["operators"])
            operators = [Operator(claim, name.get("name", ""), name.get("tensors"))
                         for claim, name in zip(request["operators"], names)]
            return {"operators": [self.supports(each) for each in operators], "constants": self.constants,
                    "min_macs": self.min_macs, "packs": self.packs}
        functions = [Function(each, folder, request["constants"]) for each in request["functions"]]
        if request["action"] == "pack":
            return {"constants": self.pack(functions[0], folder)}
        return self.generate(functions, folder)


def write_constant(folder, index, name, dtype, values, alignment=16):
    """Writes a packed constant, and returns its member of the answer to `pack`."""
    data = struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    return {"constant": index, "file": name, "dtype": dtype, "shape": [len(values)], "alignment": alignment}


def serve(generator):
    """Answers the requests of one run of Tenon."""
    request, folder = json.load(sys.stdin), sys.argv[-1]
    fifo = os.environ.get("TENON_REQUESTS")
    stays = fifo is not None and 2 in request.get("versions", [])
    head = {"tenon_generator": 2, "stays": True} if stays else {"tenon_generator": 1}

    def give(request, folder):
        print(json.dumps({**head, **generator.answer(request, folder)}), flush=True)
    give(request, folder)
    if not stays:
        return
    with open(fifo, encoding="utf-8") as requests:
        for line in requests:
            message = json.loads(line)
            give(message["request"], message["folder"])

"""The same convolutions and the same products of matrices in many layouts and orders of loops."""

import dataclasses

from texts.nest import Buffer, Nest


def index(*terms):
    """The sum of (expression, stride)."""
    parts = [str(e) if stride == 1 else f"{e} * {stride}"
             for e, stride in terms if str(e) != "0"]
    return " + ".join(parts) or "0"


class Axis:
    """An axis of the nest: one loop `n`, or the loops `no` and `ni` over blocks of `split`."""

    def __init__(self, name, extent, split=0):
        self.name, self.extent, self.split = name, extent, split

    def loops(self):
        if not self.split:
            return {self.name: self.extent}
        return {self.name + "o": self.extent // self.split, self.name + "i": self.split}

    def value(self):
        if not self.split:
            return self.name
        return f"({self.name}o * {self.split} + {self.name}i)"

    def block(self, block):
        """The number of the block, and the position in the block."""
        if block == self.split:
            return self.name + "o", self.name + "i"
        return f"({self.value()} // {block})", f"({self.value()} % {block})"


def activation(layout, channels, height, width, h, w):
    """The index of an element in NHWC, NCHW, or NCHWc with a block: `NCHW4`."""
    if layout == "NHWC":
        return index((h, width * channels.extent), (w, channels.extent), (channels.value(), 1))
    if layout == "NCHW":
        return index((channels.value(), height * width), (h, width), (w, 1))
    block = int(layout[4:])
    outer, inner = channels.block(block)
    return index((outer, height * width * block), (h, width * block), (w, block), (inner, 1))


def weights(layout, out, into, kernel, kh, kw):
    """The index of a weight in HWIO, OIHW, OIHW with blocks (`OIHW4`), or [k/4][o][4] (`K4`)."""
    step = index((kh, kernel), (kw, 1)) if kernel > 1 else "0"
    if layout == "HWIO":
        return index((f"({step})", into.extent * out.extent), (into.value(), out.extent),
                     (out.value(), 1))
    if layout == "OIHW":
        return index((out.value(), into.extent * kernel**2), (into.value(), kernel**2), (step, 1))
    if layout == "K4":
        k = index((f"({step})", into.extent), (into.value(), 1))
        return index((f"(({k}) // 4)", out.extent * 4), (out.value(), 4), (f"({k}) % 4", 1))
    block = int(layout[4:])
    (oo, oi), (io, ii) = out.block(block), into.block(block)
    return index((oo, into.extent * kernel**2 * block), (io, kernel**2 * block**2),
                 (f"({step})", block**2), (ii, block), (oi, 1))


def cast(dtype, value, zero=0):
    """An element as the type of the sum."""
    if dtype == "float32":
        return value
    wide = f'T.Cast("int32", {value})'
    return f"({wide} - {zero})" if zero else wide


class Lines:
    """Text with its indentation."""

    def __init__(self):
        self.lines = []
        self.depth = 0

    def add(self, line):
        self.lines.append("    " * self.depth + line)

    def loop(self, name, extent):
        self.add(f"for {name} in range({extent}):")
        self.depth += 1

    def local(self, name, count, dtype):
        self.add(f'{name}_data = T.allocate([{count}], "{dtype}", "global")')
        self.add(f'{name} = T.Buffer(({count},), "{dtype}", data={name}_data)')


@dataclasses.dataclass
class Sum:
    """A contraction: loops, the element of the output, one term, and what becomes of the sum.

    `keeps` says where the sum is: in the `output`, in a local `scalar`, or in a `row` of the loops
    inside the loops of the sum.
    """
    order: list
    extents: dict
    reduced: set
    element: str
    term: str
    dtype: str
    keeps: str = "scalar"
    ends: str = "{}"
    condition: str = ""
    unroll: int = 1

    def write(self, out):
        zero = "T.float32(0)" if self.dtype == "float32" else "0"
        last = max(i for i, name in enumerate(self.order) if name not in self.reduced)
        first = min(i for i, name in enumerate(self.order) if name in self.reduced)
        if self.keeps == "output":
            start = out.depth
            for name in [n for n in self.order if n not in self.reduced]:
                out.loop(name, self.extents[name])
            out.add(f"y[{self.element}] = {zero}")
            out.depth = start
            self.nest(out, self.order, f"y[{self.element}]")
            out.depth = start
            return
        row = self.order[first:] if self.keeps == "row" else []
        row = [name for name in row if name not in self.reduced]
        start, place, count = out.depth, "0", 1
        for name in row:
            place = index((name, 1)) if place == "0" else index((f"({place})", self.extents[name]),
                                                                (name, 1))
            count *= self.extents[name]
        outer = self.order[:first if row else last + 1]
        for name in outer:
            out.loop(name, self.extents[name])
        out.local("s", count, self.dtype)
        inside = out.depth
        for before, line in ((True, f"s[{place}] = {zero}"),
                             (False, f"y[{self.element}] = {self.ends.format(f's[{place}]')}")):
            for name in row:
                out.loop(name, self.extents[name])
            out.add(line)
            out.depth = inside
            if before:
                self.nest(out, self.order[len(outer):], f"s[{place}]")
                out.depth = inside
        out.depth = start

    def nest(self, out, order, place):
        """The loops that add up; the last one is unrolled."""
        for name in order[:-1]:
            out.loop(name, self.extents[name])
        last, extent = order[-1], self.extents[order[-1]]
        if self.unroll == 1 or extent % self.unroll:
            out.loop(last, extent)
            self.step(out, place, self.term, self.condition)
            return
        out.loop(f"{last}_o", extent // self.unroll)
        for number in range(self.unroll):
            value = f"({last}_o * {self.unroll} + {number})"
            self.step(out, *(rename(text, last, value)
                             for text in (place, self.term, self.condition)))

    def step(self, out, place, term, condition):
        if condition:
            out.add(f"if {condition}:")
            out.depth += 1
        out.add(f"{place} = {place} + {term}")
        if condition:
            out.depth -= 1


def rename(text, name, value):
    """The text with a variable replaced."""
    word, result = "", ""
    for letter in text + " ":
        if letter.isalnum() or letter in "_.\"":
            word += letter
            continue
        result += (value if word == name else word) + letter
        word = ""
    return result[:-1]


def padded_input(out, x, dtype, channels, size, pad, layout, zero):
    """Copies the input into a buffer with a border, as TVM's schedules do."""
    full = size + 2 * pad
    out.local("pad", channels * full**2, dtype)
    c = Axis("c", channels)
    out.loop("c", channels)
    out.loop("ph", full)
    out.loop("pw", full)
    inside = f"ph >= {pad} and ph < {size + pad} and pw >= {pad} and pw < {size + pad}"
    load = f"{x}[{activation(layout, c, size, size, f'(ph - {pad})', f'(pw - {pad})')}]"
    empty = "T.float32(0)" if dtype == "float32" else f'T.Cast("{dtype}", {zero})'
    out.add(f"pad[{activation(layout, c, full, full, 'ph', 'pw')}] = "
            f"T.if_then_else({inside}, {load}, {empty})")
    out.depth -= 3


@dataclasses.dataclass
class Conv:
    """A convolution of `size` x `size` places."""
    x: str = "NHWC"
    w: str = "HWIO"
    y: str = ""
    order: str = "h w o kh kw i"
    keeps: str = "scalar"
    dtype: str = "float32"
    kernel: int = 3
    out: int = 32
    into: int = 32
    size: int = 14
    stride: int = 1
    depthwise: bool = False
    border: str = ""  # or "condition", "select", "buffer"
    split: int = 0
    split_in: int = 0
    zero: int = 0
    ends: str = "{}"
    result: str = ""
    constant: bool = True
    unroll: int = 1

    def nest(self, name):
        pad = self.kernel // 2 if self.border else 0
        full = self.size if self.border else (self.size - 1) * self.stride + self.kernel
        o, i = Axis("o", self.out, self.split), Axis("i", self.into, self.split_in)
        sums = "float32" if self.dtype == "float32" else "int32"
        out = Lines()
        source, height, shift = "x", full, pad
        if self.border == "buffer":
            padded_input(out, "x", self.dtype, self.into, full, pad, self.x, self.zero)
            source, height, shift = "pad", full + 2 * pad, 0
        row = index(("h", self.stride), ("kh", 1)) if self.kernel > 1 else index(("h", self.stride))
        column = index(("w", self.stride), ("kw", 1)) if self.kernel > 1 else index(
            ("w", self.stride))
        h, w = (f"({text} - {shift})" if shift else f"({text})" for text in (row, column))
        load = f"{source}[{activation(self.x, o if self.depthwise else i, height, height, h, w)}]"
        inside = " and ".join(f"{text} >= {pad} and {text} < {full + pad}"
                              for text in (row, column)) if shift else ""
        if self.border == "select":
            zero = "T.float32(0)" if sums == "float32" else f'T.Cast("{self.dtype}", {self.zero})'
            load, inside = f"T.if_then_else({inside}, {load}, {zero})", ""
        channel = Axis("0", 1) if self.depthwise else i
        weight = f"f[{weights(self.w, o, channel, self.kernel, 'kh', 'kw')}]".replace("(0)", "0")
        extents = {"h": self.size, "w": self.size, "kh": self.kernel, "kw": self.kernel,
                   **o.loops(), **i.loops()}
        order = self.order.split()
        step = Sum(order, extents, {"kh", "kw", *i.loops()} & set(order),
                   activation(self.y or self.x, o, self.size, self.size, "h", "w"),
                   f"{cast(self.dtype, load, self.zero)} * {cast(self.dtype, weight)}", sums,
                   self.keeps, self.ends, inside, self.unroll)
        step.write(out)
        count = self.out * self.kernel**2 * (1 if self.depthwise else self.into)
        channels = self.out if self.depthwise else self.into
        return Nest(name, [
            Buffer("x", self.dtype, channels * full**2),
            Buffer("f", "int8" if self.dtype == "uint8" else self.dtype, count,
                   "constant" if self.constant else "input"),
            Buffer("y", self.result or sums, self.out * self.size**2, "output")], out.lines)


@dataclasses.dataclass
class Matmul:
    """y[i, j] = the sum over k of a[i, k] * b[k, j]."""
    order: str = "i j k"
    a: str = "ik"  # or "ki"
    b: str = "kj"  # or "jk", "K4", "panels"
    y: str = "ij"  # or "ji", "split4": y[i, j // 4, j % 4] with other blocks outside
    keeps: str = "output"
    dtype: str = "float32"
    rows: int = 48
    columns: int = 64
    depth: int = 64
    step: int = 1
    zero: int = 0
    ends: str = "{}"
    result: str = ""
    constant: bool = False
    unroll: int = 1
    split: int = 0

    def nest(self, name):
        j = Axis("j", self.columns, self.split)
        sums = "float32" if self.dtype == "float32" else "int32"
        a = (index(("i", self.depth * self.step), ("k", self.step)) if self.a == "ik" else
             index(("k", self.rows * self.step), ("i", self.step)))
        (j16, in16), (j4, in4) = j.block(16), j.block(4)
        b = {"kj": index(("k", self.columns), (j.value(), 1)),
             "jk": index((j.value(), self.depth), ("k", 1)),
             "K4": index(("k // 4", self.columns * 4), (j.value(), 4), ("k % 4", 1)),
             "panels": index((j16, self.depth * 16), ("k", 16), (in16, 1))}[self.b]
        y = {"ij": index(("i", self.columns), (j.value(), 1)),
             "ji": index((j.value(), self.rows), ("i", 1)),
             "split4": index((j4, self.rows * 4), ("i", 4), (in4, 1))}[self.y]
        out = Lines()
        term = f"{cast(self.dtype, f'a[{a}]', self.zero)} * {cast(self.dtype, f'b[{b}]')}"
        Sum(self.order.split(), {"i": self.rows, "k": self.depth, **j.loops()}, {"k"}, y, term,
            sums, self.keeps, self.ends, "", self.unroll).write(out)
        return Nest(name, [
            Buffer("a", self.dtype, self.rows * self.depth * self.step),
            Buffer("b", self.dtype, self.columns * self.depth,
                   "constant" if self.constant else "input"),
            Buffer("y", self.result or sums, self.rows * self.columns, "output")], out.lines)

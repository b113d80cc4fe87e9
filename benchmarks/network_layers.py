"""Layers of networks in the text of TVM 0.15's `c` target, for networks.py.

A layer has the loops that TVM's x86 schedules give for a processor with 4 lanes: blocks of 4
channels, a row of pixels unrolled as statements, padding in buffers, packed weights.
"""

import contextlib
import math
import random

BYTES = {"int8": 1, "uint8": 1, "int16": 2, "int32": 4, "float32": 4}
LANES = 4
MOST_UNROLLED = 16
TARGET = ('T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], '
          '"kind": "c", "tag": ""})')


class Tensor:
    """A value between operators. Images are (blocks, height, width, lanes), or in plain NCHW."""

    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype

    @property
    def count(self):
        return math.prod(self.shape)


def zero(dtype):
    return {"float32": "T.float32(0)", "int32": "0"}.get(dtype, f"T.{dtype}(0)")


def strided(*terms):
    """The index `a * 12 + b * 4 + 3` of pairs and numbers, without factors 0 and loops that run
    once."""
    parts, constant = [], 0
    for term in terms:
        if isinstance(term, int):
            constant += term
        elif term[0] != "0" and term[1] != 0:
            parts.append(term[0] if term[1] == 1 else f"{term[0]} * {term[1]}")
    text = " + ".join(parts)
    if constant > 0 or not text:
        text += (" + " if text else "") + str(constant)
    elif constant < 0:
        text += f" - {-constant}"
    return text


def block_of(channels):
    """The lanes of a block of channels: the largest divisor that fits."""
    return max(n for n in range(1, LANES + 1) if channels % n == 0)


def unrolled(width):
    return max(n for n in range(1, MOST_UNROLLED + 1) if width % n == 0)


class Operator:
    """The text of one function; its parameters are p0, p1, ..., and the result."""

    def __init__(self, network, name, inputs, result, shape, dtype):
        self.network, self.name, self.result = network, network.unique(name), result
        self.inputs = inputs
        self.lines, self.depth, self.shape, self.dtype = [], 0, shape, dtype
        self.constants = []
        self.layer = ("part", {})
        self.views = {f"p{i}": (tensor.count, tensor.dtype, f"p{i}.data")
                      for i, tensor in enumerate(inputs)}
        self.views[result] = (math.prod(shape), dtype, f"{result}.data")

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def computes(self, layer, **attributes):
        """The layer that the text computes, for other forms of the network. Without it, the operator is
        part of a later operator's layer."""
        self.layer = (layer, attributes)

    @contextlib.contextmanager
    def loops(self, *counters):
        """Loops of (name, extent); loops that run once are not in the text."""
        counters = [(name, extent) for name, extent in counters if name != "0"]
        if len(counters) == 1:
            self.line(f"for {counters[0][0]} in range({counters[0][1]}):")
        elif counters:
            names = ", ".join(name for name, _ in counters)
            self.line(f"for {names} in T.grid({', '.join(str(e) for _, e in counters)}):")
        self.depth += bool(counters)
        yield
        self.depth -= bool(counters)

    def scratch(self, name, count, dtype):
        self.line(f'{name} = T.allocate([{count}], "{dtype}", "global")')
        self.line(f'{name}_1 = T.Buffer(({count},), "{dtype}", data={name})')

    def constant(self, values, dtype, shape):
        name = f"fused_constant_{len(self.constants)}"
        self.constants.append((name, values, dtype, shape))
        self.views[name] = (math.prod(shape), dtype, name)
        return name

    def view(self, *names):
        """The flat buffers of parameters and constants, at the first use as TVM prints them."""
        for name in names:
            count, dtype, data = self.views[name]
            self.line(f'{name}_1 = T.Buffer(({count},), "{dtype}", data={data})')

    def each(self, counters, views, value):
        """Loops over the result in its order, which store a value. `@` is the place in the result."""
        with self.loops(*counters):
            self.view(self.result, *views)
            extents = [extent for _, extent in counters]
            place = strided(*((name, math.prod(extents[i + 1:])) for i, (name, _) in enumerate(counters)))
            self.line(f"{self.result}_1[{place}] = {value.replace('@', place)}")

    def text(self):
        params = [f'p{i}: T.Buffer({shape_text(tensor.shape)}, "{tensor.dtype}")'
                  for i, tensor in enumerate(self.inputs)]
        params.append(f'{self.result}: T.Buffer({shape_text(self.shape)}, "{self.dtype}")')
        head = ["@T.prim_func", f"def {self.name}({', '.join(params)}):",
                '    T.func_attr({"from_legacy_te_schedule": T.bool(True), "target": ' + TARGET
                + ', "tir.noalias": T.bool(True)})']
        for name, values, dtype, shape in self.constants:
            head.append(f"    {name} = T.allocate_const([{', '.join(map(repr, values))}], "
                        f'"{dtype}", [{", ".join(map(str, shape))}])')
        return head + ["    " + line for line in self.lines]


def shape_text(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


class Network:
    """Operators in execution order, and the parts of the text."""

    def __init__(self, name, shape, dtype="float32"):
        self.name = name
        self.dice = random.Random(name)
        self.operators, self.calls, self.allocations, self.names = [], [], [], {}
        self.input = Tensor("x_buffer.data", shape, dtype)

    def unique(self, name):
        self.names[name] = self.names.get(name, -1) + 1
        number = self.names[name]
        return f"tvmgen_default_fused_{name}" + (f"_{number}" if number else "")

    def floats(self, count, scale):
        return [round(self.dice.uniform(-scale, scale), 7) for _ in range(count)]

    def integers(self, count, low, high):
        return [self.dice.randint(low, high) for _ in range(count)]

    @contextlib.contextmanager
    def operator(self, name, inputs, result, shape, dtype=None):
        """An operator that makes a tensor: `with ... as (op, tensor)`."""
        dtype = dtype or inputs[0].dtype
        op = Operator(self, name, inputs, result, shape, dtype)
        tensor = Tensor(f"sid_{len(self.allocations) + 1}", shape, dtype)
        self.allocations.append(tensor)
        yield op, tensor
        self.operators.append(op)
        self.calls.append((op, [*inputs, tensor]))

    def text(self, output):
        """The module; `output` is its result."""
        x, lines = self.input, []
        attrs = ('"global_symbol": "tvmgen_default___tvm_main__", '
                 '"runner_function": T.bool(True), "target": ' + TARGET)
        lines += ["@T.prim_func", "def __tvm_main__(x: T.handle, y: T.handle):",
                  "    T.func_attr({" + attrs + "})",
                  f'    x_buffer = T.match_buffer(x, {shape_text(x.shape)}, "{x.dtype}", align=16)',
                  f'    y_buffer = T.match_buffer(y, {shape_text(output.shape)}, "{output.dtype}", '
                  "align=16)"]
        for tensor in reversed(self.allocations):
            if tensor is not output:
                size = tensor.count * BYTES[tensor.dtype]
                lines.append(f'    {tensor.name} = T.allocate([{size}], "int8", '
                             '"global.workspace")')
        for op, tensors in self.calls:
            names = ["y_buffer.data" if tensor is output else tensor.name for tensor in tensors]
            lines.append(f'    T.tvm_check_return(0, -1, T.call_extern("int32", "{op.name}", '
                         f"{', '.join(names)}))")
        for op in self.operators:
            lines += ["", *op.text()]
        return ("# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
                "@I.ir_module\nclass Module:\n"
                + "\n".join("    " + line if line else "" for line in lines) + "\n")


def pad(op, x, source, amount, name="data_pad"):
    """A padded image in a buffer of the operator; its name and its height and width."""
    blocks, height, width, lanes = x.shape
    if amount == 0:
        op.view(source)
        return source, height, width
    rows, columns = height + 2 * amount, width + 2 * amount
    op.scratch(name, blocks * rows * columns * lanes, x.dtype)
    with op.loops(("i0_i1_i2_fused", blocks * rows), ("i3", columns),
                  ("i4" if lanes > 1 else "0", lanes)):
        op.view(source)
        row = "i0_i1_i2_fused" + (f" % {rows}" if blocks > 1 else "")
        block = f"i0_i1_i2_fused // {rows}" if blocks > 1 else "0"
        index = strided((block, height * width * lanes), (row, width * lanes), ("i3", lanes),
                        ("i4" if lanes > 1 else "0", 1), -amount * (width + 1) * lanes)
        store = strided(("i0_i1_i2_fused", columns * lanes), ("i3", lanes),
                        ("i4" if lanes > 1 else "0", 1))
        op.line(f"{name}_1[{store}] = T.if_then_else({amount} <= {row} and {row} < "
                f"{height + amount} and {amount} <= i3 and i3 < {width + amount}, "
                f"{source}_1[{index}], {zero(x.dtype)})")
    return name, rows, columns


def product(a, b, dtype):
    return f"{a} * {b}" if dtype == "float32" else f'T.Cast("int32", {a}) * T.Cast("int32", {b})'


class Requantise:
    """How sums of an int8 network are requantized; `residual` is another input to add."""

    def __init__(self, out_dtype="int16", zero_point=-7, residual=None):
        self.out_dtype, self.zero_point, self.residual = out_dtype, zero_point, residual


def tail(op, network, total, channels, channel, requantise, relu, residual):
    """The value that is stored for the sum `total` of one output channel."""
    if requantise is None:
        bias = op.constant(network.floats(channels, 0.3), "float32", [channels])
        op.view(bias)
        value = f"{total} + {bias}_1[{channel}]"
        if residual:
            op.view(residual[0])
            value = f"{value} + {residual[0]}_1[{residual[1]}]"
        return f"T.max({value}, T.float32(0))" if relu else value
    names = [op.constant(values, "int32", [channels]) for values in (
        network.integers(channels, -900, 900), network.integers(channels, 1 << 30, (1 << 31) - 1),
        [0] * channels, network.integers(channels, 7, 9))]
    op.view(*names)
    bias, scale, left, right = (f"{name}_1[{channel}]" for name in names)
    value = (f"T.max(T.min(T.q_multiply_shift_per_axis({total} + {bias}, {scale}, {left}, {right}, "
             f"31, T.bool(False), T.bool(True)) + {requantise.zero_point}, 127), -128)")
    if residual:
        op.view(residual[0])
        other = f'T.Cast("int32", {residual[0]}_1[{residual[1]}]) - 3'
        value = (f"T.max(T.min(T.q_multiply_shift({other}, 1660533717, 31, 0) + "
                 f"T.q_multiply_shift({value} - {requantise.zero_point}, 1247353103, 31, 0) - 5, "
                 "127), -128)")
    if requantise.out_dtype == "int16":
        return f'T.Cast("int16", {value} - {requantise.zero_point})'
    return f'T.Cast("{requantise.out_dtype}", {value})'


def weights(network, op, count, fan_in, dtype, shape):
    if dtype == "float32":
        return op.constant(network.floats(count, 1.7 / math.sqrt(fan_in)), dtype, shape)
    return op.constant(network.integers(count, -127, 127), dtype, shape)


def row_of_sums(op, name, dtype, lanes, columns, reduce, views, term, first=()):
    """Loops over a row of pixels in the buffer `name`, from the index `first` on.

    The sums of several pixels have a local block, and are consecutive statements. Each iteration of
    the loops `reduce` adds `term(outer, tile, pixel)` to a sum.
    """
    tile = unrolled(columns)
    outer = "ow_outer" if columns > tile else "0"

    def total(counter, pixel):
        return f"{name}_global_1[{strided((counter, 1), pixel * lanes)}]"

    with op.loops((outer, columns // tile)):
        op.scratch(f"{name}_global", tile * lanes, dtype)
        for pixel in range(tile):
            with op.loops(("oc_block_c_init", lanes)):
                op.line(f"{total('oc_block_c_init', pixel)} = {zero(dtype)}")
        with op.loops(*reduce):
            op.view(*views)
            for pixel in range(tile):
                with op.loops(("oc_block_c", lanes)):
                    target = total("oc_block_c", pixel)
                    op.line(f"{target} = {target} + {term(outer, tile, pixel)}")
        with op.loops(("ow_inner", tile), ("oc_block", lanes)):
            inner = (("ow_inner", lanes), ("oc_block", 1))
            store = strided(*first, (outer, tile * lanes), *inner)
            op.line(f"{name}_1[{store}] = {name}_global_1[{strided(*inner)}]")


def fused_rows(blocks, rows):
    """The loop over the rows of all blocks, and its counters of the block and the row."""
    name = "ax0_ax1_fused_ax2_fused"
    if blocks == 1:
        return name, "0", name
    if rows == 1:
        return name, name, "0"
    return name, f"{name} // {rows}", f"{name} % {rows}"


def conv2d(network, x, channels, kernel, stride=1, padding=0, relu=True, residual=None,
           requantise=None, packs=False):
    """A convolution in NCHW[x]c. `packs`: its weights are in OIHW and packed in each run."""
    blocks, height, width, lanes = x.shape
    out_lanes = block_of(channels)
    rows, columns = ((side + 2 * padding - kernel) // stride + 1 for side in (height, width))
    shape = (channels // out_lanes, rows, columns, out_lanes)
    name = "nn_contrib_conv2d_NCHWc_add" + ("_add" if residual else "")
    name += "_nn_relu" if requantise is None and relu else ""
    name += "_fixed_point_multiply_per_axis_add_clip_cast" if requantise else ""
    inputs = [x] + ([residual] if residual else [])
    with network.operator(name, inputs, "T_out", shape,
                          requantise.out_dtype if requantise else x.dtype) as (op, out):
        op.computes("conv2d", stride=stride, padding=padding, relu=relu, requantise=requantise)
        count = blocks * lanes * kernel * kernel * channels
        values = weights(network, op, count, count / channels, x.dtype,
                         [channels, blocks * lanes, kernel, kernel] if packs else
                         [shape[0], blocks, kernel, kernel, lanes, out_lanes])
        views = () if packs else (values,)
        if packs:
            op.view(values)
            values = pack_weights(op, values, x.dtype, shape[0], blocks, kernel, lanes, out_lanes)
        source, padded_rows, padded_columns = pad(op, x, "p0", padding)
        fused, block, row = fused_rows(shape[0], rows)
        reduce = [(n if e > 1 else "0", e) for n, e in (
            ("ic_outer", blocks), ("kh", kernel), ("kw", kernel), ("ic_inner", lanes))]
        ic, kh, kw, lane = (n for n, _ in reduce)

        def term(outer, tile, pixel):
            place = strided((ic, padded_rows * padded_columns * lanes),
                            (row, stride * padded_columns * lanes), (kh, padded_columns * lanes),
                            (outer, tile * stride * lanes), (kw, lanes), (lane, 1),
                            pixel * stride * lanes)
            step = lanes * out_lanes
            weight = strided((block, blocks * kernel * kernel * step),
                             (ic, kernel * kernel * step), (kh, kernel * step), (kw, step),
                             (lane, out_lanes), ("oc_block_c", 1))
            return product(f"{source}_1[{place}]", f"{values}_1[{weight}]", x.dtype)

        total_type = "int32" if requantise else "float32"
        with op.loops((fused, shape[0] * rows)):
            op.scratch("conv2d_NCHWc", columns * out_lanes, total_type)
            row_of_sums(op, "conv2d_NCHWc", total_type, out_lanes, columns, reduce, views, term)
            store_row(op, network, "conv2d_NCHWc", shape, fused, block, requantise, relu,
                      "p1" if residual else None)
    return out


def store_row(op, network, source, shape, fused, block, requantise, relu, residual):
    """The loops that convert a row of sums to values and store them."""
    columns, lanes = shape[2:]
    with op.loops(("ax3", columns), ("ax4", lanes)):
        place = strided((fused, columns * lanes), ("ax3", lanes), ("ax4", 1))
        value = tail(op, network, f"{source}_1[{strided(('ax3', lanes), ('ax4', 1))}]",
                     shape[0] * lanes, strided((block, lanes), ("ax4", 1)), requantise, relu,
                     (residual, place) if residual else None)
        op.view("T_out")
        op.line(f"T_out_1[{place}] = {value}")


def pack_weights(op, source, dtype, out_blocks, blocks, kernel, lanes, out_lanes):
    """kernel_vec: converts weights from OIHW to blocks, with the schedule's loop order."""
    fused, taps, step = "occ_k_h_fused", kernel * kernel, lanes * out_lanes
    op.scratch("kernel_vec", out_blocks * blocks * taps * step, dtype)
    with op.loops((fused, out_blocks * kernel), ("icc", blocks), ("k_w", kernel), ("icb", lanes),
                  ("ocb", out_lanes)):
        store = strided((f"{fused} // {kernel}", blocks * taps * step), ("icc", taps * step),
                        (f"{fused} % {kernel}", kernel * step), ("k_w", step),
                        ("icb", out_lanes), ("ocb", 1))
        load = strided((f"{fused} // {kernel}", out_lanes * blocks * lanes * taps),
                       ("ocb", blocks * lanes * taps), ("icc", lanes * taps), ("icb", taps),
                       (f"{fused} % {kernel}", kernel), ("k_w", 1))
        op.line(f"kernel_vec_1[{store}] = {source}_1[{load}]")
    return "kernel_vec"


def depthwise(network, x, stride=1, requantise=None):
    """A 3 x 3 depthwise convolution with one pixel of padding."""
    blocks, height, width, lanes = x.shape
    rows, columns = (height - 1) // stride + 1, (width - 1) // stride + 1
    total_type = "int32" if requantise else "float32"
    with network.operator("nn_contrib_depthwise_conv2d_NCHWc_add_nn_relu", [x], "T_out",
                          (blocks, rows, columns, lanes),
                          requantise.out_dtype if requantise else x.dtype) as (op, out):
        op.computes("depthwise", stride=stride, padding=1, relu=True, requantise=requantise)
        values = weights(network, op, 9 * blocks * lanes, 9, x.dtype, [blocks, 1, 3, 3, 1, lanes])
        source, padded_rows, padded_columns = pad(op, x, "p0", 1, "PaddedInput")
        fused, block, row = fused_rows(blocks, rows)

        def term(outer, tile, pixel):
            place = strided((block, padded_rows * padded_columns * lanes),
                            (row, stride * padded_columns * lanes), ("kh", padded_columns * lanes),
                            (outer, tile * stride * lanes), ("kw", lanes), ("oc_block_c", 1),
                            pixel * stride * lanes)
            weight = strided((block, 9 * lanes), ("kh", 3 * lanes), ("kw", lanes),
                             ("oc_block_c", 1))
            return product(f"{source}_1[{place}]", f"{values}_1[{weight}]", x.dtype)

        with op.loops((fused, blocks * rows)):
            op.scratch("DepthwiseConv2d", columns * lanes, total_type)
            row_of_sums(op, "DepthwiseConv2d", total_type, lanes, columns, [("kh", 3), ("kw", 3)],
                        (values,), term)
            store_row(op, network, "DepthwiseConv2d", out.shape, fused, block, requantise, True,
                      None)
    return out


def to_blocks(network, x, cast=False):
    """NCHW as (blocks, height, width, lanes). `cast`: int8 becomes int16 minus the zero point."""
    channels, height, width = x.shape
    lanes = block_of(channels)
    name = "cast_subtract_layout_transform" if cast else "layout_transform"
    with network.operator(name, [x], "T_layout_trans",
                          (channels // lanes, height, width, lanes),
                          "int16" if cast else x.dtype) as (op, out):
        op.computes("same")
        fused = "ax0_ax1_fused_ax2_fused"
        load = strided((f"{fused} // {height}", lanes * height * width), ("ax4", height * width),
                       (f"{fused} % {height}", width), ("ax3", 1))
        op.each(((fused, channels // lanes * height), ("ax3", width), ("ax4", lanes)), ["p0"],
                f'T.Cast("int16", p0_1[{load}]) - T.int16(-7)' if cast else f"p0_1[{load}]")
    return out


def to_nchw(network, x):
    blocks, height, width, lanes = x.shape
    with network.operator("layout_transform", [x], "T_layout_trans",
                          (blocks * lanes, height, width)) as (op, out):
        op.computes("same")
        load = strided((f"ax0_ax1_fused // {lanes}", height * width * lanes), ("ax2", width * lanes),
                       ("ax3", lanes), (f"ax0_ax1_fused % {lanes}", 1))
        op.each((("ax0_ax1_fused", blocks * lanes), ("ax2", height), ("ax3", width)), ["p0"], f"p0_1[{load}]")
    return out


def max_pool(network, x, kernel=3, stride=2, padding=1):
    """Padding is a condition, as in TVM's schedule."""
    blocks, height, width, lanes = x.shape
    rows = (height + 2 * padding - kernel) // stride + 1
    columns = (width + 2 * padding - kernel) // stride + 1
    with network.operator("nn_max_pool2d", [x], "pool_max", (blocks, rows, columns, lanes)) as (
            op, out):
        op.computes("max_pool", kernel=kernel, stride=stride, padding=padding)
        fused = "ax0_ax1_fused_ax2_fused"
        with op.loops((fused, blocks * rows), ("ax3", columns)):
            op.view("pool_max")
            place = strided((fused, columns * lanes), ("ax3", lanes))
            with op.loops(("ax4_init", lanes)):
                op.line(f"pool_max_1[{place} + ax4_init] = T.float32(-3.4028234663852886e+38)")
            with op.loops(("rv0_rv1_fused", kernel * kernel), ("ax4", lanes)):
                op.view("p0")
                row = f"{fused} % {rows} * {stride} + rv0_rv1_fused // {kernel}"
                column = f"ax3 * {stride} + rv0_rv1_fused % {kernel}"
                load = strided((f"{fused} // {rows}", height * width * lanes),
                               (f"{fused} % {rows}", stride * width * lanes),
                               (f"rv0_rv1_fused // {kernel}", width * lanes),
                               ("ax3", stride * lanes), (f"rv0_rv1_fused % {kernel}", lanes),
                               ("ax4", 1), -padding * (width + 1) * lanes)
                value = f"p0_1[{load}]"
                if padding:
                    inside = (f"{padding} <= {row} and {row} < {height + padding} and "
                              f"{padding} <= {column} and {column} < {width + padding}")
                    value = (f"T.if_then_else({inside}, {value}, "
                             "T.float32(-3.4028234663852886e+38))")
                op.line(f"pool_max_1[{place} + ax4] = T.max(pool_max_1[{place} + ax4], {value})")
    return out


def global_pool(network, x, requantise=None):
    """The mean of each channel, as a row of channels."""
    blocks, height, width, lanes = x.shape
    total_type = "float32" if requantise is None else "int32"
    out_type = x.dtype if requantise is None else requantise.out_dtype
    with network.operator("nn_global_avg_pool2d_layout_transform_reshape", [x], "T_reshape",
                          (blocks * lanes,), out_type) as (op, out):
        op.computes("global_pool", requantise=requantise)
        op.scratch("adaptive_pool_sum", blocks * lanes, total_type)
        with op.loops(("ax0_ax1_fused", blocks)):
            with op.loops(("ax4_init", lanes)):
                op.line(f"adaptive_pool_sum_1[ax0_ax1_fused * {lanes} + ax4_init] = "
                        f"{zero(total_type)}")
            with op.loops(("rv0", height), ("rv1", width), ("ax4", lanes)):
                op.view("p0")
                load = strided(("ax0_ax1_fused", height * width * lanes), ("rv0", width * lanes),
                               ("rv1", lanes), ("ax4", 1))
                total = f"adaptive_pool_sum_1[ax0_ax1_fused * {lanes} + ax4]"
                value = f"p0_1[{load}]"
                if requantise is not None:
                    value = f'T.Cast("int32", {value})'
                op.line(f"{total} = {total} + {value}")
        op.each([("ax0", blocks * lanes)], [], f"adaptive_pool_sum_1[@] * T.float32({1 / (height * width)!r})"
                if requantise is None else f'T.Cast("{out_type}", T.Div(adaptive_pool_sum_1[@], {height * width}))')
    return out


def concatenate(network, tensors, selects):
    """Concatenates images along their channels: with a conditional for each element, or one copy
    after the other."""
    lanes, (height, width) = tensors[0].shape[3], tensors[0].shape[1:3]
    blocks = [tensor.shape[0] for tensor in tensors]
    with network.operator("concatenate", tensors, "T_concat",
                          (sum(blocks), height, width, lanes)) as (op, out):
        op.computes("concatenate")
        plane = height * width * lanes
        if selects:
            with op.loops(("ax0_ax1_fused_ax2_fused", sum(blocks) * height), ("ax3", width),
                          ("ax4", lanes)):
                op.view("T_concat", *(f"p{i}" for i in range(len(tensors))))
                place = strided(("ax0_ax1_fused_ax2_fused", width * lanes), ("ax3", lanes),
                                ("ax4", 1))
                end = sum(blocks[:-1])
                value = f"p{len(tensors) - 1}_1[{place} - {end * plane}]"
                for i in range(len(tensors) - 2, -1, -1):
                    begin, end = sum(blocks[:i]), sum(blocks[:i + 1])
                    load = strided((place, 1), -begin * plane)
                    value = (f"T.if_then_else(ax0_ax1_fused_ax2_fused < {end * height}, "
                             f"p{i}_1[{load}], {value})")
                op.line(f"T_concat_1[{place}] = {value}")
        else:
            for i, count in enumerate(blocks):
                with op.loops((f"j_{i}" if i else "j", count * plane)):
                    op.view("T_concat", f"p{i}")
                    name = f"j_{i}" if i else "j"
                    op.line(f"T_concat_1[{strided((name, 1), sum(blocks[:i]) * plane)}] = "
                            f"p{i}_1[{name}]")
    return out


def dense(network, x, units, relu=False, rows=1, gelu=False, requantise=None):
    """dense_pack: blocks of output channels, whose sums are copied twice."""
    depth = x.count // rows
    block = max(n for n in range(1, 9) if units % n == 0)
    outer = units // block
    total_type = "float32" if requantise is None else "int32"
    out_type = x.dtype if requantise is None else requantise.out_dtype
    name = "nn_contrib_dense_pack_add" + ("_nn_relu" if relu else "") + ("_erf" if gelu else "")
    with network.operator(name, [x], "T_out", (units,) if rows == 1 else (rows, units),
                          out_type) as (op, out):
        op.computes("dense", rows=rows, relu=relu, gelu=gelu, requantise=requantise)
        kernel = weights(network, op, depth * units, depth, x.dtype, [outer, depth, block])
        fused = "ax1_outer_ax0_outer_fused"
        with op.loops((fused, outer * rows)):
            unit, row = (f"{fused} // {rows}", f"{fused} % {rows}") if rows > 1 else (fused, "0")
            op.scratch("compute", block, total_type)
            op.scratch("compute_global", block, total_type)
            with op.loops(("x_c_init", block)):
                op.line(f"compute_global_1[x_c_init] = {zero(total_type)}")
            with op.loops(("k_outer", depth), ("x_c", block)):
                op.view("p0", kernel)
                op.line("compute_global_1[x_c] = compute_global_1[x_c] + " + product(
                    f"p0_1[{strided((row, depth), ('k_outer', 1))}]",
                    f"{kernel}_1[{strided((unit, depth * block), ('k_outer', block), ('x_c', 1))}]",
                    x.dtype))
            with op.loops(("x_inner_inner", block)):
                op.line("compute_1[x_inner_inner] = compute_global_1[x_inner_inner]")
            if gelu:
                # The sum with the bias is used twice, so it has a buffer.
                op.scratch("T_add", block, total_type)
                bias = op.constant(network.floats(units, 0.2), "float32", [units])
                with op.loops(("ax1_inner", block)):
                    op.view(bias)
                    op.line(f"T_add_1[ax1_inner] = compute_1[ax1_inner] + "
                            f"{bias}_1[{strided((unit, block), ('ax1_inner', 1))}]")
            with op.loops(("ax1_inner_inner", block)):
                value = "compute_1[ax1_inner_inner]"
                channel = strided((unit, block), ("ax1_inner_inner", 1))
                if gelu:
                    total = "T_add_1[ax1_inner_inner]"
                    value = (f"{total} * (T.float32(0.5) + T.erf({total} * "
                             "T.float32(0.70710677)) * T.float32(0.5))")
                else:
                    value = tail(op, network, value, units, channel, requantise, relu, None)
                op.view("T_out")
                store = strided((row, units), (unit, block), ("ax1_inner_inner", 1))
                op.line(f"T_out_1[{store}] = {value}")
    return out


def softmax(network, x, rows=1):
    """Scratch of each row: its maximum, its exponentials and their sum."""
    count = x.count // rows
    with network.operator("nn_softmax", [x], "T_softmax_norm", x.shape) as (op, out):
        op.computes("softmax", rows=rows)
        row = "i0_i1_fused" if rows > 1 else "0"
        with op.loops((row, rows)):
            for name, size in (("maxelem", 1), ("exp", count), ("expsum", 1)):
                op.scratch(f"T_softmax_{name}", size, "float32")
            op.line("T_softmax_maxelem_1[0] = T.float32(-3.4028234663852886e+38)")
            op.view("p0")
            with op.loops(("k", count)):
                op.line("T_softmax_maxelem_1[0] = T.max(T_softmax_maxelem_1[0], "
                        f"p0_1[{strided((row, count), ('k', 1))}])")
            with op.loops(("i2", count)):
                op.line(f"T_softmax_exp_1[i2] = T.exp(p0_1[{strided((row, count), ('i2', 1))}] - "
                        "T_softmax_maxelem_1[0])")
            op.line("T_softmax_expsum_1[0] = T.float32(0)")
            with op.loops(("k", count)):
                op.line("T_softmax_expsum_1[0] = T_softmax_expsum_1[0] + T_softmax_exp_1[k]")
            with op.loops(("i2_1", count)):
                op.view("T_softmax_norm")
                op.line(f"T_softmax_norm_1[{strided((row, count), ('i2_1', 1))}] = "
                        "T_softmax_exp_1[i2_1] / T_softmax_expsum_1[0]")
    return out


def dilate(op, x, stride):
    """data_dilate: zeros between the pixels. Returns the height and the width."""
    channels, height, width = x.shape
    rows, columns = (height - 1) * stride + 1, (width - 1) * stride + 1
    op.scratch("data_dilate", channels * rows * columns, "float32")
    with op.loops(("i0_i1_fused", channels), ("i2", rows), ("i3", columns)):
        op.view("p0")
        store = strided(("i0_i1_fused", rows * columns), ("i2", columns), ("i3", 1))
        load = strided(("i0_i1_fused", height * width), (f"i2 // {stride}", width),
                       (f"i3 // {stride}", 1))
        op.line(f"data_dilate_1[{store}] = T.if_then_else(i2 % {stride} == 0 and "
                f"i3 % {stride} == 0, p0_1[{load}], T.float32(0))")
    return rows, columns


def pad_and_pack(op, channels, rows, columns, border):
    """data_pad and data_vec: pads in NCHW and converts to blocks of channels."""
    lanes = block_of(channels)
    high, wide = rows + 2 * border, columns + 2 * border
    op.scratch("data_pad", channels * high * wide, "float32")
    with op.loops(("i0_i1_fused", channels), ("i2", high), ("i3", wide)):
        store = strided(("i0_i1_fused", high * wide), ("i2", wide), ("i3", 1))
        load = strided(("i0_i1_fused", rows * columns), ("i2", columns), ("i3", 1),
                       -border * (columns + 1))
        op.line(f"data_pad_1[{store}] = T.if_then_else({border} <= i2 and i2 < {rows + border} and "
                f"{border} <= i3 and i3 < {columns + border}, data_dilate_1[{load}], "
                "T.float32(0))")
    op.scratch("data_vec", channels * high * wide, "float32")
    fused = "bs_c_fused_h_fused"
    with op.loops((fused, channels // lanes * high), ("w", wide), ("vc", lanes)):
        store = strided((fused, wide * lanes), ("w", lanes), ("vc", 1))
        load = strided((f"{fused} // {high}", lanes * high * wide), ("vc", high * wide),
                       (f"{fused} % {high}", wide), ("w", 1))
        op.line(f"data_vec_1[{store}] = data_pad_1[{load}]")
    return high, wide


def turn_weights(op, weight, channels, in_channels, kernel):
    """kernel_transform: converts weights from IOHW to OIHW and flips the taps."""
    taps = kernel * kernel
    op.scratch("kernel_transform", in_channels * channels * taps, "float32")
    with op.loops(("o", channels), ("i", in_channels), ("h", kernel), ("w", kernel)):
        op.view(weight)
        store = strided(("o", in_channels * taps), ("i", taps), ("h", kernel), ("w", 1))
        load = strided(("i", channels * taps), ("o", taps), taps - 1)
        op.line(f"kernel_transform_1[{store}] = {weight}_1[{load} - h * {kernel} - w]")


def transposed_conv(network, x, channels, kernel=4, stride=2, padding=1, final=False):
    """conv2d_transpose in NCHW: dilates, pads and packs the image, and transforms the weights in
    each run."""
    in_channels = x.shape[0]
    lanes, out_lanes = block_of(in_channels), block_of(channels)
    blocks, out_blocks = in_channels // lanes, channels // out_lanes
    border = kernel - 1 - padding
    rows, columns = ((n - 1) * stride + 2 + 2 * border - kernel for n in x.shape[1:])
    name = "nn_conv2d_transpose_add_" + ("tanh" if final else "nn_relu")
    with network.operator(name, [x], "T_out", (channels, rows, columns)) as (op, out):
        op.computes("transposed_conv", stride=stride, padding=padding, tanh=final)
        step, taps = lanes * out_lanes, kernel * kernel
        weight = weights(network, op, in_channels * channels * taps, in_channels * taps / stride**2,
                         "float32", [in_channels, channels, kernel, kernel])
        high, wide = pad_and_pack(op, in_channels, *dilate(op, x, stride), border)
        turn_weights(op, weight, channels, in_channels, kernel)
        pack_weights(op, "kernel_transform", "float32", out_blocks, blocks, kernel, lanes,
                     out_lanes)
        fused, block, row = fused_rows(out_blocks, rows)

        def term(outer, tile, pixel):
            place = strided(("ic_outer", high * wide * lanes), (row, wide * lanes),
                            ("kh", wide * lanes), (outer, tile * lanes), ("kw", lanes),
                            ("ic_inner", 1), pixel * lanes)
            at = strided((block, blocks * taps * step), ("ic_outer", taps * step),
                         ("kh", kernel * step), ("kw", step), ("ic_inner", out_lanes),
                         ("oc_block_c", 1))
            return f"data_vec_1[{place}] * kernel_vec_1[{at}]"

        reduce = [("ic_outer", blocks), ("kh", kernel), ("kw", kernel), ("ic_inner", lanes)]
        op.scratch("conv2d_NCHWc", channels * rows * columns, "float32")
        with op.loops((fused, out_blocks * rows)):
            row_of_sums(op, "conv2d_NCHWc", "float32", out_lanes, columns, reduce, (), term,
                        first=((fused, columns * out_lanes),))
        unpack(op, network, out.shape, out_lanes, final)
    return out


def unpack(op, network, shape, lanes, final):
    """Converts sums in blocks to values in NCHW."""
    channels, rows, columns = shape
    bias = op.constant(network.floats(channels, 0.2), "float32", [channels])
    fused = "ax0_ax1_fused_ax2_fused"
    load = strided((f"{fused} // {rows * lanes}", rows * columns * lanes),
                   (f"{fused} % {rows}", columns * lanes), ("ax3", lanes),
                   (f"{fused} % {rows * lanes} // {rows}", 1))
    value = f"conv2d_NCHWc_1[{load}] + {bias}_1[{fused} // {rows}]"
    op.each(((fused, channels * rows), ("ax3", columns)), [bias],
            f"T.tanh({value})" if final else f"T.max({value}, T.float32(0))")

"""Writes the quantised network as TVMScript.

The form is that of a model lowered for ahead-of-time execution. An entry function allocates the
tensors between operators and calls one function per operator. Operators work on flat buffers, each
with its own constants and scratch memory. The spelling is the printer's, so that printing the
parsed module gives this text again: a buffer alias comes directly before its first use, in the
innermost scope that contains all its uses.

Weights and biases are named constants in the safetensors file; the few fixed-point multipliers and
shifts are in the text.
"""

import textwrap

from training import network

HEADER = """\
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
"""
HOST = '{"keys": ["cpu"], "kind": "c", "tag": ""}'
MAIN_TARGET = f"T.target({HOST})"
TARGET = 'T.target({"host": ' + HOST + ', "keys": ["cpu"], "kind": "c", "tag": ""})'
PREFIX = "tvmgen_digits_fused_"
FILE = "digits.safetensors"
C1, C2 = network.CHANNELS, network.CHANNELS2


def named_constants(model):
    """name -> array of the constants in the side file, in file order."""
    constants = {}
    for name, layer in model.layers.items():
        constants[name + "_weight"] = layer.weight
        constants[name + "_bias"] = layer.bias
    return constants


def module_attributes(model):
    entries = [
        f'I.constant("{name}", I.file("{FILE}", "{name}"), '
        f'"{array.dtype.name}", {list(array.shape)})'
        for name, array in named_constants(model).items()
    ]
    return 'I.module_attrs({"tenon.constants": [' + ", ".join(entries) + "]})\n"


def plus(number):
    """' + 5', ' - 5' or nothing."""
    return f" {'+' if number > 0 else '-'} {abs(number)}" if number else ""


def operator(name, inputs, output, body):
    """One operator; a parameter is (name, shape, dtype)."""
    parameters = ", ".join(f'{n}: T.Buffer({s}, "{d}")' for n, s, d in [*inputs, output])
    attributes = f'T.func_attr({{"target": {TARGET}, "tir.noalias": T.bool(True)}})\n'
    body = textwrap.indent(attributes + textwrap.dedent(body), "    ")
    return f"@T.prim_func\ndef {PREFIX}{name}({parameters}):\n{body}"


def constants(name, layer):
    """The four constants of a layer, as flat allocate_const statements."""
    outputs = len(layer.bias)
    lines = [
        f'{name}_{what} = T.allocate_const({values.tolist()}, "int32", [{outputs}])\n'
        for what, values in (("shift", layer.shift), ("multiplier", layer.multiplier))
    ]
    for what, array in (("bias", layer.bias), ("weight", layer.weight)):
        full = f"{name}_{what}"
        lines.append(
            f'{full} = T.allocate_const(I.constant("{full}"), "{array.dtype.name}",'
            f" {list(array.shape)})\n"
        )
    return "".join(lines)


def clip(expression):
    return f"T.max(T.min({expression}, 127), -128)"


def scaled(name, layer, total, channel="o"):
    """The sum `total`, rescaled to the output's scale, plus the zero point, clipped: an int32."""
    product = (
        f"T.q_multiply_shift_per_axis({total}, {name}_multiplier_1[{channel}], 0,"
        f" {name}_shift_1[{channel}], 31, T.bool(False), T.bool(True))"
    )
    return clip(product + plus(layer.output_zero))


def aliases(name, outputs):
    """Flat views of the factors of a layer."""
    return "".join(
        f'{name}_{what}_1 = T.Buffer(({outputs},), "int32", data={name}_{what})\n'
        for what in ("multiplier", "shift")
    )


def pad(size, channels, zero):
    """Statements that fill `padded_1` with p0 - zero, surrounded by zeros."""
    wide = size + 2
    flat, total = size * size * channels, wide * wide * channels
    if channels == 1:
        loop, last, to, origin = "y, x in T.grid", "", f"y * {wide} + x", f"y * {size} + x"
    else:
        loop, last = "y, x, c in T.grid", f", {channels}"
        to = f"y * {wide * channels} + x * {channels} + c"
        origin = f"y * {size * channels} + x * {channels} + c"
    inside = f"1 <= y and y < {size + 1} and 1 <= x and x < {size + 1}"
    value = f'T.Cast("int16", p0_1[{origin} - {(size + 1) * channels}]) - T.int16({zero})'
    return f"""\
padded = T.allocate([{total}], "int16", "global")
padded_1 = T.Buffer(({total},), "int16", data=padded)
for {loop}({wide}, {wide}{last}):
    p0_1 = T.Buffer(({flat},), "int8", data=p0.data)
    padded_1[{to}] = T.if_then_else({inside}, {value}, T.int16(0))
"""


def start_sums(name, outputs):
    """Statements inside the loops over positions that initialize the sums with the bias."""
    return f"""\
sums = T.allocate([{outputs}], "int32", "global")
sums_1 = T.Buffer(({outputs},), "int32", data=sums)
for o in range({outputs}):
    {name}_bias_1 = T.Buffer(({outputs},), "int32", data={name}_bias)
    sums_1[o] = {name}_bias_1[o]
"""


def finish(name, layer, output, flat, index):
    """Statements that convert the sums to int8 and store them."""
    outputs = len(layer.bias)
    return (
        f"for o in range({outputs}):\n"
        f'    {output}_1 = T.Buffer(({flat},), "int8", data={output}.data)\n'
        + textwrap.indent(aliases(name, outputs), "    ")
        + f'    {output}_1[{index}] = T.Cast("int8", {scaled(name, layer, "sums_1[o]")})\n'
    )


def stencil(function, name, layer, size, channels, loop, source, tap):
    """A convolution over 3x3 neighborhoods on an image of size x size; the clip is the relu.

    `loop` runs over a neighborhood and the outputs; `source` and `tap` index the padded image and
    the weights in it.
    """
    outputs = len(layer.bias)
    row, weight = size * outputs, f"{name}_weight"
    left, right = f"padded_1[{source}]", f"{weight}_1[{tap}]"
    multiply = f"""\
for {loop}:
    {weight}_1 = T.Buffer(({layer.weight.size},), "int8", data={weight})
    sums_1[o] = sums_1[o] + T.Cast("int32", {left}) * T.Cast("int32", {right})
"""
    position = (
        start_sums(name, outputs)
        + multiply
        + finish(name, layer, "T_conv", size * row, f"y * {row} + x * {outputs} + o")
    )
    body = (
        constants(name, layer)
        + pad(size, channels, layer.input_zero)
        + f"for y, x in T.grid({size}, {size}):\n"
        + textwrap.indent(position, "    ")
    )
    shape, result = (1, size, size, channels), (1, size, size, outputs)
    return operator(function, [("p0", shape, "int8")], ("T_conv", result, "int8"), body)


def conv(function, name, layer, size):
    """Every output sums over every input channel."""
    channels, outputs = layer.weight.shape[2:]
    row, per_tap = (size + 2) * channels, channels * outputs
    taps = f"ky * {3 * per_tap} + kx * {per_tap}"
    if channels == 1:
        loop = f"ky, kx, o in T.grid(3, 3, {outputs})"
        return stencil(
            function, name, layer, size, 1, loop, f"(y + ky) * {row} + x + kx", f"{taps} + o"
        )
    loop = f"ky, kx, c, o in T.grid(3, 3, {channels}, {outputs})"
    source = f"(y + ky) * {row} + (x + kx) * {channels} + c"
    return stencil(
        function, name, layer, size, channels, loop, source, f"{taps} + c * {outputs} + o"
    )


def depthwise(name, layer):
    """Every output only sums over its own channel."""
    function, channels = "depthwise_conv2d_add_requantize_clip", C1
    loop = f"ky, kx, o in T.grid(3, 3, {channels})"
    source = f"(y + ky) * {10 * channels} + (x + kx) * {channels} + o"
    tap = f"ky * {3 * channels} + kx * {channels} + o"
    return stencil(function, name, layer, 8, channels, loop, source, tap)


def matrix(name, layer, index):
    """Statements that add the products of the input row at `index` and the weights to the sums."""
    inputs, outputs = layer.weight.shape
    flat = 64 * inputs if name == "pointwise" else inputs
    weight = f"{name}_weight"
    value = f'(T.Cast("int32", p0_1[{index}]){plus(-layer.input_zero)})'
    return f"""\
for c, o in T.grid({inputs}, {outputs}):
    p0_1 = T.Buffer(({flat},), "int8", data=p0.data)
    {weight}_1 = T.Buffer(({layer.weight.size},), "int8", data={weight})
    sums_1[o] = sums_1[o] + {value} * T.Cast("int32", {weight}_1[c * {outputs} + o])
"""


def pointwise_add(model):
    """1x1 convolution and the sum with the skip connection, each on its own scale."""
    name, layer = "pointwise", model.layers["pointwise"]
    skip_zero = model.layers["conv1"].output_zero
    index, flat = f"i * {C1} + o", 64 * C1
    skip = f'T.Cast("int32", p1_1[{index}]){plus(-skip_zero)}'
    branch = scaled(name, layer, "sums_1[o]") + plus(-layer.output_zero)
    terms = [
        f"T.q_multiply_shift({value}, {multiplier}, 31, {exponent})"
        for value, (multiplier, exponent) in (
            (skip, model.skip_factor),
            (branch, model.branch_factor),
        )
    ]
    total = clip(" + ".join(terms) + plus(model.add_zero))
    position = (
        start_sums(name, C1)
        + matrix(name, layer, f"i * {C1} + c")
        + f"for o in range({C1}):\n"
        + f'    T_add_1 = T.Buffer(({flat},), "int8", data=T_add.data)\n'
        + f'    p1_1 = T.Buffer(({flat},), "int8", data=p1.data)\n'
        + textwrap.indent(aliases(name, C1), "    ")
        + f'    T_add_1[{index}] = T.Cast("int8", {total})\n'
    )
    body = constants(name, layer) + "for i in range(64):\n" + textwrap.indent(position, "    ")
    shape = (1, 8, 8, C1)
    return operator(
        "pointwise_conv2d_add_requantize_clip_add",
        [("p0", shape, "int8"), ("p1", shape, "int8")],
        ("T_add", shape, "int8"),
        body,
    )


def dense(name, layer):
    inputs, outputs = layer.weight.shape
    body = (
        constants(name, layer)
        + start_sums(name, outputs)
        + matrix(name, layer, "c")
        + finish(name, layer, "T_dense", outputs, "o")
    )
    return operator(
        "dense_add_requantize_clip",
        [("p0", (1, inputs), "int8")],
        ("T_dense", (1, outputs), "int8"),
        body,
    )


def pool(function, size, channels, dtype, start, step, result):
    """2x2 pooling with stride 2; `step` combines the scratch with p0_1[...], `result` is the final
    value."""
    half, row = size // 2, size * channels
    source = f"p0_1[(y * 2 + ky) * {row} + (x * 2 + kx) * {channels} + c]"
    body = f"""\
for y, x in T.grid({half}, {half}):
    pool = T.allocate([{channels}], "{dtype}", "global")
    pool_1 = T.Buffer(({channels},), "{dtype}", data=pool)
    for c in range({channels}):
        pool_1[c] = {start}
    for ky, kx, c in T.grid(2, 2, {channels}):
        p0_1 = T.Buffer(({size * row},), "int8", data=p0.data)
        pool_1[c] = {step.format("pool_1[c]", source)}
    for c in range({channels}):
        T_pool_1 = T.Buffer(({half * half * channels},), "int8", data=T_pool.data)
        T_pool_1[y * {half * channels} + x * {channels} + c] = {result}
"""
    return operator(
        function,
        [("p0", (1, size, size, channels), "int8")],
        ("T_pool", (1, half, half, channels), "int8"),
        body,
    )


def main():
    """The entry: the tensors between operators as bytes, and the calls."""
    sizes = [64 * C1, 64 * C1, 64 * C1, 16 * C1, 16 * C2, 4 * C2]
    calls = [
        ("conv2d_add_requantize_clip", "image_buffer.data", "sid_1"),
        ("depthwise_conv2d_add_requantize_clip", "sid_1", "sid_2"),
        ("pointwise_conv2d_add_requantize_clip_add", "sid_2", "sid_1", "sid_3"),
        ("max_pool2d", "sid_3", "sid_4"),
        ("conv2d_add_requantize_clip_1", "sid_4", "sid_5"),
        ("avg_pool2d", "sid_5", "sid_6"),
        ("dense_add_requantize_clip", "sid_6", "logits_buffer.data"),
    ]
    attributes = (
        '"global_symbol": "tvmgen_digits___tvm_main__", "runner_function": T.bool(True),'
        f' "target": {MAIN_TARGET}'
    )
    lines = [
        "@T.prim_func",
        "def __tvm_main__(image: T.handle, logits: T.handle):",
        f"    T.func_attr({{{attributes}}})",
        '    image_buffer = T.match_buffer(image, (1, 8, 8, 1), "int8", align=16)',
        '    logits_buffer = T.match_buffer(logits, (1, 10), "int8", align=16)',
    ]
    # The first tensor is the innermost allocation.
    for number, size in reversed(list(enumerate(sizes, start=1))):
        lines.append(f'    sid_{number} = T.allocate([{size}], "int8", "global.workspace")')
    for function, *arguments in calls:
        call = f'T.call_extern("int32", "{PREFIX}{function}", {", ".join(arguments)})'
        lines.append(f"    T.tvm_check_return(0, -1, {call})")
    return "\n".join(lines) + "\n"


def module(model):
    """The whole text."""
    layers = model.layers
    operators = [
        conv("conv2d_add_requantize_clip", "conv1", layers["conv1"], 8),
        depthwise("depthwise", layers["depthwise"]),
        pointwise_add(model),
        pool("max_pool2d", 8, C1, "int8", "T.int8(-128)", "T.max({}, {})", "pool_1[c]"),
        conv("conv2d_add_requantize_clip_1", "conv2", layers["conv2"], 4),
        pool(
            "avg_pool2d", 4, C2, "int32", "0", '{} + T.Cast("int32", {})',
            'T.Cast("int8", (pool_1[c] + 2) // 4)',
        ),
        dense("dense", layers["dense"]),
    ]
    # The printer orders functions by name.
    operators.sort(key=lambda text: text.split("def ")[1].split("(")[0])
    functions = [textwrap.indent(text, "    ") for text in [main(), *operators]]
    return HEADER + "    " + module_attributes(model) + "\n".join(functions)

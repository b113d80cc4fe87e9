#!/usr/bin/env python3
"""Networks in the text of TVM 0.15's `c` target, made from their layers.

Use: benchmarks/networks.py [--size=small|large|full] [--network=NAME]... FOLDER

Writes NAME.py and NAME.npy (its input) for each network. `run.py` has the benchmarks of them.

Layers have the loops that TVM's x86 schedules give for a processor with 4 lanes: blocks of 4
channels, a row of pixels unrolled as statements, padding in buffers, packed weights. Weights are
random, but the same for each name and size. NumPy is not needed. `full` has the channels of the
published networks; the text of `resnet18` is then larger than 100 MB.
"""

import argparse
import json
import math
import pathlib
import random
import struct
import subprocess

import runner
from network_layers import (
    Network, Requantise, Tensor, concatenate, conv2d, dense, depthwise, global_pool, max_pool,
    softmax, strided, to_blocks, to_nchw, transposed_conv)

SIZES = ["small", "large", "full"]
# The growth of channels and the stride of each pair of layers.
SOME_BLOCKS = ((2, 1), (2, 2), (1, 1), (2, 2), (1, 1))

PASSES = {"off": ["--fuse=off", "--narrow=off", "--overlap=off"],
          "on": ["--fuse=on", "--narrow=on", "--overlap=on"]}


def transpose_heads(network, x, rows, heads):
    """(rows, heads * width) as (heads, rows, width)."""
    width = x.count // rows // heads
    with network.operator("reshape_transpose", [x], "T_transpose", (heads, rows, width)) as (
            op, out):
        op.computes("transpose_heads")
        load = strided((f"ax0_ax1_fused % {rows}", heads * width), (f"ax0_ax1_fused // {rows}", width), ("ax2", 1))
        op.each((("ax0_ax1_fused", heads * rows), ("ax2", width)), ["p0"], f"p0_1[{load}]")
    return out


def join_heads(network, x):
    """(heads, rows, width) as (rows, heads * width)."""
    heads, rows, width = x.shape
    with network.operator("transpose_reshape", [x], "T_reshape",
                          (rows, heads * width)) as (op, out):
        op.computes("join_heads")
        load = strided((f"ax1 // {width}", rows * width), ("ax0", width), (f"ax1 % {width}", 1))
        op.each((("ax0", rows), ("ax1", heads * width)), ["p0"], f"p0_1[{load}]")
    return out


def batch_matmul(network, a, b, scale=None, transposed=True):
    """a (heads, rows, depth) times b (heads, columns, depth), or (heads, depth, columns)."""
    heads, rows, depth = a.shape
    columns = b.shape[1] if transposed else b.shape[2]
    block = max(n for n in range(1, 9) if columns % n == 0)
    name = "nn_batch_matmul" + ("_multiply" if scale else "")
    with network.operator(name, [a, b], "T_multiply", (heads, rows, columns)) as (op, out):
        op.computes("batch_matmul", scale=scale, transposed=transposed)
        outer = columns // block
        if not transposed:
            op.scratch("p1_T", heads * columns * depth, "float32")
            with op.loops(("ax0", heads), ("ax1", columns), ("ax2", depth)):
                op.view("p1")
                store = strided(("ax0", columns * depth), ("ax1", depth), ("ax2", 1))
                load = strided(("ax0", depth * columns), ("ax2", columns), ("ax1", 1))
                op.line(f"p1_T_1[{store}] = p1_1[{load}]")
        other = "p1" if transposed else "p1_T"
        op.scratch("T_batch_matmul_NT", heads * rows * columns, "float32")
        with op.loops(("b_y_fused", heads * rows), ("x_outer", outer)):
            op.scratch("T_batch_matmul_NT_global", block, "float32")
            with op.loops(("x_c_init", block)):
                op.line("T_batch_matmul_NT_global_1[x_c_init] = T.float32(0)")
            with op.loops(("k", depth), ("x_c", block)):
                op.view(*(["p0", "p1"] if transposed else ["p0"]))
                left = strided(("b_y_fused", depth), ("k", 1))
                right = strided((f"b_y_fused // {rows}", columns * depth),
                                ("x_outer", block * depth), ("x_c", depth), ("k", 1))
                op.line("T_batch_matmul_NT_global_1[x_c] = T_batch_matmul_NT_global_1[x_c] + "
                        f"p0_1[{left}] * {other}_1[{right}]")
            with op.loops(("x_inner", block)):
                store = strided(("b_y_fused", columns), ("x_outer", block), ("x_inner", 1))
                op.line(f"T_batch_matmul_NT_1[{store}] = T_batch_matmul_NT_global_1[x_inner]")
        op.each((("ax0_ax1_fused", heads * rows), ("ax2", columns)), [],
                "T_batch_matmul_NT_1[@]" + (f" * T.float32({scale!r})" if scale else ""))
    return out


def add(network, a, b):
    with network.operator("add", [a, b], "T_add", a.shape) as (op, out):
        op.computes("add")
        op.each(list(zip(("ax0", "ax1"), a.shape)), ["p0", "p1"], "p0_1[@] + p1_1[@]")
    return out


def mean(network, x, square=False):
    """The mean of each row, or of its squares."""
    rows, columns = x.shape
    name = "power_mean" if square else "mean"
    with network.operator(name, [x], "T_divide", (rows, 1)) as (op, out):
        op.scratch("x_red", rows, "float32")
        if square:
            op.scratch("T_power", rows * columns, "float32")
            with op.loops(("ax0", rows), ("ax1", columns)):
                op.view("p0")
                place = strided(("ax0", columns), ("ax1", 1))
                op.line(f"T_power_1[{place}] = p0_1[{place}] * p0_1[{place}]")
        with op.loops(("ax0", rows)):
            op.line("x_red_1[ax0] = T.float32(0)")
            with op.loops(("k1", columns)):
                if not square:
                    op.view("p0")
                source = "T_power" if square else "p0"
                op.line("x_red_1[ax0] = x_red_1[ax0] + "
                        f"{source}_1[{strided(('ax0', columns), ('k1', 1))}]")
        op.each([("ax0", rows)], [], f"x_red_1[@] * T.float32({1 / columns!r})")
    return out


def layer_norm(network, x):
    """The four operators that TVM generates for layer normalization."""
    counters = list(zip(("ax0", "ax1"), x.shape))
    with network.operator("subtract", [x, mean(network, x)], "T_subtract", x.shape) as (op, shifted):
        op.each(counters, ["p0", "p1"], "p0_1[@] - p1_1[ax0]")
    spread = mean(network, shifted, square=True)
    with network.operator("add_sqrt_divide_multiply_add", [shifted, spread], "T_add",
                          x.shape) as (op, out):
        op.computes("layer_norm", of=x, epsilon=1e-5)
        scale, shift = (op.constant(network.floats(x.shape[1], most), "float32", [x.shape[1]]) for most in (1.2, 0.2))
        op.each(counters, ["p0", "p1", scale, shift],
                f"p0_1[@] / T.sqrt(p1_1[ax0] + T.float32(0.00001)) * {scale}_1[ax1] + {shift}_1[ax1]")
    return out


def squeezenet(size):
    """Fire modules: a 1 x 1 squeeze, and parallel 1 x 1 and 3 x 3 expansions."""
    # The channels of each squeeze, and how many times as many each expansion has.
    side, first, fires, growth, classes = {
        "small": (12, 8, (4, 4), 2, 12),
        "large": (64, 32, (16,) * 4, 2, 12),
        "full": (64, 64, (16, 16, 32, 32, 48, 48, 64, 64), 4, 1000)}[size]
    network = Network("squeezenet", (3, side, side))
    x = to_blocks(network, network.input)
    x = conv2d(network, x, first, 3, stride=2, padding=1 if size == "small" else 0)
    x = max_pool(network, x, padding=0)
    for number, width in enumerate(fires):
        squeezed = conv2d(network, x, width, 1)
        left = conv2d(network, squeezed, growth * width, 1)
        right = conv2d(network, squeezed, growth * width, 3, padding=1)
        x = concatenate(network, [left, right], selects=number % 2 == 0)
        if number in (1, 3) and number < len(fires) - 1 and size != "small":
            x = max_pool(network, x, padding=0)
    x = conv2d(network, x, classes, 1)
    x = global_pool(network, x)
    return network.text(softmax(network, x)), network


def resnet18(size):
    """Blocks of two convolutions and a sum, with weights packed in each run."""
    side, width, stages = {"small": (8, 4, 2), "large": (32, 16, 4), "full": (32, 64, 4)}[size]
    network = Network("resnet18", (3, side, side))
    x = to_blocks(network, network.input)
    x = conv2d(network, x, width, 3, padding=1, packs=True)
    for stage in range(stages):
        stride = 2 if stage else 1
        channels = width << stage
        for number in range(2):
            packs = (stage + number) % 2 == 0
            skip = x
            if number == 0 and stage:
                skip = conv2d(network, x, channels, 1, stride=2, relu=False, packs=packs)
            y = conv2d(network, x, channels, 3, stride=stride if number == 0 else 1, padding=1,
                       packs=packs)
            x = conv2d(network, y, channels, 3, padding=1, residual=skip, packs=packs)
    x = global_pool(network, x)
    x = dense(network, x, 10)
    return network.text(softmax(network, x)), network


def mobilenet(size):
    """Depthwise and pointwise convolutions of a 32 x 32 image."""
    side, width, blocks = {
        "small": (8, 4, SOME_BLOCKS), "large": (32, 16, SOME_BLOCKS),
        "full": (32, 32, ((2, 1), (2, 2), (1, 1), (2, 2), (1, 1), (2, 2), (1, 1), (1, 1), (1, 1), (1, 1),
                          (1, 1), (2, 2), (1, 1)))}[size]
    network = Network("mobilenet", (3, side, side))
    x = to_blocks(network, network.input)
    x = conv2d(network, x, width, 3, stride=2, padding=1)
    for growth, stride in blocks:
        x = depthwise(network, x, stride)
        x = conv2d(network, x, x.shape[0] * x.shape[3] * growth, 1)
    x = global_pool(network, x)
    x = dense(network, x, 10)
    return network.text(softmax(network, x)), network


def dcgan(size):
    """A generator: a dense layer, transposed convolutions, and an image of 3 channels."""
    noise, width, layers = {"small": (10, 8, 1), "large": (100, 32, 3), "full": (100, 128, 2)}[size]
    network = Network("dcgan", (noise,))
    x = dense(network, network.input, 16 * width, relu=True)
    x = Tensor(x.name, (width, 4, 4), "float32")
    network.allocations[-1].shape = x.shape
    network.operators[-1].shape = x.shape
    x = network.allocations[-1]
    for layer in range(layers):
        x = transposed_conv(network, x, width >> (layer + 1))
    return network.text(transposed_conv(network, x, 3, final=True)), network


def resnet_int8(size):
    """Int16 values minus their zero points, int32 sums, and requantization per channel."""
    side, width, stages = (8, 4, 2) if size == "small" else (32, 16, 3)
    network = Network("resnet_int8", (3, side, side), "int8")
    x = to_blocks(network, network.input, cast=True)
    x = conv2d(network, x, width, 3, padding=1, requantise=Requantise())
    for stage in range(stages):
        channels = width << stage
        stride = 2 if stage else 1
        skip = x
        if stage:
            skip = conv2d(network, x, channels, 1, stride=2, requantise=Requantise())
        y = conv2d(network, x, channels, 3, stride=stride, padding=1, requantise=Requantise())
        x = conv2d(network, y, channels, 3, padding=1, residual=skip, requantise=Requantise())
    x = global_pool(network, x, Requantise())
    return network.text(dense(network, x, 10, requantise=Requantise("int8"))), network


def mobilenet_int8(size):
    side, width = (8, 4) if size == "small" else (32, 16)
    network = Network("mobilenet_int8", (3, side, side), "int8")
    x = to_blocks(network, network.input, cast=True)
    x = conv2d(network, x, width, 3, stride=2, padding=1, requantise=Requantise())
    for growth, stride in ((2, 1), (2, 2), (1, 1)):
        x = depthwise(network, x, stride, Requantise())
        x = conv2d(network, x, x.shape[0] * x.shape[3] * growth, 1, requantise=Requantise())
    x = global_pool(network, x, Requantise())
    return network.text(dense(network, x, 10, requantise=Requantise("int8"))), network


def transformer(size):
    """One layer of an encoder; with the size `full`, of BERT-base."""
    rows, heads, width = {"small": (6, 2, 4), "large": (32, 4, 16), "full": (128, 12, 64)}[size]
    hidden = heads * width
    network = Network("transformer", (rows, hidden))
    x = network.input
    query, key, value = (transpose_heads(network, dense(network, x, hidden, rows=rows), rows, heads)
                         for _ in range(3))
    scores = batch_matmul(network, query, key, scale=1 / math.sqrt(width))
    scores = softmax(network, scores, rows=heads * rows)
    mixed = join_heads(network, batch_matmul(network, scores, value, transposed=False))
    x = layer_norm(network, add(network, x, dense(network, mixed, hidden, rows=rows)))
    y = dense(network, x, 4 * hidden, rows=rows, gelu=True)
    y = dense(network, y, hidden, rows=rows)
    return network.text(layer_norm(network, add(network, x, y))), network


def unet(size):
    """Downsampling and upsampling in NCHW, with skip connections by concatenation."""
    side, width = (8, 4) if size == "small" else (32, 8)
    network = Network("unet", (4, side, side))
    x = to_blocks(network, network.input)
    before = conv2d(network, x, width, 3, padding=1)
    x = max_pool(network, before, kernel=2, stride=2, padding=0)
    x = conv2d(network, x, 2 * width, 3, padding=1)
    x = transposed_conv(network, to_nchw(network, x), width)
    x = concatenate(network, [to_blocks(network, x), before], selects=True)
    x = conv2d(network, x, width, 3, padding=1)
    return network.text(to_nchw(network, conv2d(network, x, 4, 1, relu=False))), network


NETWORKS = {make.__name__: make for make in (
    squeezenet, resnet18, mobilenet, dcgan, resnet_int8, mobilenet_int8, transformer, unet)}


def random_input(tensor, dice):
    """A .npy file of random values of the tensor's type."""
    if tensor.dtype == "float32":
        values = struct.pack(f"<{tensor.count}f", *(dice.gauss(0, 1) for _ in range(tensor.count)))
    else:
        values = bytes(dice.randrange(256) for _ in range(tensor.count))
    return runner.npy({"float32": "<f4", "int8": "|i1"}[tensor.dtype], tensor.shape, values)


def write(name, size, folder):
    """Writes the text and the input of a network; gives their paths."""
    text, network = NETWORKS[name](size)
    module, values = folder / f"{name}.py", folder / f"{name}.npy"
    module.write_text(text)
    values.write_bytes(random_input(network.input, random.Random(name)))
    return module, values


def memory(bin_dir, module, passes):
    """The report's pools, and the bytes of the workspace pools."""
    command = [f"{bin_dir}/tenon", "report", module, "--json=-", *PASSES[passes]]
    done = subprocess.run(command, check=True, capture_output=True)
    pools = json.loads(done.stdout)["pools"]
    return pools, sum(pool["size_bytes"] for name, pool in pools.items() if "const" not in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="large")
    parser.add_argument("--network", action="append", choices=list(NETWORKS))
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for name in args.network or NETWORKS:
        write(name, args.size, args.folder)


if __name__ == "__main__":
    main()

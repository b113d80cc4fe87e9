#!/usr/bin/env python3
"""Compares quantised models of ONNX in Tenon with onnxruntime.

Use: scripts/judges/onnx_quantised.py [--tenon PROGRAM] [--engines interp,c,jit] [--graphs N] [--seed N] [--only KIND,...]
                                      [--jobs N] [--record FILE] [random | static FILE.onnx...]

`random` makes graphs of one quantised operator, as QOperator models and as QDQ groups, with random scales, zero
points and integers. A third of the graphs has scales with many ties. `static` quantises the given models of floats by
onnxruntime's quantize_static, as QDQ and QOperator models, and compares these.

onnxruntime fuses some groups into operators on integers: no element of their results may differ. Elsewhere it computes
in floats: elements may differ by 1, in at most 1 of 1,000. Prints a line for each kind, and each difference that is
not allowed; exits with 1 if there was one. --record writes some small graphs for tests/integration/onnx.

onnxruntime adds saturated products of 8 bits on x86-64 processors without VNNI: weights have 7 bits here. Needs
Python's packages onnx, onnxruntime and numpy.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from onnx_nodes import file_text, npy_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"uint8": TensorProto.UINT8, "int8": TensorProto.INT8, "int16": TensorProto.INT16, "uint16": TensorProto.UINT16,
         "int32": TensorProto.INT32, "float32": TensorProto.FLOAT}
MICROSOFT = "com.microsoft"


class Graph:
    """A graph under construction, whose inputs and scales are random."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.inputs, self.outputs, self.feeds = [], [], [], [], {}
        # Powers of two have exact products, and so ties.
        self.is_exact = self.random.random() < 1 / 3
        self.fused = True

    def pick(self, *values):
        return values[self.random.integers(len(values))]

    def constant(self, values, dtype):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values).astype(dtype), name))
        return name

    def node(self, kind, inputs, domain="", outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"n{len(self.nodes)}", domain=domain, **attributes))
        return names[0]

    def step(self, around):
        """A scale."""
        if self.is_exact:
            return float(2.0 ** round(np.log2(around) + self.random.integers(-1, 2)))
        return float(np.float32(around * np.exp(self.random.normal() / 2)))

    def zero(self, dtype):
        info = np.iinfo(dtype)
        if info.bits > 8 or self.random.random() < 0.2:
            return 0 if info.bits > 8 else int(self.pick(info.min, info.max, 0))
        return int(self.random.integers(info.min, info.max + 1))

    def scale(self, around, dtype):
        """(names of a scale and a zero point, the scale, the zero point)."""
        step, zero = self.step(around), self.zero(dtype)
        return [self.constant(step, "float32"), self.constant(zero, dtype)], step, zero

    def integers(self, shape, dtype, low=None, high=None):
        info = np.iinfo(dtype)
        low, high = info.min if low is None else low, info.max if high is None else high
        return self.random.integers(low, high + 1, shape).astype(dtype)

    def input(self, shape, dtype):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[dtype], shape))
        self.feeds[name] = self.integers(shape, dtype)
        return name

    def reals(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        self.feeds[name] = self.random.normal(size=shape).astype("f4") * np.float32(self.step(1))
        return name

    def dequantized(self, tensor, scale, **attributes):
        return self.node("DequantizeLinear", [tensor, *scale], **attributes)

    def quantized(self, tensor, scale):
        return self.node("QuantizeLinear", [tensor, *scale])

    def model(self, output, dtype):
        value = helper.make_tensor_value_info(output, TYPES[dtype], None)
        graph = helper.make_graph(self.nodes, "g", self.inputs, [value], self.constants)
        sets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=10)


def weights(graph, shape, channels, axis, dtype):
    """(name of 7-bit weights, names of their scale and zero point, list of scales)."""
    values = graph.integers(shape, dtype, -63, 63) if dtype == "int8" else graph.integers(shape, dtype, 0, 127)
    count = channels if graph.random.random() < 0.5 else 1
    steps = [graph.step(0.01) for _ in range(count)]
    zero = 0 if dtype == "int8" else int(graph.random.integers(0, 128))
    shape_of = [] if count == 1 else [count]
    scale = [graph.constant(np.reshape(steps, shape_of), "float32"), graph.constant(np.full(shape_of, zero), dtype)]
    return graph.constant(values, dtype), scale, steps


def window(graph, axes, extents):
    kernel = [int(graph.random.integers(1, min(4, extent) + 1)) for extent in extents]
    return {"kernel_shape": kernel, "strides": [int(graph.pick(1, 1, 2)) for _ in range(axes)],
            "pads": [int(graph.random.integers(0, size)) for size in kernel * 2]}


def conv(graph, is_group):
    axes = graph.pick(1, 2, 2, 2)
    groups = graph.pick(1, 1, 2, 4)
    depth, channels = groups * graph.pick(1, 2, 5), groups * graph.pick(1, 3, 8)
    extents = [int(graph.random.integers(4, 9)) for _ in range(axes)]
    x_type, w_type = graph.pick("uint8", "int8"), graph.pick("int8", "uint8")
    if x_type == "int8":
        w_type = "int8"
    settings = window(graph, axes, extents)
    shape = [channels, depth // groups, *settings["kernel_shape"]]
    xs, x_step, _ = graph.scale(0.05, x_type)
    w, ws, w_steps = weights(graph, shape, channels, 0, w_type)
    ys, _, _ = graph.scale(x_step * w_steps[0] * 40 * np.prod(shape[1:]) ** 0.5, x_type)
    x = graph.input([1, depth, *extents], x_type)
    steps = np.float32(x_step) * np.array(w_steps, "f4")
    bias = graph.integers([channels], "int32", -3000, 3000) if graph.random.random() < 0.7 else None
    settings["group"] = groups
    if not is_group:
        operands = [x, *xs, w, *ws, *ys] + ([graph.constant(bias, "int32")] if bias is not None else [])
        return graph.model(graph.node("QLinearConv", operands, **settings), x_type)
    graph.fused = x_type == "uint8"
    operands = [graph.dequantized(x, xs), graph.dequantized(w, ws, axis=0)]
    if bias is not None and graph.random.random() < 0.3:
        operands.append(graph.constant(bias * steps, "float32"))
        graph.fused = False
    elif bias is not None:
        of = [graph.constant(steps if len(steps) > 1 else steps[0], "float32"),
              graph.constant(np.zeros(len(steps) if len(steps) > 1 else []), "int32")]
        operands.append(graph.dequantized(graph.constant(bias, "int32"), of, axis=0))
    real = graph.node("Conv", operands, **settings)
    if graph.random.random() < 0.3:
        real = graph.node("Relu", [real])
        graph.fused = False
    return graph.model(graph.quantized(real, ys), x_type)


def matmul(graph, is_group):
    rows, depth, columns = (int(graph.random.integers(1, top)) for top in (6, 80, 12))
    x_type = graph.pick("uint8", "int8")
    w_type = "int8" if x_type == "int8" else graph.pick("int8", "uint8")
    xs, x_step, _ = graph.scale(0.05, x_type)
    x = graph.input([rows, depth], x_type)
    w, ws, w_steps = weights(graph, [depth, columns], columns, 1, w_type)
    ys, _, _ = graph.scale(x_step * w_steps[0] * 40 * depth ** 0.5, x_type)
    if not is_group:
        return graph.model(graph.node("QLinearMatMul", [x, *xs, w, *ws, *ys]), x_type)
    graph.fused = x_type == "uint8" and len(w_steps) == 1
    real = graph.node("MatMul", [graph.dequantized(x, xs), graph.dequantized(w, ws, axis=1)])
    return graph.model(graph.quantized(real, ys), x_type)


def gemm(graph, is_group):
    rows, depth, columns = (int(graph.random.integers(1, top)) for top in (6, 80, 12))
    x_type = graph.pick("uint8", "int8")
    transposed = int(graph.random.integers(2))
    xs, x_step, _ = graph.scale(0.05, x_type)
    x = graph.input([rows, depth], x_type)
    shape = [columns, depth] if transposed else [depth, columns]
    w, ws, w_steps = weights(graph, shape, columns, 1 - transposed, "int8")
    ys, _, _ = graph.scale(x_step * w_steps[0] * 40 * depth ** 0.5, x_type)
    steps = np.float32(x_step) * np.array(w_steps, "f4")
    bias = graph.constant(graph.integers([columns], "int32", -3000, 3000), "int32")
    if not is_group:
        return graph.model(graph.node("QGemm", [x, *xs, w, *ws, bias, *ys], MICROSOFT, transB=transposed), x_type)
    of = [graph.constant(steps if len(steps) > 1 else steps[0], "float32"),
          graph.constant(np.zeros(len(steps) if len(steps) > 1 else []), "int32")]
    real = graph.node("Gemm", [graph.dequantized(x, xs), graph.dequantized(w, ws, axis=1 - transposed),
                               graph.dequantized(bias, of, axis=0)], transB=transposed)
    return graph.model(graph.quantized(real, ys), x_type)


def pair(kind):
    def make(graph, is_group):
        dtype = graph.pick("uint8", "int8")
        a_shape, b_shape = graph.pick(([1, 3, 40, 20], [1, 3, 40, 20]), ([2, 7, 9], [1, 7, 1]), ([5, 30], [1]),
                                      ([1], [5, 30]), ([4, 1], [1, 50]))
        a, b = graph.input(a_shape, dtype), graph.input(b_shape, dtype)
        as_, a_step, _ = graph.scale(0.03, dtype)
        bs, b_step, _ = graph.scale(0.03, dtype)
        around = a_step * b_step * 128 if kind == "Mul" else 1.5 * max(a_step, b_step)
        ys, _, _ = graph.scale(around, dtype)
        if not is_group and kind != "Sub":
            return graph.model(graph.node(f"QLinear{kind}", [a, *as_, b, *bs, *ys], MICROSOFT), dtype)
        graph.fused = kind != "Sub"
        real = graph.node(kind, [graph.dequantized(a, as_), graph.dequantized(b, bs)])
        return graph.model(graph.quantized(real, ys), dtype)
    return make


def average_pool(graph, is_group):
    dtype = graph.pick("uint8", "int8")
    extents = [int(graph.random.integers(4, 12)) for _ in range(2)]
    x = graph.input([1, 3, *extents], dtype)
    xs, x_step, _ = graph.scale(0.03, dtype)
    ys, _, _ = graph.scale(x_step * 0.6, dtype)
    settings = window(graph, 2, extents)
    settings["count_include_pad"] = int(graph.random.integers(2))
    if not is_group:
        return graph.model(graph.node("QLinearAveragePool", [x, *xs, *ys], MICROSOFT, **settings), dtype)
    real = graph.node("AveragePool", [graph.dequantized(x, xs)], **settings)
    return graph.model(graph.quantized(real, ys), dtype)


def tied_pool(graph, is_group):
    """Means of a power of two of elements with equal scales, of which many are ties; the window may be the image."""
    dtype = graph.pick("uint8", "int8")
    x = graph.input([1, 40, 8, 8], dtype)
    scale = [graph.constant(np.exp(graph.random.normal() - 4), "float32"), graph.constant(graph.zero(dtype), dtype)]
    settings = graph.pick({"kernel_shape": [8, 8]}, {"kernel_shape": [4, 2], "strides": [2, 2]})
    if not is_group:
        return graph.model(graph.node("QLinearAveragePool", [x, *scale, *scale], MICROSOFT, **settings), dtype)
    real = graph.node("AveragePool", [graph.dequantized(x, scale)], **settings)
    return graph.model(graph.quantized(real, scale), dtype)


def paired_pool(graph, is_group):
    """A pool of int8, as exporters write it: QuantizeLinear and DequantizeLinear on both sides, or on one."""
    is_from_pair, is_to_pair = (True, True) if is_group else graph.pick((True, False), (False, True))
    scale = [graph.constant(np.exp(graph.random.normal() - 4), "float32"), graph.constant(graph.zero("int8"), "int8")]
    shape = [1, 20, 8, 8]
    x = graph.quantized(graph.reals(shape), scale) if is_from_pair else graph.input(shape, "int8")
    real = graph.node("AveragePool", [graph.dequantized(x, scale)], kernel_shape=[2, 2], strides=graph.pick([1, 1], [2, 2]))
    y = graph.quantized(real, scale)
    return graph.model(graph.dequantized(y, scale) if is_to_pair else y, "float32" if is_to_pair else "int8")


def global_pool(graph, is_group):
    dtype = graph.pick("uint8", "int8")
    x = graph.input([1, 40, *(int(graph.random.integers(1, 12)) for _ in range(2))], dtype)
    xs, x_step, _ = graph.scale(0.03, dtype)
    ys, _, _ = graph.scale(x_step * 0.4, dtype)
    if not is_group:
        return graph.model(graph.node("QLinearGlobalAveragePool", [x, *xs, *ys], MICROSOFT, channels_last=0), dtype)
    return graph.model(graph.quantized(graph.node("GlobalAveragePool", [graph.dequantized(x, xs)]), ys), dtype)


def reduce_mean(graph, _):
    dtype = graph.pick("uint8", "int8", "int16")
    x = graph.input([2, 20, *(int(graph.random.integers(1, 12)) for _ in range(2))], dtype)
    xs, x_step, _ = graph.scale(0.03, dtype)
    ys, _, _ = graph.scale(x_step * 0.4, dtype)
    graph.fused = False
    real = graph.node("ReduceMean", [graph.dequantized(x, xs), graph.constant([2, 3], "int64")], keepdims=0)
    return graph.model(graph.quantized(real, ys), dtype)


def unary(kind, domain_kind=None, low=-6.0, high=6.0, **attributes):
    def make(graph, is_group):
        dtype = graph.pick("uint8", "int8")
        x = graph.input([3, 256], dtype)
        xs, _, _ = graph.scale((high - low) / 255, dtype)
        ys, _, _ = graph.scale(1 / 128 if kind in ("Sigmoid", "Tanh") else 0.03, dtype)
        if domain_kind and not is_group:
            return graph.model(graph.node(domain_kind, [x, *xs, *ys], MICROSOFT, **attributes), dtype)
        graph.fused = domain_kind is not None
        return graph.model(graph.quantized(graph.node(kind, [graph.dequantized(x, xs)], **attributes), ys), dtype)
    return make


def softmax(graph, is_group):
    dtype = graph.pick("uint8", "int8")
    x = graph.input([20, int(graph.random.integers(2, 40))], dtype)
    xs, _, _ = graph.scale(0.03, dtype)
    # onnxruntime lets results of int8 wrap around, so the greatest one must fit.
    zero = 0 if dtype == "uint8" else -128
    ys = [graph.constant(graph.pick(1 / 256, 1 / 255, 0.005) if dtype == "uint8" else graph.pick(1 / 255, 0.005),
                         "float32"), graph.constant(zero, dtype)]
    if not is_group:
        return graph.model(graph.node("QLinearSoftmax", [x, *xs, *ys], MICROSOFT, axis=-1, opset=13), dtype)
    return graph.model(graph.quantized(graph.node("Softmax", [graph.dequantized(x, xs)], axis=-1), ys), dtype)


def concat(graph, is_group):
    dtype = graph.pick("uint8", "int8")
    ys, _, _ = graph.scale(0.03, dtype)
    parts = []
    for count in (3, 1, 4):
        xs, _, _ = graph.scale(0.03, dtype)
        parts.append((graph.input([2, count, 30], dtype), ys if graph.random.random() < 0.2 else xs))
    if not is_group:
        operands = [*ys, *(name for x, xs in parts for name in (x, *xs))]
        return graph.model(graph.node("QLinearConcat", operands, MICROSOFT, axis=1), dtype)
    real = graph.node("Concat", [graph.dequantized(x, xs) for x, xs in parts], axis=1)
    return graph.model(graph.quantized(real, ys), dtype)


def movement(graph, _):
    dtype = graph.pick("uint8", "int8")
    x = graph.input([1, 4, 8, 6], dtype)
    xs, _, _ = graph.scale(0.03, dtype)
    same = graph.random.random() < 0.7
    ys = xs if same else graph.scale(0.03, dtype)[0]
    real = graph.dequantized(x, xs)
    kind = graph.pick("MaxPool", "Transpose", "Reshape", "Slice", "Relu")
    if kind == "MaxPool":
        real = graph.node(kind, [real], kernel_shape=[2, 2], strides=[2, 2], pads=[1, 0, 0, 1])
    elif kind == "Transpose":
        real = graph.node(kind, [real], perm=[0, 2, 3, 1])
    elif kind == "Reshape":
        real = graph.node(kind, [real, graph.constant([4, -1], "int64")])
    elif kind == "Slice":
        real = graph.node(kind, [real] + [graph.constant([value], "int64") for value in (1, 6, 2)])
    else:
        real = graph.node(kind, [real])
    graph.fused = False
    return graph.model(graph.quantized(real, ys), dtype)


def conv_transpose(graph, _):
    dtype = graph.pick("uint8", "int8")
    depth, channels = graph.pick(1, 3, 6), graph.pick(1, 2, 5)
    kernel = [graph.pick(1, 2, 3), graph.pick(2, 3)]
    x = graph.input([1, depth, 5, 6], dtype)
    xs, x_step, _ = graph.scale(0.05, dtype)
    w, ws, w_steps = weights(graph, [depth, channels, *kernel], channels, 1, "int8")
    ys, _, _ = graph.scale(x_step * w_steps[0] * 40 * (depth * 2) ** 0.5, dtype)
    graph.fused = False
    real = graph.node("ConvTranspose", [graph.dequantized(x, xs), graph.dequantized(w, ws, axis=1)],
                      kernel_shape=kernel, strides=[graph.pick(1, 2), graph.pick(1, 2)])
    return graph.model(graph.quantized(real, ys), dtype)


def choice(graph, _):
    """Elements of several tensors with scales of their own, or of a constant."""
    dtype = graph.pick("uint8", "int8")
    a, b = graph.input([2, 5, 8], dtype), graph.input([2, 5, 8], dtype)
    reals = [graph.dequantized(x, graph.scale(0.03, dtype)[0]) for x in (a, b)]
    ys, _, _ = graph.scale(0.03, dtype)
    if graph.random.random() < 0.3:
        reals[1] = graph.constant(graph.random.normal(size=[5, 8]), "float32")
    kind = graph.pick("Max", "Min", "Where")
    if kind == "Where":
        reals.insert(0, graph.constant(graph.random.random([2, 5, 8]) < 0.5, "bool"))
    graph.fused = False
    real = graph.node(kind, reals)
    if graph.random.random() < 0.5:
        real = graph.node("Transpose", [real], perm=[2, 0, 1])
    return graph.model(graph.quantized(real, ys), dtype)


def conversion(graph, is_group):
    """QuantizeLinear, and DequantizeLinear after it, with a scale for the tensor or for each index of an axis."""
    dtype = graph.pick("uint8", "int8", "int16", "uint16")
    count = graph.pick(1, 6)
    steps = [graph.step(0.02) for _ in range(count)]
    info = np.iinfo(dtype)
    zeros = graph.random.integers(info.min, info.max + 1, count)
    shape = [] if count == 1 else [count]
    scale = [graph.constant(np.reshape(steps, shape), "float32"), graph.constant(np.reshape(zeros, shape), dtype)]
    integers = graph.node("QuantizeLinear", [graph.reals([3, 6, 50]), *scale], axis=1)
    if not is_group:
        return graph.model(integers, dtype)
    return graph.model(graph.node("DequantizeLinear", [integers, *scale], axis=1), "float32")


def integer_product(graph, _):
    x_type = graph.pick("uint8", "int8")
    if graph.random.random() < 0.5:
        x, w = graph.input([4, 30], x_type), graph.constant(graph.integers([30, 7], "int8", -63, 63), "int8")
        kind, settings = "MatMulInteger", {}
    else:
        x, w = graph.input([1, 4, 9, 9], "uint8"), graph.constant(graph.integers([6, 4, 3, 3], "uint8"), "uint8")
        kind, settings, x_type = "ConvInteger", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, "uint8"
    return graph.model(graph.node(kind, [x, w, graph.constant(graph.zero(x_type), x_type)], **settings), "int32")


def dynamic(graph, is_group):
    w = graph.constant(graph.integers([30, 7], "int8", -63, 63), "int8")
    scale = graph.constant([graph.step(0.01)], "float32")
    if is_group:
        a_scale, a_zero = graph.scale(0.05, "uint8")[0]
        operands = [graph.input([5, 30], "uint8"), w, a_scale, scale, a_zero, graph.constant([0], "int8")]
    else:
        operands = [graph.reals([5, 30]), w, scale, graph.constant([0], "int8")]
    if graph.random.random() < 0.5:
        operands.append(graph.constant(graph.random.normal(size=7), "float32"))
    kind = "MatMulIntegerToFloat" if is_group else "DynamicQuantizeMatMul"
    return graph.model(graph.node(kind, operands, MICROSOFT), "float32")


def dynamic_lstm(graph, _):
    steps, batch, inputs, size = (int(graph.random.integers(1, top)) for top in (6, 3, 12, 9))
    directions = int(graph.random.integers(1, 3))
    weights = [graph.constant(graph.integers([directions, rows, 4 * size], "int8", -63, 63), "int8")
               for rows in (inputs, size)]
    bias = graph.constant(graph.random.normal(size=[directions, 8 * size]), "float32")
    of = [(graph.constant([graph.step(0.01)] * directions, "float32"), graph.constant([0] * directions, "int8"))
          for _ in range(2)]
    operands = [graph.reals([steps, batch, inputs]), *weights, bias, "", "", "", "", *of[0], *of[1]]
    settings = {"hidden_size": size, "direction": "bidirectional" if directions == 2 else graph.pick("forward", "reverse")}
    return graph.model(graph.node("DynamicQuantizeLSTM", operands, MICROSOFT, 3, **settings), "float32")


KINDS = {"conv": conv, "matmul": matmul, "gemm": gemm, "add": pair("Add"), "mul": pair("Mul"), "sub": pair("Sub"),
         "average_pool": average_pool, "global_pool": global_pool, "reduce_mean": reduce_mean, "softmax": softmax,
         "concat": concat, "conv_transpose": conv_transpose, "choice": choice, "conversion": conversion, "movement": movement, "integer_product": integer_product, "dynamic": dynamic, "dynamic_lstm": dynamic_lstm,
         "sigmoid": unary("Sigmoid", "QLinearSigmoid"), "leaky_relu": unary("LeakyRelu", "QLinearLeakyRelu", alpha=0.1),
         "tanh": unary("Tanh"), "hard_swish": unary("HardSwish"), "elu": unary("Elu"), "clip": unary("Relu"),
         "tied_pool": tied_pool, "paired_pool": paired_pool}


def random_graph(kind, seed):
    """(model, feeds, whether onnxruntime fuses it, what the kind is called)."""
    graph = Graph([seed, sorted(KINDS).index(kind)])
    is_group = bool(seed % 2)
    model = KINDS[kind](graph, is_group)
    return model, graph.feeds, graph.fused, f"{kind}, {'QDQ' if is_group else 'QOperator'}" + (
        "" if graph.fused else ", not fused")


def run_onnxruntime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run_tenon(tenon, engine, model, feeds, count, folder):
    """The outputs, or the message of an error."""
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    command = [tenon, "run", str(path), f"--engine={engine}", "-q"]
    for i, array in enumerate(feeds.values()):
        np.save(folder / f"in{i}.npy", array)
        command.append(f"--input={folder / f'in{i}.npy'}")
    command += [f"--output={folder / f'out{i}.npy'}" for i in range(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return [np.load(folder / f"out{i}.npy") for i in range(count)], done.stderr


def difference(found, wanted):
    """(elements that differ, the largest difference). Floats are equal within a tolerance."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return wanted.size, float("inf")
    if wanted.dtype.kind == "f":
        close = np.isclose(found, wanted, 1e-4, 1e-5)
        return int((~close).sum()), 0.0 if close.all() else float(np.abs(found - wanted).max())
    apart = np.abs(found.astype("i8") - wanted.astype("i8"))
    return int((apart != 0).sum()), float(apart.max(initial=0))


class Totals:
    """Elements, and those that differ, for each kind."""

    def __init__(self):
        self.elements, self.different = collections.Counter(), collections.Counter()
        self.graphs, self.in_floats = collections.Counter(), collections.Counter()
        self.failed = 0

    def add(self, kind, name, fused, engine, result, wanted):
        found, message = result
        self.graphs[kind] += 1
        if found is None:
            self.failed += 1
            print(f"error: {name}, {engine}: {message}", flush=True)
            return
        self.in_floats[kind] += "compute in floats" in message
        for one, other in zip(found, wanted):
            count, most = difference(one, other)
            self.elements[kind] += other.size
            self.different[kind] += count
            if most > 1 or (fused and count):
                self.failed += 1
                print(f"wrong: {name}, {engine}: {count} of {other.size} elements differ, by {most}", flush=True)

    def report(self):
        for kind in sorted(self.graphs):
            print(f"{kind:36} {self.graphs[kind]:5} graphs {self.elements[kind]:9} elements "
                  f"{self.different[kind]:6} differ {self.in_floats[kind]:4} with floats")
            if self.different[kind] > 1e-3 * self.elements[kind]:
                self.failed += 1
                print(f"wrong: {kind}: more than 1 of 1,000 elements differ")
        return 1 if self.failed else 0


def check_random(options, totals):
    kinds = [kind for kind in sorted(KINDS) if not options.only or kind in options.only.split(",")]
    recorded = {}

    def judge(number):
        kind = kinds[number % len(kinds)]
        name = f"{kind} {options.seed + number // len(kinds)}"
        model, feeds, fused, label = random_graph(kind, options.seed + number // len(kinds))
        wanted = run_onnxruntime(model, feeds)
        with tempfile.TemporaryDirectory() as folder:
            return label, name, fused, model, feeds, wanted, [
                (engine, run_tenon(options.tenon, engine, model, feeds, len(wanted), pathlib.Path(folder)))
                for engine in options.engines.split(",")]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for label, name, fused, model, feeds, wanted, results in pool.map(judge, range(options.graphs)):
            failed = totals.failed
            for engine, result in results:
                totals.add(label, name, fused, engine, result, wanted)
            is_equal = all(found and not any(difference(one, other)[0] for one, other in zip(found, wanted))
                           for _, (found, _) in results)
            if is_equal and totals.failed == failed and label not in recorded:
                recorded[label] = {"model": file_text(model.SerializeToString(deterministic=True)), "constants": {},
                                   "inputs": [npy_text(array) for array in feeds.values()],
                                   "outputs": [npy_text(array) for array in wanted]}
    if options.record:
        options.record.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n", encoding="utf-8")


def quantize(path, folder, form, x_type, per_channel, feeds):
    """A model of floats, quantised by onnxruntime."""
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            self.rest = iter(feeds)

        def get_next(self):
            return next(self.rest, None)

    out = folder / "quantised.onnx"
    quantization.quantize_static(
        str(path), str(out), Reader(), quant_format=getattr(quantization.QuantFormat, form), per_channel=per_channel,
        reduce_range=True, activation_type=getattr(quantization.QuantType, x_type),
        weight_type=quantization.QuantType.QInt8)
    return onnx.load(out)


def check_static(options, totals):
    for text in options.files:
        path = pathlib.Path(text)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        generator = np.random.default_rng(options.seed)
        feeds = [{value.name: generator.normal(size=value.shape).astype("f4") for value in session.get_inputs()}
                 for _ in range(10)]
        for form, x_type, per_channel in (("QDQ", "QUInt8", True), ("QDQ", "QInt8", True), ("QOperator", "QUInt8", False)):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                model = quantize(path, folder, form, x_type, per_channel, feeds)
                for engine in options.engines.split(","):
                    found, message = run_tenon(options.tenon, engine, model, feeds[0], 1, folder)
                    if found is None:
                        totals.failed += 1
                        print(f"error: {path.name} {form} {x_type}, {engine}: {message}")
                        continue
                    apart = np.abs(found[0] - run_onnxruntime(model, feeds[0])[0])
                    print(f"{path.name} {form} {x_type}, {engine}: {int((apart > 0).sum())} of {apart.size} differ, by "
                          f"{apart.max():.3g}" + (" (with floats)" if "compute in floats" in message else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", default=str(ROOT / "build/check/bin/tenon"))
    parser.add_argument("--engines", default="interp")
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("what", choices=["random", "static"], nargs="?", default="random")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    totals = Totals()
    {"random": check_random, "static": check_static}[options.what](options, totals)
    return totals.report()


if __name__ == "__main__":
    sys.exit(main())

"""Writes the quantised network as an ONNX file, in QDQ form: between DequantizeLinear and QuantizeLinear,
operators of floats stand for operators of int8.

The file has the weights, biases and scales of the text. Its tensors have channels before places, as
PyTorch exports them. onnxruntime rounds in another way than the text, and stores the branch in int8
before it is added, so logits may differ.
"""

import pathlib
import sys

import numpy as np

WRITER = pathlib.Path(__file__).resolve().parents[3] / "tests" / "integration" / "onnx"
sys.path.insert(0, str(WRITER))
from onnx_writer import FLOAT, INT8, INT32, graph, model, node, tensor, value  # noqa: E402

# Each of the eight pixel rows and columns has a neighbour on all sides.
SAME = [1, 1, 1, 1]


class Network:
    """The file while it is written."""

    def __init__(self, quantised):
        self.quantised, self.nodes, self.constants = quantised, [], []

    def constant(self, name, kind, values):
        self.constants.append(tensor(name, kind, list(values.shape), raw=values.tobytes()))
        return name

    def node(self, kind, inputs, name, **attributes):
        self.nodes.append(node(kind, inputs, [name], name=f"{name}_{kind}", **attributes))
        return name

    def scale(self, name):
        """The names of the scale and the zero point of an activation."""
        scale, zero = self.quantised.scales[name]
        return [self.constant(name + "_scale", FLOAT, np.float32(scale)),
                self.constant(name + "_zero_point", INT8, np.int8(zero))]

    def stored(self, x, name):
        """The activation `name` in int8, and in floats again."""
        scale = self.scale(name)
        quantised = self.node("QuantizeLinear", [x, *scale], name + "_quantised")
        return self.node("DequantizeLinear", [quantised, *scale], name)

    def parameters(self, name, weight, source):
        """Weights [out, in, h, w] or [out, in], and the bias."""
        layer = self.quantised.layers[name]
        scale = layer.weight_scale.astype(np.float32)
        made = []
        for part, kind, values, scales in (
                ("weight", INT8, weight, scale),
                ("bias", INT32, layer.bias, np.float32(self.quantised.scales[source][0]) * scale)):
            stored = self.constant(f"{name}_{part}_quantised", kind, np.ascontiguousarray(values))
            steps = self.constant(f"{name}_{part}_scale", FLOAT, scales.astype(np.float32))
            zeros = self.constant(f"{name}_{part}_zero_point", kind, np.zeros(scales.shape, values.dtype))
            made.append(self.node("DequantizeLinear", [stored, steps, zeros], f"{name}_{part}", axis=0))
        return made

    def convolution(self, name, x, source, relu=True):
        """Weights of the text are [h, w, in, out]; those of the depthwise one are [h, w, channel, 1]."""
        weight = self.quantised.layers[name].weight
        is_depthwise = name == "depthwise"
        weight = weight.reshape((1, 1, *weight.shape)[-4:])
        weight = weight.transpose(2, 3, 0, 1) if is_depthwise else weight.transpose(3, 2, 0, 1)
        pads = {"pads": SAME} if weight.shape[2] == 3 else {}
        y = self.node("Conv", [x, *self.parameters(name, weight, source)], name + "_sum", **pads,
                      **({"group": weight.shape[0]} if is_depthwise else {}))
        return self.stored(self.node("Relu", [y], name + "_relu") if relu else y, name)

    def write(self):
        image = self.stored("pixels", "image")
        first = self.convolution("conv1", image, "image")
        branch = self.convolution("depthwise", first, "conv1")
        branch = self.convolution("pointwise", branch, "depthwise", relu=False)
        x = self.node("Relu", [self.node("Add", [branch, first], "add_sum")], "add_relu")
        x = self.node("MaxPool", [self.stored(x, "add")], "max_pool_result", kernel_shape=[2, 2], strides=[2, 2])
        x = self.convolution("conv2", self.stored(x, "max_pool"), "max_pool")
        x = self.node("AveragePool", [x], "avg_pool_result", kernel_shape=[2, 2], strides=[2, 2])
        # The text has the channels of a place side by side.
        x = self.node("Transpose", [self.stored(x, "avg_pool")], "places", perm=[0, 2, 3, 1])
        x = self.node("Flatten", [x], "flat")
        weight = self.quantised.layers["dense"].weight.T
        x = self.node("Gemm", [x, *self.parameters("dense", weight, "avg_pool")], "dense", transB=1)
        self.node("DequantizeLinear", [self.node("QuantizeLinear", [x, *self.scale("logits")], "logits_quantised"),
                                       "logits_scale", "logits_zero_point"], "logits")
        return model(graph(self.nodes, [value("pixels", FLOAT, [1, 1, 8, 8])],
                           [value("logits", FLOAT, [1, 10])], self.constants, name="digits"))


def write(path, quantised):
    path.write_bytes(Network(quantised).write())

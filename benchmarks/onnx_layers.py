"""The networks of networks.py and bert_module.py as ONNX models with the same weights."""

import math

import networks
import numpy as np
import onnx_graph

# The zero point of all values of int8, and the scales and zero points that Requantise gives residual
# sums (see tail() in network_layers.py).
ZERO_POINT = -7
RESIDUAL = {"sum": (1247353103 / 2**31, ZERO_POINT), "other": (1660533717 / 2**31, -4),
            "result": (1.0, -5)}
DTYPES = {"float32": "FLOAT", "int8": "INT8"}


class NetworkLayers(onnx_graph.Graph):
    """The layers of a Network as ONNX nodes. Images are in NCHW, with N = 1."""

    def __init__(self, network):
        super().__init__()
        self.values = {network.input: "x"}
        for op, (*inputs, out) in network.calls:
            layer, attributes = op.layer
            if layer != "part":
                arrays = [np.array(values, dtype).reshape(shape)
                          for _, values, dtype, shape in op.constants]
                names = [self.values.get(tensor) for tensor in inputs]  # None for a part
                self.values[out] = getattr(self, layer)(names, out, arrays, **attributes)

    # Tensors of int8 networks are quantized; each layer starts with real values and ends with int8.
    def real(self, name, scale=1.0, zero_point=ZERO_POINT):
        return self.op("DequantizeLinear", name, self.value(np.float32(scale)),
                       self.value(np.int8(zero_point)))

    def quantized(self, name, scale=1.0, zero_point=ZERO_POINT):
        return self.op("QuantizeLinear", name, self.value(np.float32(scale)),
                       self.value(np.int8(zero_point)))

    def contraction(self, kind, inputs, kernel, constants, requantise, relu=False, **attributes):
        """A convolution or a Gemm, its bias, residual sum and activation; the output channels are the
        first axis of `kernel`."""
        if requantise is None:
            (bias,) = constants
            y = self.op(kind, inputs[0], self.value(kernel), self.value(bias), **attributes)
            y = self.op("Add", y, inputs[1]) if len(inputs) > 1 else y
            return self.op("Relu", y) if relu else y
        bias, scale, _, shift = constants
        scales = self.value((scale / 2.0**(31 + shift)).astype(np.float32))
        zeros = np.zeros(len(bias), np.int32)
        kernel, bias = (
            self.op("DequantizeLinear", self.value(values), scales,
                    self.value(zeros.astype(values.dtype)), axis=0)
            for values in (kernel.astype(np.int8), bias))
        y = self.quantized(self.op(kind, self.real(inputs[0]), kernel, bias, **attributes))
        if len(inputs) > 1:
            total = self.op("Add", self.real(y, *RESIDUAL["sum"]),
                            self.real(inputs[1], *RESIDUAL["other"]))
            y = self.quantized(total, *RESIDUAL["result"])
        return y

    def conv2d(self, inputs, out, constants, stride, padding, relu, requantise):
        kernel = constants[0]
        if kernel.ndim == 6:  # blocks of output and input channels, rows, columns, their lanes
            kernel = kernel.transpose(0, 5, 1, 4, 2, 3).reshape(
                out.shape[0] * out.shape[3], -1, *kernel.shape[2:4])
        return self.contraction("Conv", inputs, kernel, constants[1:], requantise, relu,
                                strides=[stride] * 2, pads=[padding] * 4)

    def depthwise(self, inputs, out, constants, stride, padding, relu, requantise):
        channels = out.shape[0] * out.shape[3]
        kernel = constants[0].transpose(0, 5, 1, 4, 2, 3).reshape(channels, 1, 3, 3)
        return self.contraction("Conv", inputs, kernel, constants[1:], requantise, relu,
                                strides=[stride] * 2, pads=[padding] * 4, group=channels)

    def transposed_conv(self, inputs, _, constants, stride, padding, tanh):
        kernel, bias = (self.value(array) for array in constants)
        y = self.op("ConvTranspose", *inputs, kernel, bias, strides=[stride] * 2, pads=[padding] * 4)
        return self.op("Tanh" if tanh else "Relu", y)

    def dense(self, inputs, out, constants, rows, relu, gelu, requantise):
        kernel = constants[0].transpose(0, 2, 1)  # blocks of units, their lanes, depth
        kernel = np.ascontiguousarray(kernel.reshape(-1, kernel.shape[2]))
        if rows > 1:
            y = self.op("Add", self.op("MatMul", *inputs, self.value(kernel.T.copy())),
                        self.value(constants[1]))
        else:
            y = self.contraction("Gemm", inputs, kernel, constants[1:], requantise, relu, transB=1)
        if gelu:
            erf = self.op("Erf", self.op("Mul", y, self.value(np.float32(math.sqrt(0.5)))))
            half = self.value(np.float32(0.5))
            y = self.op("Mul", y, self.op("Add", half, self.op("Mul", erf, half)))
        return self.reshape(y, [1, *out.shape]) if len(out.shape) == 3 else y

    def reshape(self, name, shape):
        return self.op("Reshape", name, self.value(np.array(shape)))

    def same(self, inputs, _out, _constants):
        return inputs[0]

    def max_pool(self, inputs, _out, _constants, kernel, stride, padding):
        return self.op("MaxPool", *inputs, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                       pads=[padding] * 4)

    def global_pool(self, inputs, out, _, requantise):
        x = inputs[0] if requantise is None else self.real(inputs[0])
        y = self.op("GlobalAveragePool", x)
        y = y if requantise is None else self.quantized(y)
        return self.reshape(y, [1, out.count])

    def concatenate(self, inputs, _out, _constants):
        return self.op("Concat", *inputs, axis=1)

    def softmax(self, inputs, _out, _constants, rows):
        del rows  # always the last axis
        return self.op("Softmax", *inputs, axis=-1)

    def add(self, inputs, _out, _constants):
        return self.op("Add", *inputs)

    def transpose_heads(self, inputs, out, _):
        heads, rows, width = out.shape
        return self.op("Transpose", self.reshape(inputs[0], [rows, heads, width]), perm=[1, 0, 2])

    def join_heads(self, inputs, out, _):
        return self.reshape(self.op("Transpose", inputs[0], perm=[1, 0, 2]), out.shape)

    def batch_matmul(self, inputs, _out, _constants, scale, transposed):
        a, b = inputs
        y = self.op("MatMul", a, self.op("Transpose", b, perm=[0, 2, 1]) if transposed else b)
        return self.op("Mul", y, self.value(np.float32(scale))) if scale else y

    def layer_norm(self, _inputs, _out, constants, of, epsilon):
        scale, shift = (self.value(array) for array in constants)
        return self.op("LayerNormalization", self.values[of], scale, shift, axis=-1, epsilon=epsilon)


def onnx_session(name, size):
    network = networks.NETWORKS[name](size)[1]
    layers = NetworkLayers(network)
    out = network.calls[-1][1][-1]
    x = network.input
    images = x.shape if name == "transformer" else (1, *x.shape)
    session = layers.session(name, ("x", DTYPES[x.dtype], images),
                             (layers.values[out], DTYPES[out.dtype], None))
    return session, images


class BertLayers(onnx_graph.Graph):
    """The layers of bert_module.py as ONNX nodes."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.shapes = {name: rest for name, *rest in sizes.tensors()}

    def number(self, value):
        return self.value(np.float32(value))

    def weight(self, name):
        shape, mean, deviation = self.shapes[name]
        pieces = list(self.sizes.pieces(name, shape, mean, deviation))
        return self.value(np.concatenate(pieces).reshape(shape))

    def dense(self, x, name):
        return self.op("Add", self.op("MatMul", x, self.weight(name)), self.weight(name + "_bias"))

    def norm(self, x, name):
        return self.op("LayerNormalization", x, self.weight(name + "_scale"),
                       self.weight(name + "_shift"), axis=-1, epsilon=1e-5)

    def heads(self, x, order):
        sizes = self.sizes
        shape = self.value(np.array([sizes.tokens, sizes.heads, sizes.hidden // sizes.heads]))
        return self.op("Transpose", self.op("Reshape", x, shape), perm=order)

    def attend(self, q, k, v):
        sizes = self.sizes
        scores = self.op("MatMul", self.heads(q, [1, 0, 2]), self.heads(k, [1, 2, 0]))
        scores = self.op("Mul", scores, self.number(1 / (sizes.hidden // sizes.heads) ** 0.5))
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), self.heads(v, [1, 0, 2]))
        return self.op("Reshape", self.op("Transpose", mixed, perm=[1, 0, 2]),
                       self.value(np.array([sizes.tokens, sizes.hidden])))

    def gelu(self, x):
        cube = self.op("Mul", self.op("Mul", self.op("Mul", x, x), x), self.number(0.044715))
        inner = self.op("Mul", self.op("Add", x, cube), self.number(0.7978845608))
        factor = self.op("Add", self.op("Tanh", inner), self.number(1))
        return self.op("Mul", self.op("Mul", x, self.number(0.5)), factor)

    def result(self):
        """The name of the last value."""
        sizes = self.sizes
        rows = self.op("Gather", self.weight("words"), "ids")
        places = self.op("Slice", self.weight("places"), self.value(np.array([0])),
                         self.value(np.array([sizes.tokens])))
        x = self.norm(self.op("Add", rows, places), "embed")
        for layer in range(sizes.layers):
            p = f"layer{layer}_"
            mixed = self.attend(*(self.dense(x, p + name) for name in ("query", "key", "value")))
            x = self.norm(self.op("Add", x, self.dense(mixed, p + "project")), p + "attend")
            wide = self.gelu(self.dense(x, p + "widen"))
            x = self.norm(self.op("Add", x, self.dense(wide, p + "narrow")), p + "output")
        return x

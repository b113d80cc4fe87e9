#!/usr/bin/env python3
"""The networks of networks.py, next to onnxruntime with the same weights.

Use: networks_onnxruntime.py --bin BIN_DIR [--size=small|large|full] [--rounds=N] [--network=NAME]...
     FOLDER

Makes an ONNX model of each network, compares the answers, and times both by turns, each with one
thread: `tenon run --engine=jit -O3 --cpu=native`, also with `--fp-contract=fast`. Networks of int8 have
QuantizeLinear and DequantizeLinear nodes between their layers (QDQ); onnxruntime rounds other than
TVM's fixed-point multiplications, so their answers may differ a little. Prints medians in ms, and
ratios to onnxruntime. Needs NumPy, onnx and onnxruntime; without them it says so and ends with 0.
"""

import argparse
import math
import pathlib
import statistics
import sys
import tempfile

try:
    import numpy as np
    import onnx_graph
except ImportError as error:
    sys.exit(print(f"skipped: {error}; run `pip install numpy onnx onnxruntime`") or 0)

import model_speed
import networks

# The zero point of all values of int8, and the scales and zero points that Requantise gives residual
# sums (see tail() in network_layers.py).
ZERO_POINT = -7
RESIDUAL = {"sum": (1247353103 / 2**31, ZERO_POINT), "other": (1660533717 / 2**31, -4),
            "result": (1.0, -5)}
MOST_DIFFERENT = 0.2  # mean difference of int8 answers, over the mean of their absolute values
DTYPES = {"float32": "FLOAT", "int8": "INT8"}


class Layers(onnx_graph.Graph):
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
    layers = Layers(network)
    out = network.calls[-1][1][-1]
    x = network.input
    images = x.shape if name == "transformer" else (1, *x.shape)
    session = layers.session(name, ("x", DTYPES[x.dtype], images),
                             (layers.values[out], DTYPES[out.dtype], None))
    return session, images


def compare(name, answer, expected):
    """The first answer is Tenon's."""
    answer, expected = (values.astype(np.float32).ravel() for values in (answer, expected))
    difference = np.abs(answer - expected)
    if name.endswith("int8"):
        if difference.mean() > MOST_DIFFERENT * np.abs(answer).mean():
            sys.exit(f"{name}: the answers differ by {difference.mean():.2f} on average")
    elif not np.allclose(answer, expected, rtol=1e-4, atol=1e-5):
        sys.exit(f"{name}: the answers differ by up to {difference.max()}")


class Pair:
    """A network in Tenon and in onnxruntime."""

    def __init__(self, args, name):
        self.args, self.name = args, name
        self.module, self.input = networks.write(name, args.size, args.folder)
        self.session, shape = onnx_session(name, args.size)
        self.values = np.load(self.input).reshape(shape)
        self.runs = 1

    def tenon(self, *flags):
        return model_speed.jit_median(self.args.bin, self.module, self.input, *flags)

    def check(self):
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            once = self.tenon("--output", file.name)
            answer = np.load(file.name)
        self.runs = onnx_graph.runs_for(once)
        compare(self.name, answer, self.session.run(None, {"x": self.values})[0])

    def times(self):
        """Medians of onnxruntime, of exact results, and with contractions."""
        repeat = f"--repeat={self.runs}"
        ways = [lambda: onnx_graph.median_ms(self.session, self.values, self.runs),
                lambda: self.tenon(repeat), lambda: self.tenon(repeat, "--fp-contract=fast")]
        rounds = [[way() for way in ways] for _ in range(self.args.rounds)]
        return [statistics.median(times) for times in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--size", choices=networks.SIZES, default="full")
    parser.add_argument("--rounds", type=int, default=5, help="0 compares the answers only")
    parser.add_argument("--network", action="append", choices=list(networks.NETWORKS))
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'network':16}{'onnxruntime':>12}{'exact':>9}{'ratio':>7}{'contracted':>12}{'ratio':>7}")
    for name in args.network or networks.NETWORKS:
        pair = Pair(args, name)
        pair.check()
        if args.rounds == 0:
            print(f"{name:16} the answers agree", flush=True)
            continue
        peer, exact, contracted = pair.times()
        print(f"{name:16}{peer:12.4f}{exact:9.4f}{exact / peer:7.2f}{contracted:12.4f}"
              f"{contracted / peer:7.2f}", flush=True)


if __name__ == "__main__":
    main()

"""ONNX models made from .tflite files, with the same weights: the models of the corpus as peers.

Quantised tensors become QuantizeLinear and DequantizeLinear nodes (QDQ). Activations are unsigned, as
onnxruntime wants them for its fastest kernels: int8 values plus 128. Images are in NCHW inside of the
model; its input and output keep the file's NHWC. Needs the package `tflite`, which has the schema.
"""

import math

import numpy as np
import onnx_graph
import tflite

DTYPES = {tflite.TensorType.FLOAT32: np.float32, tflite.TensorType.INT8: np.int8,
          tflite.TensorType.INT32: np.int32, tflite.TensorType.UINT8: np.uint8}
TO_NCHW, TO_NHWC = [0, 3, 1, 2], [0, 2, 3, 1]
RELU, RELU6 = tflite.ActivationFunctionType.RELU, tflite.ActivationFunctionType.RELU6
BUILTINS = {code: name for name, code in vars(tflite.BuiltinOperator).items()
            if not name.startswith("_")}


class TfliteGraph(onnx_graph.Graph):
    """The operators of a file's only subgraph as nodes."""

    def __init__(self, path):
        super().__init__()
        self.model = tflite.Model.GetRootAs(path.read_bytes(), 0)
        self.graph = self.model.Subgraphs(0)
        # The real values of each tensor in the memory order of ONNX: a name, and whether it is NCHW.
        self.reals = {}
        first, self.last = self.graph.Inputs(0), self.graph.Outputs(0)
        self.shape = tuple(int(extent) for extent in self.tensor(first).ShapeAsNumpy())
        self.is_quantised = self.tensor(first).Type() == tflite.TensorType.INT8
        self.reals[first] = self.dequantised("x", first) if self.is_quantised else "x"
        for index in range(self.graph.OperatorsLength()):
            op = self.graph.Operators(index)
            code = self.model.OperatorCodes(op.OpcodeIndex())
            kind = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
            getattr(self, BUILTINS[kind].lower())(op)

    def tensor(self, index):
        return self.graph.Tensors(index)

    def scales(self, index):
        """Scales and zero points of a tensor, for unsigned numbers if it is an activation."""
        numbers = self.tensor(index).Quantization()
        return numbers.ScaleAsNumpy(), numbers.ZeroPointAsNumpy()

    def array(self, index):
        tensor = self.tensor(index)
        data = self.model.Buffers(tensor.Buffer()).DataAsNumpy()
        return np.frombuffer(data.tobytes(), DTYPES[tensor.Type()]).reshape(tensor.ShapeAsNumpy())

    def activation_numbers(self, index):
        scale, zero = self.scales(index)
        return self.value(np.float32(scale[0])), self.value(np.uint8(zero[0] + 128))

    def dequantised(self, name, index):
        return self.op("DequantizeLinear", name, *self.activation_numbers(index))

    def finish(self, op, name, activation=None):
        """Stores the result of an operator."""
        if activation == RELU:
            name = self.op("Relu", name)
        elif activation == RELU6:
            name = self.op("Clip", name, self.value(np.float32(0)), self.value(np.float32(6)))
        index = op.Outputs(0)
        if self.tensor(index).Type() == tflite.TensorType.INT8:
            quantised = self.op("QuantizeLinear", name, *self.activation_numbers(index))
            if index == self.last:
                self.result = quantised
            name = self.dequantised(quantised, index)
        elif index == self.last:
            self.result = name
        self.reals[index] = name

    def real_weights(self, index, perm):
        """Weights as real values. Their first axis in ONNX is that of the output channels."""
        values = self.array(index).transpose(perm).copy()
        if values.dtype != np.int8:
            return self.value(values)
        scale, zero = self.scales(index)
        if len(scale) == 1:
            scale, zero = np.repeat(scale, values.shape[0]), np.repeat(zero, values.shape[0])
        return self.op("DequantizeLinear", self.value(values), self.value(scale.astype(np.float32)),
                       self.value(zero.astype(np.int8)), axis=0)

    def bias(self, op):
        if op.InputsLength() < 3 or op.Inputs(2) < 0:
            return []
        values = self.array(op.Inputs(2))
        if values.dtype != np.int32:
            return [self.value(values)]
        scale = self.scales(op.Inputs(0))[0][0] * self.scales(op.Inputs(1))[0]
        scale = np.broadcast_to(scale, values.shape).astype(np.float32)
        return [self.op("DequantizeLinear", self.value(values), self.value(scale),
                        self.value(np.zeros(values.shape, np.int32)), axis=0)]

    def options(self, op, kind):
        options = kind()
        options.Init(op.BuiltinOptions().Bytes, op.BuiltinOptions().Pos)
        return options

    def input(self, op, number=0):
        return self.reals[op.Inputs(number)]

    def in_nchw(self, op, number=0):
        return self.op("Transpose", self.input(op, number), perm=TO_NCHW)

    def finish_nchw(self, op, name, activation=None):
        self.finish(op, self.op("Transpose", name, perm=TO_NHWC), activation)

    def window(self, op, options, kernel):
        """Strides and pads of a window, as attributes of ONNX."""
        strides = [options.StrideH(), options.StrideW()]
        pads = [0, 0, 0, 0]
        if options.Padding() == tflite.Padding.SAME:
            sizes = self.tensor(op.Inputs(0)).ShapeAsNumpy()[1:3]
            for axis, (size, stride, extent) in enumerate(zip(sizes, strides, kernel)):
                total = max((math.ceil(size / stride) - 1) * stride + extent - size, 0)
                pads[axis], pads[axis + 2] = int(total // 2), int(total - total // 2)
        return {"strides": strides, "pads": pads, "kernel_shape": [int(k) for k in kernel]}

    def conv_2d(self, op):
        options = self.options(op, tflite.Conv2DOptions)
        kernel = self.tensor(op.Inputs(1)).ShapeAsNumpy()[1:3]
        out = self.op("Conv", self.in_nchw(op), self.real_weights(op.Inputs(1), TO_NCHW), *self.bias(op),
                      **self.window(op, options, kernel))
        self.finish_nchw(op, out, options.FusedActivationFunction())

    def depthwise_conv_2d(self, op):
        options = self.options(op, tflite.DepthwiseConv2DOptions)
        shape = self.tensor(op.Inputs(1)).ShapeAsNumpy()
        channels = int(self.tensor(op.Inputs(0)).ShapeAsNumpy()[3])
        out = self.op("Conv", self.in_nchw(op), self.real_weights(op.Inputs(1), [3, 0, 1, 2]),
                      *self.bias(op), group=channels, **self.window(op, options, shape[1:3]))
        self.finish_nchw(op, out, options.FusedActivationFunction())

    def fully_connected(self, op):
        options = self.options(op, tflite.FullyConnectedOptions)
        depth = int(self.tensor(op.Inputs(1)).ShapeAsNumpy()[1])
        flat = self.op("Reshape", self.input(op), self.value(np.array([-1, depth], np.int64)))
        out = self.op("Gemm", flat, self.real_weights(op.Inputs(1), [0, 1]), *self.bias(op), transB=1)
        self.finish(op, out, options.FusedActivationFunction())

    def average_pool_2d(self, op):
        options = self.options(op, tflite.Pool2DOptions)
        kernel = [options.FilterHeight(), options.FilterWidth()]
        out = self.op("AveragePool", self.in_nchw(op), **self.window(op, options, kernel))
        self.finish_nchw(op, out, options.FusedActivationFunction())

    def add(self, op):
        options = self.options(op, tflite.AddOptions)
        out = self.op("Add", self.input(op), self.input(op, 1))
        self.finish(op, out, options.FusedActivationFunction())

    def reshape(self, op):
        shape = [int(extent) for extent in self.tensor(op.Outputs(0)).ShapeAsNumpy()]
        self.finish(op, self.op("Reshape", self.input(op), self.value(np.array(shape, np.int64))))

    def softmax(self, op):
        self.finish(op, self.op("Softmax", self.input(op), axis=-1))

    def quantize(self, op):
        self.finish(op, self.input(op))

    dequantize = quantize

    def onnx_session(self, name):
        dtype = "UINT8" if self.is_quantised else "FLOAT"
        is_int8 = self.tensor(self.last).Type() == tflite.TensorType.INT8
        return self.session(name, ("x", dtype, self.shape),
                            (self.result, "UINT8" if is_int8 else "FLOAT", None))

"""Writes the quantised network as a file of TensorFlow Lite.

The file has the weights, biases and scales of the text. TensorFlow Lite rounds in another way, and
stores the branch in int8 before it is added, so logits differ by at most 3.
"""

import pathlib
import sys

import numpy as np

WRITER = pathlib.Path(__file__).resolve().parents[3] / "tests" / "integration" / "tflite"
sys.path.insert(0, str(WRITER))
from tflite_writer import INT8, INT32, Model, Scalar  # noqa: E402

ADD, AVERAGE_POOL, CONV, DEPTHWISE, DENSE, MAX_POOL, RESHAPE = 0, 1, 3, 4, 9, 17, 22
RELU = Scalar("b", 1)
SAME = Scalar("b", 0)
ONE, TWO = Scalar("i", 1), Scalar("i", 2)


class Network:
    """The file while it is written."""

    def __init__(self, model):
        self.model, self.file = model, Model()

    def tensor(self, name, shape):
        scale, zero = self.model.scales[name]
        return self.file.tensor(shape, INT8, scale=scale, zero_point=zero, name=name)

    def parameters(self, name, weight, axis, source):
        """Weights, as the file has their axes, and the bias."""
        layer = self.model.layers[name]
        scales = [float(scale) for scale in layer.weight_scale]
        weights = self.file.tensor(list(weight.shape), INT8, scale=scales, axis=axis,
                                   data=weight.ravel().tolist(), name=name + "_weight")
        sums = [self.model.scales[source][0] * scale for scale in scales]
        bias = self.file.tensor([layer.bias.size], INT32, scale=sums, data=layer.bias.tolist(),
                                name=name + "_bias")
        return [weights, bias]

    def convolution(self, name, x, source, shape, activation=RELU):
        """Weights of the text are [h, w, in, out]."""
        weight = self.model.layers[name].weight
        weight = np.moveaxis(weight.reshape((1, 1, *weight.shape)[-4:]), 3, 0)
        y = self.tensor(name, shape)
        self.file.operator(CONV, [x, *self.parameters(name, weight, 0, source)], [y], 1,
                           {0: SAME, 1: ONE, 2: ONE, 3: activation, 4: ONE, 5: ONE})
        return y

    def depthwise(self, x, source, shape):
        weight = self.model.layers["depthwise"].weight[..., 0][np.newaxis]
        y = self.tensor("depthwise", shape)
        self.file.operator(DEPTHWISE, [x, *self.parameters("depthwise", weight, 3, source)], [y], 2,
                           {0: SAME, 1: ONE, 2: ONE, 3: ONE, 4: RELU, 5: ONE, 6: ONE})
        return y

    def pool(self, name, code, x, shape):
        y = self.tensor(name, shape)
        self.file.operator(code, [x], [y], 5, {0: Scalar("b", 1), 1: TWO, 2: TWO, 3: TWO, 4: TWO})
        return y

    def write(self):
        image = self.tensor("image", [1, 8, 8, 1])
        first = self.convolution("conv1", image, "image", [1, 8, 8, 16])
        branch = self.depthwise(first, "conv1", [1, 8, 8, 16])
        branch = self.convolution("pointwise", branch, "depthwise", [1, 8, 8, 16], Scalar("b", 0))
        added = self.tensor("add", [1, 8, 8, 16])
        self.file.operator(ADD, [branch, first], [added], 11, {0: RELU})
        x = self.pool("max_pool", MAX_POOL, added, [1, 4, 4, 16])
        x = self.convolution("conv2", x, "max_pool", [1, 4, 4, 32])
        x = self.pool("avg_pool", AVERAGE_POOL, x, [1, 2, 2, 32])
        scale, zero = self.model.scales["avg_pool"]
        flat = self.file.tensor([1, 128], INT8, scale=scale, zero_point=zero, name="flat")
        shape = self.file.tensor([2], INT32, data=[1, 128], name="shape")
        self.file.operator(RESHAPE, [x, shape], [flat], 17, {})
        logits = self.tensor("logits", [1, 10])
        weight = self.model.layers["dense"].weight.T
        self.file.operator(DENSE, [flat, *self.parameters("dense", weight, 0, "avg_pool")],
                           [logits], 8, {})
        return self.file.file([image], [logits])


def write(path, model):
    path.write_bytes(Network(model).write())

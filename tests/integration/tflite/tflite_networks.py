"""Random networks of several operators, the same for the same seed.

A network has one to three outputs, of which later operators may read some, and sometimes a state.
"""

from tflite_cases import bias_of, extent, sums_of, weights_of
from tflite_maker import Case, Maker, activation, product
from tflite_writer import FLOAT32, INT16, INT32, INT8, Scalar


class Network(Maker):
    """Values are (number, shape, quantisation) of one dtype."""

    def __init__(self, seed):
        super().__init__(seed)
        self.dtype = self.pick(INT8, INT8, FLOAT32)
        shape = [1, self.random.randint(3, 6), self.random.randint(3, 6), self.size(4)]
        self.nodes = [self.added_input(shape)]
        if self.random.random() < 0.3:
            self.nodes.append(self.added_input(shape))

    def added_input(self, shape):
        quantized = self.quantized(self.dtype)
        return self.input(shape, self.dtype, **quantized), shape, quantized

    def node(self, shape, **quantized):
        """A new value, which operators may read."""
        self.nodes.append((self.model.tensor(shape, self.dtype, **quantized), shape, quantized))
        return self.nodes[-1][0]

    def source(self, rank=None):
        """A value, most often the last one; None if no value has the rank."""
        values = [node for node in self.nodes if rank is None or len(node[1]) == rank]
        if not values:
            return None
        return values[-1] if self.random.random() < 0.6 else self.pick(*values)

    def convolution(self):
        source = self.source(4)
        if source is None:
            return
        x, (_, height, width, channels), quantized = source
        depthwise, same = self.pick(True, False), self.pick(True, False)
        kernel, stride = self.pick(1, 2, 3), self.pick(1, 1, 2)
        out = [extent(self, size, kernel, stride, 1, same) for size in (height, width)]
        if None in out:
            return
        outputs = channels if depthwise else self.size(5)
        shape = [1 if depthwise else outputs, kernel, kernel, outputs if depthwise else channels]
        weights, scales = weights_of(self, shape, 3 if depthwise else 0, self.dtype)
        bias = bias_of(self, outputs, self.dtype,
                       scales and [scale * quantized["scale"] for scale in scales], needed=True)
        y = self.node([1, *out, outputs], **sums_of(self, self.dtype))
        fields = {0: Scalar("b", 0 if same else 1), 1: Scalar("i", stride), 2: Scalar("i", stride)}
        if depthwise:
            fields |= {3: Scalar("i", 1), 4: activation(self), 5: Scalar("i", 1), 6: Scalar("i", 1)}
            self.model.operator(4, [x, weights, bias], [y], 2, fields)
        else:
            fields |= {3: activation(self), 4: Scalar("i", 1), 5: Scalar("i", 1)}
            self.model.operator(3, [x, weights, bias], [y], 1, fields)

    def addition(self):
        a, shape, _ = self.source()
        others = [node for node in self.nodes if node[1] == shape]
        b = self.pick(*others)[0]
        y = self.node(shape, **self.quantized(self.dtype))
        self.model.operator(0, [a, b], [y], 11, {0: activation(self)})

    def pooling(self):
        source = self.source(4)
        if source is None:
            return
        x, (_, height, width, channels), quantized = source
        kernel, stride = self.pick(1, 2, 3), self.pick(1, 2)
        out = [extent(self, size, kernel, stride, 1, True) for size in (height, width)]
        y = self.node([1, *out, channels], **quantized)
        self.model.operator(self.pick(1, 17), [x], [y], 5, {
            0: Scalar("b", 0), 1: Scalar("i", stride), 2: Scalar("i", stride),
            3: Scalar("i", kernel), 4: Scalar("i", kernel), 5: activation(self)})

    def reshaped(self):
        x, shape, quantized = self.source()
        to = self.pick([1, product(shape)], [1, shape[-1], product(shape) // shape[-1]])
        y = self.node(to, **quantized)
        self.model.operator(22, [x, self.constant([len(to)], INT32, data=to)], [y], 17, {})

    def connected(self):
        source = self.source(2)
        if source is None:
            return self.reshaped()
        x, (_, depth), quantized = source
        units = self.size(8)
        weights, scales = weights_of(self, [units, depth], 0, self.dtype)
        bias = bias_of(self, units, self.dtype,
                       scales and [scale * quantized["scale"] for scale in scales], needed=True)
        y = self.node([1, units], **sums_of(self, self.dtype))
        self.model.operator(9, [x, weights, bias], [y], 8, {0: activation(self)})
        return None

    def filtered(self):
        """SVDF: its state keeps the values of earlier runs."""
        source = self.source(2)
        if source is None:
            return self.reshaped()
        x, (_, depth), _ = source
        units, memory = self.size(4), self.size(4)
        if self.dtype == FLOAT32:
            feature = self.constant([units, depth], FLOAT32)
            time, bias = self.constant([units, memory], FLOAT32), -1
            state = self.state([1, units * memory], FLOAT32)
            y = self.node([1, units])
        else:
            feature = self.constant([units, depth], INT8, scale=self.scale(0.001, 0.02))
            time_scale, state_scale = self.scale(0.0005, 0.005), self.scale(0.0005, 0.005)
            time = self.constant([units, memory], INT16, scale=time_scale)
            bias = self.constant([units], INT32, scale=state_scale * time_scale)
            state = self.state([1, units * memory], INT16, scale=state_scale)
            y = self.node([1, units], scale=self.scale(0.02, 1), zero_point=-128)
        fused = Scalar("b", 1) if self.dtype == INT8 else activation(self)
        self.model.operator(27, [x, feature, time, bias, state], [y], 6,
                            {0: Scalar("i", 1), 1: fused})
        return None

    def finished(self):
        """The model: the last value is an output, and up to two others are."""
        made = [number for number, _, _ in self.nodes[len(self.inputs):]]
        others = self.random.sample(made[:-1], min(len(made) - 1, self.random.randint(0, 2)))
        return Case(self.model.file(self.inputs, others + made[-1:]), self.values)


def network(seed):
    made = Network(seed)
    steps = [made.convolution, made.convolution, made.addition, made.pooling, made.reshaped,
             made.connected, made.filtered]
    for _ in range(made.random.randint(3, 8)):
        made.pick(*steps)()
    made.addition()
    return made.finished()

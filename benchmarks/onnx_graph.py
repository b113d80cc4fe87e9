"""ONNX models made node by node, and their time in onnxruntime."""

import statistics
import time

import onnxruntime
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """The nodes of an ONNX model with one input and one output, in execution order."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def value(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def session(self, name, source, result):
        """An onnxruntime session of one thread; `source` and `result` are (name, dtype, shape)."""
        source, result = (
            helper.make_tensor_value_info(value, getattr(TensorProto, dtype), shape)
            for value, dtype, shape in (source, result))
        graph = helper.make_graph(self.nodes, name, [source], [result], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                            providers=["CPUExecutionProvider"])


def median_ms(session, values, runs):
    """The median time of runs with the array of the input, and with the output in memory of its own."""
    binding, times = session.io_binding(), []
    binding.bind_cpu_input(session.get_inputs()[0].name, values)
    binding.bind_output(session.get_outputs()[0].name)
    for _ in range(runs):
        start = time.perf_counter()
        session.run_with_iobinding(binding)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)

"""The backend for the package `onnx`, which must be installed."""

import importlib.util
import unittest

from common import numpy


@unittest.skipUnless(importlib.util.find_spec("onnx") and numpy, "needs onnx")
class OnnxBackend(unittest.TestCase):
    def model(self):
        import onnx
        from onnx import TensorProto, helper
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [x], [y])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        return model

    def test_relu(self):
        from tenon_compiler import onnx_backend
        x = numpy.array([[-1, 2, -3], [4, -5, 6]], "float32")
        (y,) = onnx_backend.run_model(self.model(), [x])
        numpy.testing.assert_array_equal(y, numpy.maximum(x, 0))
        (y,) = onnx_backend.prepare(self.model(), engine="c").run({"x": x})
        numpy.testing.assert_array_equal(y, numpy.maximum(x, 0))
        self.assertTrue(onnx_backend.supports_device("CPU"))
        self.assertFalse(onnx_backend.supports_device("CUDA"))


if __name__ == "__main__":
    unittest.main()

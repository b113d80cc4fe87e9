"""Comparing with frameworks, which must be installed."""

import importlib.util
import unittest

import common
import tenon_compiler as tenon
from common import numpy


@common.needs_numpy
class Compare(unittest.TestCase):
    def setUp(self):
        self.path = common.DIGITS / "digits.tflite"
        self.module = tenon.load(self.path)
        self.image = numpy.load(common.DIGITS / "heldout_images.npy")[0].reshape(1, 8, 8, 1)

    @unittest.skipUnless(importlib.util.find_spec("ai_edge_litert"), "needs ai-edge-litert")
    def test_litert(self):
        (row,) = tenon.compare(self.module, self.path, self.image, engine="c")
        self.assertTrue(row.agrees)
        self.assertEqual(row.largest, 0)
        wrong = self.module.apply(tenon.Pass("wrong", lambda m: tenon.parse(str(m).replace("127", "120"))))
        (row,) = tenon.compare(wrong, self.path, self.image)
        self.assertFalse(row.agrees)
        self.assertGreater(row.largest, 0)

    @unittest.skipUnless(importlib.util.find_spec("onnxruntime") and importlib.util.find_spec("onnx"),
                         "needs onnx and onnxruntime")
    def test_onnxruntime(self):
        import os
        import tempfile
        from onnx import TensorProto, helper, save
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
        graph = helper.make_graph([helper.make_node("Tanh", ["x"], ["y"])], "tanh", [x], [y])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tanh.onnx")
            save(model, path)
            value = numpy.array([[-1, 2, -3], [4, -5, 0.5]], "float32")
            (row,) = tenon.compare(tenon.load(path), path, value)
            self.assertTrue(row.agrees)
            (row,) = tenon.compare(tenon.load(path), path, value, atol=-1, rtol=0)
            self.assertFalse(row.agrees)

    def test_errors(self):
        with self.assertRaisesRegex(tenon.Error, "expected 1 inputs, found 0"):
            tenon.compare(self.module, self.path)
        with self.assertRaisesRegex(tenon.Error, "expected a .onnx or .tflite file"):
            tenon.compare(self.module, "digits.py", self.image)


if __name__ == "__main__":
    unittest.main()

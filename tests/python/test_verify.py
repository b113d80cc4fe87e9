"""Verification: the comparisons of `tenon verify`, with a script that plays the framework, and with real ones."""

import importlib.util
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import common
import tenon_compiler as tenon
from common import numpy

LIT = common.ROOT / "tests" / "lit"
TENON = os.environ.get("TENON")
STATES = {"s": "sum", "last": "next"}


class Fake(unittest.TestCase):
    """tests/lit/tools/verify.test has the same cases for the program."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name) / "sum.onnx"
        subprocess.run([sys.executable, LIT / "frontends" / "onnx" / "Inputs" / "write_model.py", "running_sum", cls.path],
                       check=True)
        cls.python = pathlib.Path(cls.folder.name) / "python"
        script = LIT / "tools" / "Inputs" / "fake_framework.py"
        cls.python.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{script}' \"$@\"\n", encoding="utf-8")
        cls.python.chmod(cls.python.stat().st_mode | stat.S_IXUSR)

    def verify(self, environment=None, **given):
        with unittest.mock.patch.dict(os.environ, environment or {}):
            return tenon.verify(self.path, python=self.python, **{"states": STATES, **given})

    def test_outputs(self):
        for engine in ("interp", "c"):
            result = self.verify(count=3, engine=engine)
            self.assertTrue(result)
            self.assertEqual((result.framework, result.first, len(result)), ("onnxruntime", None, 2))
            self.assertEqual([(row.name, row.is_output, row.is_compared, row.text) for row in result],
                             [("y", True, True, "equal"), ("before", True, True, "equal")])
            self.assertEqual(common.flat(result["y"].got), common.flat(result["y"].expected))
        self.assertEqual(str(result), "y: equal\nbefore: equal")

    def test_a_difference(self):
        result = self.verify({"FAKE_ERROR": "0.5"}, count=2)
        self.assertFalse(result)
        self.assertEqual(result.first.name, "y")
        self.assertAlmostEqual(result.first.largest, 0.5)
        self.assertRegex(result.first.text, r"^differs: run 2: element \[0, 0\] is .*; 3 of 3 elements differ$")
        for got, expected in zip(common.flat(result.first.got), common.flat(result.first.expected)):
            self.assertAlmostEqual(expected - got, 0.5, places=5)
        self.assertTrue(self.verify({"FAKE_ERROR": "0.5"}, atol=1))
        with self.assertRaises(KeyError):
            result["z"]

    def test_all_tensors(self):
        result = self.verify({"FAKE_TENSOR": "sum", "FAKE_ERROR": "1"}, count=2, tensors=True)
        self.assertEqual((result.first.name, result.first.is_output), ("sum", False))
        self.assertRegex(result.first.text, "^differs: run 1: ")
        self.assertTrue(result["y"].is_output)

    def test_given_inputs(self):
        x = common.view([4, 5, 6], "f", [1, 3])
        result = self.verify({"FAKE_ERROR": "0.5"}, count=2, inputs={"x": x})
        self.assertIn("run 2: element [0, 0] is 8, expected 8.5", result["y"].text)
        with self.assertRaisesRegex(tenon.Error, "the model has no input `xx`; did you mean `x`"):
            self.verify(inputs={"xx": x})
        with self.assertRaisesRegex(tenon.Error, "expected float32\\[1, 3\\] for the input `x`, found shape \\(3, 1\\)"):
            self.verify(inputs={"x": common.view([4, 5, 6], "f", [3, 1])})

    def test_modules(self):
        module = tenon.load(self.path, states=STATES)
        self.assertTrue(module.verify(python=self.python))
        # `y` is s + s.
        wrong = tenon.Pass("wrong", lambda m: tenon.parse(str(m).replace("p0[0, i1] + p0[0, i1]", "p0[0, i1] * p0[0, i1]")))
        changed = module.apply(["simplify", wrong])
        self.assertNotEqual(str(changed), str(module.apply("simplify")))
        self.assertEqual(changed.verify(python=self.python, count=2).first.name, "y")
        self.assertTrue(tenon.parse(str(module)).verify(self.path, python=self.python, states=STATES))
        with self.assertRaisesRegex(tenon.Error, "the module was not read from a file"):
            tenon.parse(common.ADD).verify()
        with self.assertRaisesRegex(tenon.Error, "a module is compared by its outputs"):
            module.verify(tensors=True)

    def test_errors(self):
        with self.assertRaisesRegex(tenon.Error, "has no onnxruntime: install it with `.*python -m pip install onnxruntime`"):
            self.verify({"FAKE_EXIT": "3"})
        with self.assertRaisesRegex(tenon.Error, "could not run .*sum.onnx: the fake ends"):
            self.verify({"FAKE_EXIT": "1"})
        with self.assertRaisesRegex(tenon.Error, "expected a .tflite or .onnx file, found `.*__init__.py`"):
            tenon.verify(tenon.__file__)
        with self.assertRaisesRegex(tenon.Error, "verify\\(\\) has no option `cout`; did you mean `count`"):
            self.verify(cout=3)
        with self.assertRaisesRegex(tenon.Error, "verify\\(\\) has no option `input`"):
            self.verify(input="x=x.npy")

    @unittest.skipUnless(TENON, "needs the program")
    def test_the_program_says_the_same(self):
        done = subprocess.run([TENON, "verify", self.path, "--state", "s=sum", "--state", "last=next", "--count=2",
                               f"--python={self.python}", "--tensors", "-q"], check=True, stdout=subprocess.PIPE, text=True)
        lines = [line.split(" ")[0] + ":" + line.split("]")[1][1:] for line in done.stdout.splitlines()]
        self.assertEqual(str(self.verify(count=2, tensors=True)).splitlines(), lines)


@common.needs_numpy
class Frameworks(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("ai_edge_litert"), "needs ai-edge-litert")
    def test_litert(self):
        path = common.DIGITS / "digits.tflite"
        image = numpy.load(common.DIGITS / "heldout_images.npy")[0].reshape(1, 8, 8, 1)
        module = tenon.load(path)
        result = module.verify(inputs={module.inputs[0].name: image}, engine="c")
        self.assertTrue(result)
        self.assertEqual(result.framework, "LiteRT")
        self.assertTrue(tenon.verify(path, tensors=True, count=3))
        wrong = module.apply(tenon.Pass("wrong", lambda m: tenon.parse(str(m).replace("127", "120"))))
        self.assertGreater(wrong.verify(count=3).first.largest, 0)

    @unittest.skipUnless(importlib.util.find_spec("onnxruntime") and importlib.util.find_spec("onnx"),
                         "needs onnx and onnxruntime")
    def test_onnxruntime(self):
        from onnx import TensorProto, helper, save
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
        graph = helper.make_graph([helper.make_node("Tanh", ["x"], ["y"])], "tanh", [x], [y])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tanh.onnx")
            save(model, path)
            self.assertTrue(tenon.verify(path, count=3))
            result = tenon.verify(path, count=3, atol=0, rtol=0)
            if not result:
                self.assertLess(result.first.largest, 1e-5)


if __name__ == "__main__":
    unittest.main()

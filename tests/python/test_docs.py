"""The examples of docs/guide/python.md run, in order, as one program, and so do the cells of the notebook."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import tempfile
import unittest

import common


class Docs(unittest.TestCase):
    def test_examples(self):
        text = (common.ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python run\n(.*?)^```$", text, re.M | re.S)
        self.assertGreater(len(blocks), 5)
        names = {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            (pathlib.Path(folder) / "examples").symlink_to(common.ROOT / "examples")
            os.chdir(folder)
            try:
                for number, block in enumerate(blocks):
                    exec(compile(block, f"docs/guide/python.md, block {number}", "exec"), names)  # pylint: disable=exec-used
            finally:
                os.chdir(before)
            self.assertTrue((pathlib.Path(folder) / "digits_c" / "tvmgen_digits.h").exists())
        self.assertIn("undefined-name", printed.getvalue())

    def test_notebook(self):
        cells = json.loads((common.ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
        names = {}
        before = os.getcwd()
        os.chdir(common.ROOT / "examples")
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                for cell in cells:
                    self.assertFalse(cell.get("outputs"), "outputs of a notebook are not committed")
                    if cell["cell_type"] == "code":
                        exec("".join(cell["source"]), names)  # pylint: disable=exec-used
        finally:
            os.chdir(before)
        for shown in ("report", "plan"):
            self.assertIn("<html", names[shown].to_html())
        self.assertEqual(len(memoryview(names["logits"]).tolist()[0]), 10)
        self.assertEqual(names["layers"]["conv_2d"], 9216)
        self.assertRegex(printed.getvalue(), "conv_2d +9,216 #")
        for file, package, module in (("digits.tflite", "ai-edge-litert", "ai_edge_litert"),
                                      ("digits.onnx", "onnxruntime", "onnxruntime")):
            if importlib.util.find_spec(module):
                self.assertTrue(names["verified"][f"digits/{file}"], printed.getvalue())
            else:
                self.assertIn(f"pip install {package}", printed.getvalue())


if __name__ == "__main__":
    unittest.main()

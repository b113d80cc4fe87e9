"""The stub of the native module has what the module has, and mypy accepts the package and the examples."""

import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import common
import tenon_compiler
from tenon_compiler import _native

FOLDER = pathlib.Path(tenon_compiler.__file__).parent


def names_of(scope):
    return {name for name in vars(scope) if not name.startswith("_")}


class Types(unittest.TestCase):
    def test_the_stub_is_current(self):
        stub = (FOLDER / "_native.pyi").read_text(encoding="utf-8")
        functions = set(re.findall(r"^def (\w+)", stub, re.M))
        constants = set(re.findall(r"^(\w+): ", stub, re.M))
        classes = dict(re.findall(r"^class (\w+):\n((?:    .*\n)+)", stub, re.M))
        self.assertEqual(names_of(_native), functions | constants | set(classes))
        for name, body in classes.items():
            members = set(re.findall(r"^    (?:def )?(\w+)[(:]", body, re.M))
            self.assertEqual({m for m in members if not m.startswith("_")}, names_of(getattr(_native, name)), name)

    def test_public_names_have_docstrings(self):
        for name in tenon_compiler.__all__:
            value = getattr(tenon_compiler, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                self.assertTrue(inspect.getdoc(value), name)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "needs mypy")
    def test_mypy(self):
        text = (common.ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            example = pathlib.Path(folder) / "example.py"
            example.write_text("".join(re.findall(r"^```python run\n(.*?)^```$", text, re.M | re.S)), encoding="utf-8")
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={folder}/cache",
                                   "--ignore-missing-imports", "--allow-subclassing-any", FOLDER, example],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()

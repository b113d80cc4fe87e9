"""Reading modules: files, bytes and text, what they contain, and errors."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import common
import tenon_compiler as tenon


class Load(unittest.TestCase):
    def test_tflite(self):
        module = tenon.load(common.DIGITS / "digits.tflite")
        self.assertEqual(module.name, "digits")
        self.assertEqual([(t.dtype, t.shape) for t in module.inputs], [("int8", (1, 8, 8, 1))])
        self.assertEqual(len(module.outputs), 1)
        self.assertEqual(module.states, [])
        self.assertEqual(module.diagnostics, [])

    def test_bytes_are_the_same_model(self):
        path = common.DIGITS / "digits.tflite"
        from_file = str(tenon.load(path))
        self.assertEqual(str(tenon.load(path.read_bytes())), from_file)
        self.assertEqual(str(tenon.load(memoryview(path.read_bytes()))), from_file)

    def test_text_comes_back(self):
        module = tenon.parse(common.COUNTER)
        self.assertEqual(str(tenon.parse(str(module))), str(module))
        self.assertEqual([t.name for t in module.inputs], ["x"])
        self.assertEqual([t.name for t in module.outputs], ["y"])
        self.assertEqual([t.name for t in module.states], ["s"])

    def test_functions(self):
        module = tenon.load(common.DIGITS / "digits.tflite")
        self.assertIn("main", module)
        self.assertEqual(len(list(module)), len(module))
        self.assertIn("def main", str(module["main"]))
        self.assertIsInstance(module["main"].attrs, dict)
        with self.assertRaises(KeyError):
            module["no_such_function"]

    def test_attributes_are_values(self):
        attrs = tenon.parse(common.COUNTER)["main"].attrs
        self.assertEqual(attrs["tenon.states"], ["s"])

    def test_quantised_tensors_have_scales(self):
        (image,) = tenon.load(common.DIGITS / "digits.tflite").inputs
        self.assertGreater(image.scale, 0)
        self.assertIsInstance(image.zero_point, int)
        (x,) = tenon.parse(common.COUNTER).inputs
        self.assertIsNone(x.scale)

    def test_walk(self):
        statements = list(tenon.parse(common.COUNTER).walk("main"))
        kinds = [statement.kind for statement in statements]
        self.assertEqual(kinds.count("BufferStore"), 2)
        loop = statements[kinds.index("For")]
        store = statements[kinds.index("BufferStore")]
        self.assertGreater(store.depth, loop.depth)
        self.assertEqual(store.place[1], 10)
        self.assertIn("s[i]", store.text)


class Passes(unittest.TestCase):
    def test_apply_makes_a_new_module(self):
        module = tenon.parse(common.COUNTER)
        before = str(module)
        after = module.apply("simplify,remove-no-op")
        self.assertEqual(str(module), before)
        self.assertIsInstance(after, tenon.Module)

    def test_unknown_pass_has_a_place(self):
        with self.assertRaises(tenon.Error) as caught:
            tenon.parse(common.COUNTER).apply("simplfy")
        diagnostic = caught.exception.diagnostics[0]
        self.assertIn("did you mean `simplify`", diagnostic.message)
        self.assertEqual((diagnostic.file, diagnostic.line, diagnostic.column), ("<pipeline>", 1, 1))

    def test_a_pass_in_python(self):
        twice = tenon.Pass("twice", lambda module: tenon.parse(str(module).replace("* 10", "* 20")))
        after = tenon.parse(common.COUNTER).apply(["simplify", twice])
        self.assertIn("* 20", str(after))

    def test_a_pass_that_breaks_the_module(self):
        broken = tenon.Pass("broken", lambda module: tenon.parse(str(module).replace("y[i] =", "z[i] =")))
        with self.assertRaises(tenon.Error) as caught:
            tenon.parse(common.COUNTER).apply([broken])
        self.assertEqual(caught.exception.diagnostics[0].kind, "undefined-name")
        self.assertGreater(caught.exception.diagnostics[0].line, 1)
        with self.assertRaisesRegex(tenon.Error, "expected a module from the pass `none`"):
            tenon.parse(common.COUNTER).apply(tenon.Pass("none", lambda module: None))


class Errors(unittest.TestCase):
    def test_places_and_notes(self):
        with self.assertRaises(tenon.Error) as caught:
            tenon.parse("@T.prim_func\ndef f(a: T.handle):\n    T.evaluate(b)\n")
        diagnostic = caught.exception.diagnostics[0]
        self.assertEqual((diagnostic.file, diagnostic.line), ("<text>", 3))
        self.assertEqual(diagnostic.severity, "error")
        self.assertIn("<text>:3:", str(caught.exception))

    def test_options_have_the_names_of_the_program(self):
        with self.assertRaisesRegex(tenon.Error, "load\\(\\) has no option `dimms`; did you mean `dim"):
            tenon.load(common.DIGITS / "digits.tflite", dimms={"n": 1})
        with self.assertRaisesRegex(tenon.Error, "emit\\(\\) has no option `traget`; did you mean `target`"):
            tenon.parse(common.ADD).emit(traget="cortex-m4")
        with self.assertRaisesRegex(tenon.Error, "onnx"):
            tenon.load(common.DIGITS / "digits.tflite", dims={"n": 1})
        with self.assertRaisesRegex(tenon.Error, "expected one of auto, on, off; found `yes`"):
            tenon.parse(common.ADD).emit(fuse="yes")
        with self.assertRaisesRegex(tenon.Error, "has an effect only"):
            tenon.parse(common.ADD).emit(keep_inputs=True)
        with self.assertRaisesRegex(tenon.Error, "expected True or False for `map_inputs`"):
            tenon.parse(common.ADD).emit(map_inputs="maybe")

    def test_missing_file(self):
        with self.assertRaisesRegex(tenon.Error, "no_such_file.tflite"):
            tenon.load("no_such_file.tflite")

    def test_hostile_files_raise(self):
        data = bytearray((common.DIGITS / "digits.tflite").read_bytes())
        outcomes = set()
        for position in range(0, min(len(data), 4000), 97):
            damaged = bytearray(data)
            damaged[position] ^= 0xFF
            try:
                tenon.load(bytes(damaged))
                outcomes.add("read")
            except tenon.Error as error:
                self.assertTrue(error.diagnostics)
                outcomes.add("error")
        self.assertIn("error", outcomes)
        for size in range(0, len(data), 501):
            with self.assertRaises(tenon.Error):
                tenon.load(bytes(data[:size + 8]))

    def test_hostile_onnx_files_raise(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sum.onnx"
            writer = common.ROOT / "tests" / "lit" / "frontends" / "onnx" / "Inputs" / "write_model.py"
            subprocess.run([sys.executable, writer, "running_sum", path], check=True)
            data = path.read_bytes()
        outcomes = set()
        for position in range(len(data)):
            for changed in (data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1:], data[:position]):
                try:
                    tenon.load(changed)
                    outcomes.add("read")
                except tenon.Error as error:
                    outcomes.add("error")
                    self.assertTrue(error.diagnostics)
        self.assertIn("error", outcomes)

    def test_hostile_texts_raise(self):
        function = "@T.prim_func\ndef f(a: T.handle):\n    T.evaluate({})\n"
        for text in ("", "\0" * 100, "\udcff", function.format("(" * 200_000), function.format("-" * 200_000 + "1"),
                     function.format("1 + " * 200_000 + "x"), "if x:\n" * 3 + " " * 100_000, "T." * 100_000,
                     common.COUNTER[:len(common.COUNTER) // 2]):
            with self.subTest(text[:60]), self.assertRaises((tenon.Error, UnicodeEncodeError)):
                tenon.parse(text)

    def test_other_kinds_of_files_raise(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(tenon.Error):
                tenon.load(folder)
            for name, data in (("x.npy", b"\x93NUMPY\1\0v\0{"), ("x.zip", b"PK\3\4" + bytes(40)), ("x.onnx", b"\x7fELF" + bytes(40)),
                               ("x.pt", b"\x80\2" + bytes(40)), ("x.tflite", bytes(4) + b"TFL3")):
                path = pathlib.Path(folder) / name
                path.write_bytes(data)
                with self.subTest(name), self.assertRaises(tenon.Error):
                    tenon.load(path)
        for source in (None, 3, ["x"]):
            with self.subTest(source), self.assertRaises(TypeError):
                tenon.load(source)


if __name__ == "__main__":
    unittest.main()

"""from_torch, with a module that plays PyTorch, and exports of the real one in the corpus."""

import pathlib
import subprocess
import sys
import types
import unittest
import unittest.mock

import common
import tenon_compiler as tenon
from common import numpy

WRITER = common.ROOT / "tests" / "lit" / "frontends" / "onnx" / "Inputs" / "write_model.py"


class RunningSum:
    """A module of the fake PyTorch, which its exporter writes as the model `running_sum`."""

    def __init__(self):
        self.training = True
        self.calls = []

    def eval(self):
        self.training = False
        self.calls.append("eval")

    def train(self):
        self.training = True
        self.calls.append("train")


def fake_torch(with_dynamo=True, fails=None):
    """A module `torch` that notes how it is called."""
    torch = types.ModuleType("torch")
    torch.onnx = types.ModuleType("torch.onnx")
    torch.jit = types.SimpleNamespace(ScriptModule=type("ScriptModule", (RunningSum,), {}))
    torch.seen = []

    def write(model, args, path, options):
        torch.seen.append((args, pathlib.Path(path).name, options))
        assert not model.training
        if fails is not None:
            raise fails
        subprocess.run([sys.executable, WRITER, "running_sum", path], check=True)

    def export(model, args, f, *, dynamo=False, verbose=None, **options):
        write(model, args, f, {"dynamo": dynamo, "verbose": verbose, **options})

    def older_export(model, args, f, **options):
        write(model, args, f, options)

    torch.onnx.export = export if with_dynamo else older_export
    return torch


class FromTorch(unittest.TestCase):
    def use(self, torch):
        patch = unittest.mock.patch.dict(sys.modules, {"torch": torch, "torch.onnx": torch and torch.onnx})
        patch.start()
        self.addCleanup(patch.stop)
        return torch

    def test_a_module(self):
        torch = self.use(fake_torch())
        model = RunningSum()
        module = tenon.from_torch(model, "x", states={"s": "sum", "last": "next"})
        self.assertEqual(torch.seen, [(("x",), "RunningSum.onnx", {"dynamo": True, "verbose": False})])
        self.assertEqual(model.calls, ["eval", "train"])
        self.assertEqual(module.name, "RunningSum")
        self.assertEqual([t.name for t in module.inputs], ["x"])
        self.assertEqual([t.name for t in module.states], ["s", "last"])
        x = common.view([1, 2, 3], "f", [1, 3])
        run = module.compile()
        run(x)
        self.assertEqual(common.flat(run(x)[0]), [2, 4, 6])
        self.assertIn("tvmgen_RunningSum.h", module.emit("c").files)
        with self.assertRaisesRegex(tenon.Error, "the module was not read from a file"):
            module.verify()

    def test_options(self):
        torch = self.use(fake_torch())
        path = pathlib.Path(self.enterContext_folder()) / "kept.onnx"
        module = tenon.from_torch(RunningSum(), ["x", "s"], path, input_names=["x", "s", "last"], output_names=("y",),
                                  export={"opset_version": 18, "dynamo": False})
        self.assertEqual(torch.seen, [(("x", "s"), "kept.onnx",
                                       {"dynamo": False, "verbose": False, "opset_version": 18,
                                        "input_names": ["x", "s", "last"], "output_names": ["y"]})])
        self.assertEqual(module.name, "kept")
        self.assertTrue(path.exists())

    def enterContext_folder(self):
        import tempfile
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        return folder.name

    def test_exporters(self):
        torch = self.use(fake_torch(with_dynamo=False))
        tenon.from_torch(RunningSum(), "x")
        self.assertEqual(torch.seen[0][2], {})
        torch = self.use(fake_torch())
        tenon.from_torch(torch.jit.ScriptModule(), "x")
        self.assertEqual(torch.seen[0][2]["dynamo"], False)

    def test_errors(self):
        self.use(fake_torch(fails=RuntimeError("data-dependent control flow\nmore")))
        model = RunningSum()
        with self.assertRaisesRegex(tenon.Error, "torch.onnx.export could not export RunningSum: data-dependent control flow$"):
            tenon.from_torch(model, "x")
        self.assertEqual(model.calls, ["eval", "train"])
        self.use(fake_torch())
        with self.assertRaisesRegex(tenon.Error, "load\\(\\) has no option `stats`; did you mean `states`|`state`"):
            tenon.from_torch(model, "x", stats={})
        with unittest.mock.patch.dict(sys.modules, {"torch": None}):
            with self.assertRaisesRegex(tenon.Error, "from_torch\\(\\) needs PyTorch: python -m pip install torch"):
                tenon.from_torch(model, "x")

    def test_the_module_imports_no_torch(self):
        script = (f"import sys; sys.path[:0] = {sys.path!r}\n"
                  "import tenon_compiler\n"
                  "print([name for name in ('torch', 'numpy', 'onnx') if name in sys.modules])\n")
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "[]\n")


@common.needs_numpy
class Exports(unittest.TestCase):
    """What PyTorch 2.15 exported, and its outputs."""

    def test_outputs_are_those_of_pytorch(self):
        files = {path: path.with_name(path.name.replace(".torch0.npy", ".onnx"))
                 for path in sorted((common.CORPUS / "onnx").glob("*.torch0.npy"))}
        # The small ones, which take seconds; the tests of the reader of .onnx files run the others.
        files = {expected: path for expected, path in files.items() if path.stat().st_size < 2**20}
        if not files:
            self.skipTest("needs the corpus")
        for expected, path in files.items():
            name = path.stem
            with self.subTest(name):
                module = tenon.load(path)
                inputs = [numpy.load(expected.with_name(f"{name}.in{i}.npy")) for i in range(len(module.inputs))]
                result = module.compile("c")(*inputs)
                got = result[0] if isinstance(result, tuple) else result
                numpy.testing.assert_allclose(got, numpy.load(expected), rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()

"""Code generators in Python: the one of docs/guide/generators.md in this process, and errors."""

import re
import unittest

import common
import tenon_compiler as tenon


def example():
    """The functions of the example program."""
    text = (common.ROOT / "examples" / "generator" / "generator.py").read_text(encoding="utf-8")
    names = {}
    exec(text[:text.index("request = json.load")], names)  # pylint: disable=exec-used
    return names


EXAMPLE = example()


@tenon.generator("npu")
class Npu:
    """Sums of products of floats as loops in C."""

    asked = 0

    def supports(self, claim):
        Npu.asked += 1
        return EXAMPLE["support"](claim)

    def generate(self, functions):
        codes, described = zip(*map(EXAMPLE["function_of"], functions))
        return {"functions": described, "sources": [{"name": "sums.c", "text": "\n".join(codes)}]}


def product():
    text = (common.ROOT / "docs" / "guide" / "generators.md").read_text(encoding="utf-8")
    return tenon.parse(re.search(r"```python module\n(.*?)```", text, re.S)[1])


class Generators(unittest.TestCase):
    def test_code_of_a_generator_runs(self):
        x, w = common.view([1, 2], "f", [2]), common.view([1, 2, 3, 4, 5, 6], "f", [3, 2])
        asked = Npu.asked
        model = product().compile("c", targets=["npu"], generators=[Npu])
        self.assertGreater(Npu.asked, asked)
        self.assertEqual(common.flat(model({"x": x, "w": w})["y"]), [5, 11, 17])
        both = product().compile("c", targets="npu", externals="both", generators=[Npu()])
        self.assertEqual(common.flat(both({"x": x, "w": w})["y"]), [5, 11, 17])

    def test_the_interpreter_runs_the_bodies(self):
        x, w = common.view([1, 2], "f", [2]), common.view([1, 2, 3, 4, 5, 6], "f", [3, 2])
        asked = Npu.asked
        model = product().compile("interp", targets=["npu"], generators=[Npu])
        self.assertGreater(Npu.asked, asked)
        self.assertEqual(common.flat(model({"x": x, "w": w})["y"]), [5, 11, 17])

    def test_files(self):
        artifact = product().emit("c", targets="npu", generators=[Npu])
        self.assertIn(b"for (int n = 0", artifact.files["sums.c"])

    def failing(self, pattern, **members):
        marked = tenon.generator("npu")(type("Other", (Npu,), members))
        with self.assertRaisesRegex(tenon.Error, pattern) as caught:
            product().emit("c", targets="npu", generators=[marked])
        return caught.exception.diagnostics[0]

    def test_errors(self):
        def fails(self, functions):
            raise RuntimeError("out of order")
        self.assertEqual(self.failing("out of order", generate=fails).kind, "generator-failed")
        self.failing("functions", generate=lambda self, functions: {})
        self.failing("not JSON serializable", generate=lambda self, functions: {"functions": object()})

    def test_names(self):
        with self.assertRaisesRegex(tenon.Error, "a code generator `blas` already exists"):
            product().emit("c", targets="blas", generators=[tenon.generator("blas")(type("B", (), {}))])
        with self.assertRaisesRegex(tenon.Error, "expected objects of classes with @tenon.generator"):
            product().emit("c", generators=[object()])


if __name__ == "__main__":
    unittest.main()

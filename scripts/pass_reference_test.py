"""Tests of pass_reference.py and option_reference.py: how they read comments and help."""

import pathlib
import tempfile
import unittest

import help_pages
import option_reference
import pass_reference

COMMENT = """Adds one. Run lower-blocks before.

  before:
    def f(A: T.Buffer((4,), "int32"),
          B: T.Buffer((4,), "int32")):
        A[0] = 1
  after:
    def f(...):
        A[0] = 2

Idempotent. Counter: add-one.stores.""".splitlines()

RESULT = """# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    A[0] = 2
"""


def is_shown(picture, result):
    return pass_reference.is_shown(pass_reference.squeezed(picture), pass_reference.squeezed(result))


class Pictures(unittest.TestCase):
    def test_a_comment_has_texts_and_pictures(self):
        first, picture, last = pass_reference.parts(COMMENT)
        self.assertEqual(first[0], "Adds one. Run lower-blocks before.")
        self.assertIsNone(picture.pipeline)
        self.assertEqual(picture.after, "def f(...):\n    A[0] = 2")
        self.assertEqual(last[-1], "Idempotent. Counter: add-one.stores.")

    def test_a_picture_names_its_pipeline(self):
        lines = ["  before `a{b=1},c`:", "    x", "  after:", "    y"]
        self.assertEqual(pass_reference.parts(lines)[1].pipeline, "a{b=1},c")

    def test_a_picture_needs_both_halves(self):
        with self.assertRaisesRegex(pass_reference.Stale, "expected `  after:`"):
            pass_reference.parts(["  before:", "    x", "", "text"])

    def test_the_result_must_have_all_of_the_picture(self):
        picture = pass_reference.parts(COMMENT)[1].after
        self.assertTrue(is_shown(picture, RESULT))
        self.assertFalse(is_shown(picture, RESULT.replace("= 2", "= 3")))
        self.assertFalse(is_shown(picture, RESULT + "    A[1] = 2\n"))
        self.assertFalse(is_shown(picture, RESULT.replace("    A", "    if x:\n        A")))
        self.assertTrue(is_shown(picture + "\n    ...", RESULT + "    A[1] = 2\n"))
        self.assertFalse(is_shown("def f(...):\n    ...\n    A[0] = 2\n    ...\n    A[0] = 2", RESULT))

    def test_lines_in_brackets_may_be_broken(self):
        self.assertTrue(is_shown('def f(A: T.Buffer((4,),\n    "int32"), B: T.Buffer((4,), "int32")):\n    ...',
                                 RESULT))

    def test_modules_have_decorators(self):
        module = pass_reference.module_of("def f():\n    pass\n@T.prim_func(private=True)\ndef g():\n    pass")
        self.assertIn("class Module:\n    @T.prim_func\n    def f():", module)
        self.assertEqual(module.count("@T.prim_func"), 2)


class Page(unittest.TestCase):
    def test_passes_and_documents_are_links(self):
        rows = [pass_reference.Pass(name, group, "", "", []) for name, group in (
            ("lower-blocks", "lowering"), ("add-one", "loops"), ("jam-loops", "loops"), ("simplify", "cleanup"))]
        links = pass_reference.Links(rows, "loops")
        self.assertEqual(links.line("Run `lower-blocks` or jam-loops before add-one (docs/reference/ir.md#call)", "add-one"),
                         "Run [`lower-blocks`](lowering.md#lower-blocks) or [jam-loops](#jam-loops) before add-one "
                         "([ir.md](../ir.md#call))")
        self.assertEqual(pass_reference.Links(rows, "").line("jam-loops", ""), "[jam-loops](passes/loops.md#jam-loops)")
        self.assertEqual(links.line("lower-blocks.loops lower-blocks{a=1}", "add-one"),
                         "lower-blocks.loops lower-blocks{a=1}")

    def test_counters_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "passes").mkdir()
            (root / "passes/add_one.cc").write_text(
                'context.Count("add-one.stores", 1); context.Count("add-one.loads", 1);')
            row = pass_reference.Pass("add-one", "loops", "AddOne", "passes/add_one.h", COMMENT)
            self.assertEqual(pass_reference.check_counters(root, [row]),
                             ["passes/add_one.h: does not name the counter `add-one.loads`"])


class Options(unittest.TestCase):
    def test_an_option_of_several_commands_is_one_row(self):
        text = "Usage: tenon {0} [OPTION]...\n\nDoes it.\n\nGroup:\n"
        row = "  -o, --output FILE         file | pipe\n"
        pages = {"a": help_pages.Help(text.format("a") + row),
                 "b": help_pages.Help(text.format("b") + row + "  --all a|b (default: a)    all\n")}
        self.assertEqual(option_reference.groups_of(pages), {"Group": {
            ("`-o`, `--output FILE`", "file \\| pipe"): ["a", "b"],
            ("`--all a\\|b`", "all (default: `a`)"): ["b"]}})


if __name__ == "__main__":
    unittest.main()

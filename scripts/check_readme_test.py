#!/usr/bin/env python3
"""Tests how check_docs.py and check_readme.py read documents, and tests count_tests.py."""

import pathlib
import tempfile
import unittest

import check_docs
import check_readme
import count_tests


class Blocks(unittest.TestCase):

    def test_fences(self):
        text = "a\n```python tenon --x\nb\n```\n- c\n  ```console\n  $ d\n  ```\n"
        self.assertEqual(list(check_docs.blocks(text)),
                         [(2, "python tenon --x", "b\n"), (6, "console", "$ d\n")])

    def test_fence_inside_fence(self):
        text = "````text\n```python tenon\n```\n````\n"
        self.assertEqual(list(check_docs.blocks(text)), [(1, "text", "```python tenon\n```\n")])

    def test_block_without_end(self):
        self.assertEqual(list(check_docs.blocks("```\nx\n")), [(1, "", None)])


class Examples(unittest.TestCase):

    def check(self, text, tool="#!/bin/sh\ncat\n"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "doc.md")
            path.write_text(text, encoding="utf-8")
            program = pathlib.Path(folder, "tool")
            program.write_text(tool, encoding="utf-8")
            program.chmod(0o755)
            return check_docs.check_file(program, path)

    def test_output(self):
        example = "```python tenon\nx\n```\n"
        self.assertEqual(self.check(example + "```python output\nx\n```\n"), (1, []))
        self.assertEqual(len(self.check(example + "```python output\ny\n```\n")[1]), 1)
        self.assertEqual(len(self.check("```python output\ny\n```\n")[1]), 1)

    def test_exit_codes(self):
        failing = "#!/bin/sh\nexit 1\n"
        self.assertEqual(len(self.check("```python tenon\nx\n```\n", failing)[1]), 1)
        self.assertEqual(self.check("```python tenon fails\nx\n```\n", failing), (1, []))
        self.assertEqual(len(self.check("```python tenon fails\nx\n```\n")[1]), 1)


class Sessions(unittest.TestCase):

    def test_commands(self):
        text = "$ a \\\n    b\nout\nmore\n$ c\n"
        self.assertEqual(list(check_readme.sessions(text)),
                         [("a \\\n    b", ["out", "more"]), ("c", [])])

    def test_matching(self):
        self.assertTrue(check_readme.matches([], "anything"))
        self.assertTrue(check_readme.matches(["a ... b", "c"], "a 12 b\nc\n"))
        self.assertFalse(check_readme.matches(["a ... b"], "a 12 c"))
        self.assertFalse(check_readme.matches(["a.b"], "axb"))
        self.assertTrue(check_readme.matches(["4 B, 0.02 s"], "4 B, 12 s\n"))
        self.assertFalse(check_readme.matches(["4 B, 0.02 s"], "5 B, 0.02 s"))
        self.assertFalse(check_readme.matches(["0.02 B"], "0.03 B"))

    def test_blocks_that_are_run(self):
        self.assertTrue(check_readme.is_run("console"))
        self.assertTrue(check_readme.is_run("console needs sh cat"))
        self.assertFalse(check_readme.is_run("console needs sh no-such-program"))
        self.assertFalse(check_readme.is_run("console no-run"))
        self.assertFalse(check_readme.is_run("text"))
        self.assertFalse(check_readme.is_run(""))

    def test_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "doc.md")
            path.write_text("```console\n$ echo 1\n1\n$ false\n$ echo 2\n3\n```\n"
                            "```console no-run\n$ false\n```\n", encoding="utf-8")
            count, problems = check_readme.check_file(path, folder)
        self.assertEqual((count, len(problems)), (3, 2))


class Counting(unittest.TestCase):

    def count(self, files):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "gtest").mkdir()
            (pathlib.Path(folder) / "lit").mkdir()
            for name, cases in files.items():
                pathlib.Path(folder, name).write_text(f"<s>{cases}</s>", encoding="utf-8")
            return count_tests.count_all(pathlib.Path(folder))

    def test_entries_stand_for_their_cases(self):
        files = {
            "gtest/ir_test.xml": '<testcase name="a"/><testcase name="b"><failure/></testcase>',
            "gtest/random_test.xml": '<testcase name="e"/>',
            "lit/tools.xml": '<testcase name="c"/><testcase name="d"><skipped/></testcase>',
            "lit/passes.xml": '<testcase name="c"/>',
            "ctest.xml": '<testcase name="unit.ir" status="fail"/>'
                         '<testcase name="lit.tools" status="run"/>'
                         '<testcase name="lit.passes" status="run"/>'
                         '<testcase name="random.modules" status="run"/>'
                         '<testcase name="docs" status="run"/>',
        }
        self.assertEqual(self.count(files), (5, 1, 1))

    def test_crash_counts(self):
        files = {"ctest.xml": '<testcase name="unit.ir" status="fail"/>'}
        self.assertEqual(self.count(files), (0, 1, 0))

    def test_nothing_ran(self):
        self.assertEqual(self.count({}), (0, 1, 0))


if __name__ == "__main__":
    unittest.main()

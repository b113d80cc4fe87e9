#!/usr/bin/env python3
"""Tests of help_pages.py: how it reads --help-all, and how bash uses a completion."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

import help_pages

TOP = """Usage: tool COMMAND [OPTION]...

tool: makes things.

  tool make a.py

Commands:
  make                      Make a thing.
  help [COMMAND]            The help of a command: tool help run.

Common options:
  -h, --help                print this help and stop
"""

MAKE = """Usage: tool make [OPTION]... FILE

Make a thing. More words.

  tool make a.py --emit=c

Arguments:
  FILE                      file to read; - is standard input

Common options:
  --emit c|obj (default: c)
                            what to emit, in a text that
                            goes on
  -o, --output PATH         where it goes
  --report[=FILE]           write a report; it's `\\x`
  -q, --quiet               say nothing

Code:
  -O 0|1|2 (default: 2)     how fast
"""


class Reading(unittest.TestCase):

    def setUp(self):
        self.page = help_pages.Help(MAKE)
        self.options = {entry.names[-1]: entry for entry in self.page.options()}

    def test_groups_and_names(self):
        self.assertEqual(list(self.page.groups), ["Arguments", "Common options", "Code"])
        self.assertEqual([entry.names for entry in self.page.options()],
                         [["--emit"], ["-o", "--output"], ["--report"], ["-q", "--quiet"], ["-O"]])

    def test_values(self):
        self.assertEqual(self.options["--emit"].choices, ["c", "obj"])
        self.assertEqual(self.options["-O"].choices, ["0", "1", "2"])
        self.assertEqual([name for name, entry in self.options.items() if entry.takes_value],
                         ["--emit", "--output", "--report", "-O"])
        self.assertTrue(self.options["--report"].is_optional)
        self.assertFalse(self.options["--output"].is_optional)

    def test_descriptions(self):
        self.assertEqual(self.options["--emit"].text, "what to emit, in a text that goes on")
        self.assertEqual(self.options["--output"].text, "where it goes")
        self.assertEqual(self.page.summary(), "Make a thing")

    def test_other_text_is_refused(self):
        with self.assertRaises(ValueError):
            help_pages.Help("tool: error\n")


class Writing(unittest.TestCase):

    def setUp(self):
        self.pages = {"": help_pages.Help(TOP), "make": help_pages.Help(MAKE)}

    def test_man_page(self):
        text = help_pages.man_page("tool-make", "1.2", self.pages["make"], ["tool"])
        self.assertTrue(text.startswith('.TH TOOL-MAKE 1 "" "Tenon 1.2"'))
        self.assertIn(".B \\-o, \\-\\-output PATH\nwhere it goes\n", text)
        self.assertIn("it's `\\ex`", text)
        self.assertIn(".nf\n  tool make a.py \\-\\-emit=c\n.fi\n", text)

    def complete(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "tool"
            file.write_text(help_pages.bash("tool", self.pages), encoding="utf-8")
            quoted = " ".join(f"'{word}'" for word in words)
            script = (f"source {file}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _tool; "
                      'echo "${COMPREPLY[*]}"')
            return subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.split()

    @unittest.skipUnless(shutil.which("bash"), "needs bash")
    def test_bash(self):
        self.assertEqual(self.complete("tool", "m"), ["make"])
        self.assertEqual(self.complete("tool", "help", "m"), ["make"])
        self.assertEqual(self.complete("tool", "make", "--e"), ["--emit"])
        self.assertEqual(self.complete("tool", "make", "--emit", "=", "o"), ["obj"])
        self.assertEqual(self.complete("tool", "make", "--emit", "="), ["c", "obj"])
        self.assertEqual(self.complete("tool", "make", "-O", "1"), ["1"])
        self.assertEqual(self.complete("tool", "make", "a."), [])

    def test_zsh_and_fish(self):
        zsh = help_pages.zsh({"tool": self.pages})
        self.assertIn("'--emit=[what to emit, in a text that goes on]:emit:(c obj)'", zsh)
        self.assertIn("'--report=-[write a report; it'\\''s `\\x`]:report:_files'", zsh)
        fish = help_pages.fish("tool", self.pages)
        self.assertIn("complete -c tool -n '__fish_seen_subcommand_from make' -l emit -x -a 'c obj'",
                      fish)
        self.assertIn("-s o -l output -r -d 'where it goes'", fish)


if __name__ == "__main__":
    unittest.main()

"""Tests how random_modules.py handles tests that pass, fail and crash."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("random_modules.py")

# Fails at seed 7 with a message, and dies at seed 12 without one.
PROGRAM = """#!/bin/sh
end=$((TENON_RANDOM_FIRST + TENON_RANDOM_COUNT))
seed=$TENON_RANDOM_FIRST
while [ $seed -lt $end ]; do
  if [ $seed = %d ]; then echo "failing seed $seed; again"; exit 1; fi
  if [ $seed = %d ]; then kill -9 $$; fi
  seed=$((seed + 1))
done
echo "%s"
"""


class RandomModules(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = pathlib.Path(self.folder.name)

    def program(self, name, failing=0, dying=0, said="[  PASSED  ] 1 test."):
        path = self.bin / name
        path.write_text(PROGRAM % (failing, dying, said))
        path.chmod(0o755)

    def run_script(self, *more):
        return subprocess.run(
            [sys.executable, SCRIPT, "--bin", self.bin, "--out", self.bin / "out", "--count=20",
             "--chunk=5", "--jobs=2", *more], capture_output=True, text=True, check=False)

    def test_all_pass(self):
        self.program("random_test")
        self.program("random_jit_test")
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("20 of 20 modules: interp == c\n20 of 20 modules: interp == jit\n",
                      done.stdout)

    def test_failures_are_named_and_passed_by(self):
        self.program("random_test", failing=7)
        self.program("random_jit_test", dying=12)
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("19 of 20 modules: interp == c\n19 of 20 modules: interp == jit\n",
                      done.stdout)
        self.assertIn("seeds 6 to 10 through c: 4 pass, 1 fail", done.stdout)
        self.assertIn(f"TENON_RANDOM_FIRST=7 TENON_RANDOM_COUNT=1 {self.bin}/random_test ",
                      done.stdout)
        self.assertIn(f"TENON_RANDOM_FIRST=12 TENON_RANDOM_COUNT=1 {self.bin}/random_jit_test ",
                      done.stdout)
        self.assertIn("failing seed 7", (self.bin / "out" / "c_7.txt").read_text())

    def test_a_test_that_is_skipped_is_no_success(self):
        self.program("random_test", said="[  SKIPPED ] RandomC")
        done = self.run_script("--engines=c")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("interp == c", done.stdout)

    def test_without_programs(self):
        self.assertIn("no random_test in", self.run_script("--engines=c").stderr)
        self.assertIn("no engine `d`", self.run_script("--engines=d").stderr)


if __name__ == "__main__":
    unittest.main()

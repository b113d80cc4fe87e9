"""Tests of get_models.py, with a site that is a folder."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import get_models

LIST = "file,repository,commit,path,bytes,hash\nmodels/a.tflite,o/r,c0ffee,x/a b.bin,3,{}\nmodels/b.csv,o/r,c0ffee,b.csv,1,00\n"


class Download(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        source = self.root / "site/o/r/c0ffee/x/a b.bin"
        source.parent.mkdir(parents=True)
        source.write_bytes(b"abc")
        (self.root / "site/o/r/c0ffee/b.csv").write_bytes(b"?")
        self.list = self.root / "models.csv"
        self.list.write_text(LIST.format(get_models.git_hash(b"abc")))

    def run_with(self, *parts):
        said = io.StringIO()
        arguments = ["get_models.py", str(self.root / "out"), *parts, f"--site=file://{self.root}/site"]
        with mock.patch.object(get_models, "LIST", self.list), mock.patch.object(sys, "argv", arguments), \
                contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return get_models.main(), said.getvalue()

    def test_files_have_the_hash_of_the_list(self):
        status, said = self.run_with()
        self.assertEqual(status, 1)
        self.assertIn("models/b.csv: ", said)
        self.assertIn("1 of 2 files", said)
        self.assertEqual((self.root / "out/models/a.tflite").read_bytes(), b"abc")
        self.assertFalse((self.root / "out/models/b.csv").exists())

    def test_names_choose_files_and_present_files_are_kept(self):
        self.assertEqual(self.run_with("a.tf")[0], 0)
        (self.root / "site/o/r/c0ffee/x/a b.bin").unlink()
        self.assertEqual(self.run_with("a.tf")[0], 0)
        self.assertEqual(self.run_with("nothing")[0], 1)

    def test_git_names_a_file_like_this(self):
        self.assertEqual(get_models.git_hash(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a")


if __name__ == "__main__":
    unittest.main()

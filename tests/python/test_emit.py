"""Emitted files and reports: those of the program."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import common
import tenon_compiler as tenon

TENON = os.environ.get("TENON")


class Emit(unittest.TestCase):
    def test_files_are_those_of_the_program(self):
        model = common.DIGITS / "digits.tflite"
        artifact = tenon.load(model).emit("c", target="cortex-m4", workspace_pools={"ram": "64K"}, fuse=False)
        self.assertEqual(artifact.prefix, "tvmgen_digits")
        self.assertIn("tvmgen_digits.h", artifact.files)
        self.assertGreater(artifact.constant_bytes, 0)
        with tempfile.TemporaryDirectory() as folder:
            ours = pathlib.Path(folder) / "ours"
            artifact.write(ours)
            self.assertEqual({path.name: path.read_bytes() for path in ours.iterdir()}, artifact.files)
            if not TENON:
                return
            theirs = pathlib.Path(folder) / "theirs"
            subprocess.run([TENON, "compile", model, "--target=cortex-m4", "--workspace-pools=ram:64K",
                            "--fuse=off", "-q", "-o", theirs], check=True)
            self.assertEqual({path.name: path.read_bytes() for path in theirs.iterdir()}, artifact.files)

    def test_errors(self):
        module = tenon.load(common.DIGITS / "digits.tflite")
        with self.assertRaisesRegex(tenon.Error, "ram"):
            module.emit("c", workspace_pools="ram:16")
        with self.assertRaisesRegex(tenon.Error, "expected one of c, llvm-ir"):
            module.emit("rust")
        with self.assertRaisesRegex(tenon.Error, "no-such-cc"):
            module.emit("package", cc="no-such-cc")

    def test_boards(self):
        module = tenon.load(common.DIGITS / "digits.tflite")
        artifact = module.emit("c", board="nucleo-f446re", reserve={"ram": "16K"})
        self.assertIn(b"--board=nucleo-f446re --reserve=ram:16K", artifact.files["tvmgen_digits.h"])
        self.assertIn(b".bss.ram_pool", artifact.files["tvmgen_digits.c"])
        with self.assertRaisesRegex(tenon.Error, "NUCLEO-F446RE has 128 KiB of `ram` at 0x20000000, of which 127 KiB"):
            module.emit("c", board="nucleo-f446re", reserve={"ram": "127K"})
        with self.assertRaisesRegex(tenon.Error, "need 54 bytes more than the 2100 of its RAM"):
            module.emit("c", board="nucleo-f446re", reserve={"ram": 128972})
        with self.assertRaisesRegex(tenon.Error, "unknown board `nucleo`; did you mean"):
            module.emit("c", board="nucleo")

    def test_frameworks(self):
        artifact = tenon.load(common.DIGITS / "digits.tflite").emit("zephyr")
        self.assertIn("zephyr/module.yml", artifact.files)
        with tempfile.TemporaryDirectory() as folder:
            artifact.write(folder)
            for name, text in artifact.files.items():
                self.assertEqual((pathlib.Path(folder) / name).read_bytes(), text)

    def test_packages(self):
        model = common.DIGITS / "digits.tflite"
        artifact = tenon.load(model).emit("package", cflags="-std=c99 -O1")
        self.assertEqual(list(artifact.files), ["digits.tenon"])
        self.assertTrue(artifact.files["digits.tenon"].startswith(b"\x89TENON"))
        self.assertEqual(artifact.notes, [])
        self.assertEqual(list(tenon.parse(common.ADD).emit("package", module_name="adder").files), ["adder.tenon"])
        if not TENON:
            return
        with tempfile.TemporaryDirectory() as folder:
            theirs = pathlib.Path(folder) / "digits.tenon"
            subprocess.run([TENON, "compile", model, "--emit=package", "--cflags=-std=c99 -O1", "-q", "-o", theirs],
                           check=True)
            self.assertEqual(theirs.read_bytes(), artifact.files["digits.tenon"])
            artifact.write(folder)
            subprocess.run([TENON, "package", "verify", theirs, "-q"], check=True)

    def test_module_name(self):
        self.assertEqual(tenon.parse(common.ADD).emit(module_name="adder").prefix, "tvmgen_adder")


class Report(unittest.TestCase):
    def test_members_are_those_of_the_program(self):
        model = common.DIGITS / "digits.tflite"
        report = tenon.load(model).report()
        self.assertEqual(report.peak, report["pools"]["global_workspace"]["size_bytes"])
        self.assertIn("pools", list(report))
        if TENON:
            done = subprocess.run([TENON, "report", model, "--json", "-q"], check=True, stdout=subprocess.PIPE)
            self.assertEqual(json.loads(done.stdout), dict(report))

    def test_pages_need_no_network(self):
        report = tenon.load(common.DIGITS / "digits.tflite").report()
        page = report.to_html()
        self.assertIn("<html", page)
        for link in ("src=\"http", "href=\"http", "@import"):
            self.assertNotIn(link, page)
        self.assertTrue(report._repr_html_().startswith("<iframe"))
        self.assertIn("<svg", report.to_svg())
        self.assertIn("workspace", str(report))

    def test_errors(self):
        with self.assertRaisesRegex(tenon.Error, "the pool `attic` has no peak"):
            tenon.load(common.DIGITS / "digits.tflite").report(why="attic")


if __name__ == "__main__":
    unittest.main()

"""Tests of the tags that test_packages.py expects of a wheel with the module."""

import pathlib
import sys
import sysconfig
import tempfile
import unittest
import unittest.mock
import zipfile

import test_packages

STABLE = ".abi3.so"
OWN = sysconfig.get_config_var("EXT_SUFFIX")


class _Version(tuple):
    major = property(lambda self: self[0])
    minor = property(lambda self: self[1])


def _version(*numbers):
    return _Version(numbers)


class Tags(unittest.TestCase):
    def check(self, version, tags, suffix, metadata=None):
        with tempfile.TemporaryDirectory() as folder:
            wheel = pathlib.Path(folder) / f"tenon_compiler-0.1.0-{tags}-manylinux_2_36_x86_64.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr("tenon_compiler/_native" + suffix, b"")
                archive.writestr("tenon_compiler-0.1.0.dist-info/WHEEL",
                                 f"Tag: {metadata or tags}-manylinux_2_36_x86_64\n")
            with unittest.mock.patch.object(sys, "version_info", version):
                test_packages.check_tags(wheel)

    def refuses(self, pattern, *arguments):
        with self.assertRaisesRegex(test_packages.Failure, pattern):
            self.check(*arguments)

    def test_tags(self):
        stable = _version(3, 12)
        self.check(stable, "cp312-abi3", STABLE)
        self.check(_version(3, 13), "cp312-abi3", STABLE)
        self.refuses("the tags cp312-abi3", stable, "cp312-cp312", STABLE)
        self.refuses("the suffix .abi3.so", stable, "cp312-abi3", ".cpython-312-x86_64-linux-gnu.so")
        self.refuses("the tags of its name", stable, "cp312-abi3", STABLE, "cp312-cp312")
        before = _version(3, 11)
        self.check(before, "cp311-cp311", OWN)
        self.refuses("the tags cp311-cp311", before, "cp312-abi3", OWN)
        self.refuses("the suffix " + OWN.replace(".", "\\."), before, "cp311-cp311", STABLE)


if __name__ == "__main__":
    unittest.main()

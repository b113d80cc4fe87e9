#!/usr/bin/env python3
"""Runs lit tests: tenon-lit [FILE|FOLDER|option of lit]...

A folder with a lit.cfg.py, its own or a parent's, has lit's usual meaning. Other folders need no
configuration: files with the SUFFIXES below and RUN lines are tests. The programs of Tenon, FileCheck,
not and split-file are on PATH. Folders named Inputs have no tests. %t is in a temporary folder.
"""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SUFFIXES = [".py", ".test", ".csv", ".sh"]
CONFIG_NAMES = ("lit.cfg.py", "lit.site.cfg.py", "lit.cfg", "lit.site.cfg")
CONFIG = """\
import lit.formats
config.name = {name!r}
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = {suffixes!r}
config.excludes = ["Inputs"]
config.test_source_root = {source!r}
config.test_exec_root = {results!r}
config.environment["PATH"] = {path!r}
"""


def has_config(path):
    folders = [path, *path.parents] if path.is_dir() else path.parents
    return any((folder / name).exists() for folder in folders for name in CONFIG_NAMES)


def llvm_folders():
    """The folders of LLVM's programs, the newest first."""
    versions = glob.glob("/usr/lib/llvm-*/bin")
    return sorted(versions, key=lambda path: -int(path.split("-")[1].split("/")[0]))


def find_lit():
    if os.environ.get("TENON_LIT"):
        return os.environ["TENON_LIT"].split()
    for name in ("lit", "llvm-lit"):
        if shutil.which(name):
            return [name]
    for folder in llvm_folders():
        script = pathlib.Path(folder, "../build/utils/lit/lit.py")
        if script.exists():
            return [sys.executable, str(script)]
    sys.exit("tenon-lit: error: lit not found; install it, for example by `pip install lit`")


def search_path():
    """PATH with the programs of Tenon in front and those of LLVM at the end."""
    own = os.environ.get("TENON_LIT_PATH") or str(pathlib.Path(__file__).resolve().parent)
    path = os.pathsep.join([own, os.environ.get("PATH", ""), *llvm_folders()])
    missing = [name for name in ("tenon-opt", "FileCheck") if not shutil.which(name, path=path)]
    if missing:
        sys.exit(f"tenon-lit: error: {' and '.join(missing)} not found on PATH")
    return path


def configure(folder, scratch, number):
    """A folder with a configuration for the tests in `folder`."""
    place = scratch / str(number)
    place.mkdir()
    (place / "lit.cfg.py").write_text(CONFIG.format(
        name=folder.name, suffixes=SUFFIXES, source=str(folder),
        results=str(place / "results"), path=search_path()), encoding="utf-8")
    return place


def main():
    with tempfile.TemporaryDirectory(prefix="tenon-lit-") as scratch:
        arguments, places = [], {}
        for argument in sys.argv[1:]:
            path = pathlib.Path(os.path.abspath(argument))
            if argument.startswith("-") or not path.exists() or has_config(path):
                arguments.append(argument)
                continue
            folder = path if path.is_dir() else path.parent
            if folder not in places:
                places[folder] = configure(folder, pathlib.Path(scratch), len(places))
            place = places[folder]
            arguments.append(str(place if path.is_dir() else place / path.name))
        return subprocess.run([*find_lit(), "-v", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

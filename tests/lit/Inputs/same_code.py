"""Compares two generated files, or two folders of them, as `diff -r` does. The parts that name the program, the model and
the options do not count: tests compare code that was made from different texts or with different options."""

import difflib
import pathlib
import re
import sys


def text_of(path):
    data = path.read_bytes().decode("latin-1")
    if path.suffix not in (".c", ".h"):
        return data
    data = re.sub(r"/\* Made by Tenon .*?\*/", "/* Made by Tenon. */", data, flags=re.S)
    return re.sub(r"/\* XXH3 of the model's file[^\n]*\n#define \w+_MODEL_HASH [^\n]*\n\n", "", data)


def files_of(path):
    if path.is_file():
        return {"": path}
    return {str(file.relative_to(path)): file for file in sorted(path.rglob("*")) if file.is_file()}


first, second = (files_of(pathlib.Path(word)) for word in sys.argv[1:3])
differences = [f"only in one: {name}" for name in sorted(first.keys() ^ second.keys())]
for name in sorted(first.keys() & second.keys()):
    pair = [text_of(file).splitlines() for file in (first[name], second[name])]
    differences += difflib.unified_diff(*pair, str(first[name]), str(second[name]), lineterm="", n=1)
print("\n".join(differences[:60]))
sys.exit(1 if differences else 0)

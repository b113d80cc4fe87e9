#!/usr/bin/env python3
"""Checks that a shared library exports only what the installed headers declare.

Use: check_exports.py --nm NM FILE INCLUDE_FOLDER
Prints each exported symbol of Tenon with a name that no header in the folder has, and exits with 1 if
there is one. Instantiations of templates do not count: gcc exports some with public arguments.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Declared by a header that most programs include: a library without it does not export the interface.
REQUIRED = "tenon::ParseModule("
# A mangled name of Tenon: a function or variable, or a table for a class.
OWN = re.compile(r"_Z(T[A-Za-z]|GV)?N?[KVrRO]*5tenon")
# A name of Tenon in a demangled symbol, and the bracket of a function's parameters.
NAME = re.compile(r"\btenon((?:::~?\w+)+)(\(?)")


def words_of(folder):
    """The identifiers in the headers, those that a bracket follows, and the classes and namespaces with
    a body; comments do not count."""
    identifiers, functions, scopes = set(), set(), set()
    for header in sorted(folder.rglob("*")):
        if header.suffix in {".h", ".def"}:
            text = re.sub(r"//.*", "", header.read_text())
            identifiers.update(re.findall(r"\w+", text))
            functions.update(re.findall(r"(\w+)\(", text))
            scopes.update(re.findall(r"(?:class|struct) (\w+)[^;{]*\{", text))
            for path in re.findall(r"namespace ([\w:]+) \{", text):
                scopes.update(path.split("::"))
    return identifiers, functions, scopes


def is_declared(symbol, identifiers, functions, scopes):
    """Whether the headers have every name of Tenon in the symbol."""
    if "(anonymous namespace)" in symbol:
        return False
    if "<" in symbol.split("(")[0]:
        return True
    for path, bracket in NAME.findall(symbol):
        words = [word.lstrip("~") for word in path.split("::") if word]
        if any(word not in identifiers for word in words):
            return False
        if bracket and len(words) > 1 and words[-2] not in scopes:
            return False
        is_special = len(words) > 1 and words[-1] == words[-2]  # a constructor or a destructor
        if bracket and not is_special and words[-1] not in functions:
            return False
    return True


def symbols_of(nm, library, *options):
    """The exported symbols in the order of the library."""
    command = [nm, "-D", "-p", "--defined-only", *options, str(library)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split(maxsplit=2)[2] for line in output.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", default="nm")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("include", type=pathlib.Path)
    args = parser.parse_args()
    mangled, demangled = symbols_of(args.nm, args.file), symbols_of(args.nm, args.file, "-C")
    symbols = [shown for name, shown in zip(mangled, demangled) if OWN.match(name)]
    words = words_of(args.include)
    internal = [symbol for symbol in symbols if not is_declared(symbol, *words)]
    for symbol in internal:
        print(f"{args.file}: exports what no installed header declares: {symbol}")
    if not any(symbol.startswith(REQUIRED) for symbol in symbols):
        print(f"{args.file}: does not export {REQUIRED}...)")
        return 1
    print(f"{args.file.name}: {len(mangled)} exported symbols, {len(symbols)} of Tenon, "
          f"{len(internal)} of them internal")
    return 1 if internal else 0


if __name__ == "__main__":
    sys.exit(main())

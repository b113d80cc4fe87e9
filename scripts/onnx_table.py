#!/usr/bin/env python3
"""Writes the list of ONNX operators in docs/getting_a_model.md from frontends/onnx/rows.def.

Use: scripts/onnx_table.py [--root DIR]

An operator is in the list if frontends/graph/plain_operators.def has its kind, or if its conversion chooses the kind.
"""

import argparse
import pathlib
import re
import sys
import textwrap

SOURCES = ("frontends/onnx/rows.def", "frontends/graph/plain_operators.def")
DOCUMENT = "docs/getting_a_model.md"
BEGIN = "<!-- Made from frontends/onnx/rows.def by scripts/onnx_table.py. -->\n"
END = "<!-- End of the list. -->\n"
WIDTH = 140

ROW = re.compile(r'^TENON_ONNX_OPERATOR\("([\w.]*)", "(\w+)", \d+, \w+, "(\w*)"', re.M)
KIND = re.compile(r'^TENON_PLAIN_OPERATOR\("(\w+)"', re.M)


def operators(rows, kinds):
    """The names of the operators, sorted."""
    known = set(KIND.findall(kinds)) | {""}
    return sorted({f"{domain}.{name}" if domain else name for domain, name, kind in ROW.findall(rows) if kind in known},
                  key=str.lower)


def with_list(document, rows, kinds):
    """The document with the current list; None if it lacks the two marks."""
    begin, end = document.find(BEGIN), document.find(END)
    if begin < 0 or end < begin:
        return None
    names = ", ".join(operators(rows, kinds)) + "."
    text = "\n".join(textwrap.wrap(names, WIDTH, break_long_words=False))
    return f"{document[:begin]}{BEGIN}\n{text}\n\n{document[end:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    root = pathlib.Path(parser.parse_args().root)
    path = root / DOCUMENT
    text = with_list(path.read_text(encoding="utf-8"), *((root / source).read_text(encoding="utf-8") for source in SOURCES))
    if text is None:
        print(f"{DOCUMENT}: the marks of the list are not there", file=sys.stderr)
        return 1
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

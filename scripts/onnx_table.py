#!/usr/bin/env python3
"""Writes the list of ONNX operators in docs/guide/onnx.md from frontends/onnx/rows.def.

Use: scripts/onnx_table.py [--root DIR]

An operator is in the list if frontends/graph/plain_operators.def has its kind, or if its conversion chooses the kind.
"""

import re
import sys
import textwrap

import marked_part

SOURCES = ("frontends/onnx/rows.def", "frontends/graph/plain_operators.def")
DOCUMENT = "docs/guide/onnx.md"
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
    names = ", ".join(operators(rows, kinds)) + "."
    text = "\n".join(textwrap.wrap(names, WIDTH, break_long_words=False))
    return marked_part.with_part(document, BEGIN, END, f"{BEGIN}\n{text}\n\n{END}")


if __name__ == "__main__":
    sys.exit(marked_part.write_part(__doc__.splitlines()[0], DOCUMENT, SOURCES, with_list))

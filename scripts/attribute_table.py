#!/usr/bin/env python3
"""Writes the table of attributes in docs/reference/ir.md from ir/attributes.def.

Use: scripts/attribute_table.py [--root DIR]
"""

import ast
import collections
import re
import sys

import marked_part

SOURCE = "ir/attributes.def"
DOCUMENT = "docs/reference/ir.md"
BEGIN = "<!-- Made from ir/attributes.def by scripts/attribute_table.py. -->\n"
END = "<!-- End of the table. -->\n"

Row = collections.namedtuple("Row", "name key where type written read meaning line")

ROW = re.compile(r'^TENON_ATTRIBUTE\((\w+),((?:\s*"(?:\\.|[^"\\])*"|\s*,)+)\)', re.M)
LITERALS = re.compile(r'((?:"(?:\\.|[^"\\])*"\s*)+)')


def rows(text):
    """The rows of the .def file, in order."""
    found = []
    for match in ROW.finditer(text):
        cells = [ast.literal_eval(f"({literal})") for literal in LITERALS.findall(match[2])]
        found.append(Row(match[1], *cells, text[:match.start()].count("\n") + 1))
    return found


def table(text):
    """The part of the document between the two marks, including the marks."""
    lines = [BEGIN, "\n", "| key | on | type | written by | read by | meaning |\n",
             "|---|---|---|---|---|---|\n"]
    for row in rows(text):
        cells = (f"`{row.key}`", row.where, row.type, row.written, row.read, row.meaning)
        lines.append("| " + " | ".join(cells) + " |\n")
    return "".join(lines) + "\n" + END


def with_table(document, source):
    """The document with the current table; None if it lacks the two marks."""
    return marked_part.with_part(document, BEGIN, END, table(source))


if __name__ == "__main__":
    sys.exit(marked_part.write_part(__doc__.splitlines()[0], DOCUMENT, [SOURCE], with_table))

#!/usr/bin/env python3
"""Writes the tables of instructions in docs/reference/schedules.md from schedule/instructions.def.

Use: scripts/instruction_table.py [--root DIR]
"""

import ast
import re
import sys

import marked_part

SOURCE = "schedule/instructions.def"
DOCUMENT = "docs/reference/schedules.md"
BEGIN = "<!-- Made from schedule/instructions.def by scripts/instruction_table.py. -->\n"
END = "<!-- End of the tables. -->\n"

ROW = re.compile(r"^TENON_(COMBINE|INSTRUCTION)\((\w.*?)\)$", re.M | re.S)
CELL = re.compile(r'((?:"(?:\\.|[^"\\])*"\s*)+)|(\w[^,"]*)')


def rows(text, kind):
    """The cells of the rows TENON_<kind>, in order. Types are in the spelling of the IR."""
    for match in ROW.finditer(text):
        if match[1] == kind:
            yield [ast.literal_eval(f"({literal})") if literal else re.sub(r"\((\d+)\)", r"\1", word).lower()
                   if "(" in word else word for literal, word in CELL.findall(match[2])]


def table(text):
    """The part of the document between the two marks, including the marks."""
    lines = [BEGIN, "\n", "| word | steps at once | factors | meaning |\n", "|---|---|---|---|\n"]
    words = {}
    for name, word, steps, data, weight, meaning in rows(text, "COMBINE"):
        words[name] = f"`{word}`" if word else "none"
        factors = f"`{data}`, `{weight}`" if word else "any"
        lines.append(f"| {words[name]} | {steps} | {factors} | {meaning} |\n")
    lines += ["\n", "| instruction | word | steps | processors | use |\n", "|---|---|---|---|---|\n"]
    for _, name, combine, steps, processors, use in rows(text, "INSTRUCTION"):
        lines.append(f"| {name} | {words[combine]} | {steps} | {processors} | {use} |\n")
    return "".join(lines) + "\n" + END


def with_table(document, source):
    """The document with the current tables; None if it lacks the two marks."""
    return marked_part.with_part(document, BEGIN, END, table(source))


if __name__ == "__main__":
    sys.exit(marked_part.write_part(__doc__.splitlines()[0], DOCUMENT, [SOURCE], with_table))

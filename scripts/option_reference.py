#!/usr/bin/env python3
"""Writes docs/reference/options.md from `tenon COMMAND --help-all` and `tenon-opt --help-all`.

An option that means the same in several commands is one row.

Use: scripts/option_reference.py --bin FOLDER [--check]
"""

import argparse
import pathlib
import re
import sys

from help_pages import help_of

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs/reference/options.md"
OPT = "tenon-opt"

HEAD = """# Options of all commands

`make reference` writes this page from `tenon COMMAND --help-all` and `tenon-opt --help-all`. [tools.md](tools.md) says when to use what.

"""


def escaped(text):
    return text.replace("|", "\\|").replace("<", "\\<")


def row_of(entry):
    """The cells of an option: names with value, meaning with default."""
    value = re.sub(r" \(default: (.*)\)$", "", entry.value)
    default = re.search(r" \(default: (.*)\)$", entry.value)
    names = [f"{name}{value if value.startswith('[=') or not value else ' ' + value}" if
             name == entry.names[-1] else name for name in entry.names]
    meaning = entry.text + (f" (default: `{default[1]}`)" if default else "")
    shown = ", ".join(f"`{name}`" for name in names).replace("|", "\\|")
    return shown, escaped(meaning)


def groups_of(pages):
    """By group: the commands of each row (option, meaning), in the order of the commands.

    A row is in the group of the first command that has it."""
    users, groups = {}, {}
    for command, page in pages.items():
        for group, entries in page.groups.items():
            for entry in entries:
                if not entry.names or entry.names[-1] in ("--help", "--help-all"):
                    continue
                row = row_of(entry)
                if row not in users:
                    groups.setdefault(group, []).append(row)
                users.setdefault(row, []).append(command)
    return {group: {row: users[row] for row in rows} for group, rows in groups.items()}


def page_of(pages):
    out = [HEAD, "| command | what it does |\n|---|---|\n"]
    for command, page in pages.items():
        out.append(f"| `{escaped(page.usage)}` | {escaped(page.summary())} |\n")
    out.append("\nEvery command also has `-h` (the common options) and `--help-all`.\n")
    for group, rows in groups_of(pages).items():
        out.append(f"\n## {group}\n\n| option | commands | meaning |\n|---|---|---|\n")
        for (option, meaning), commands in rows.items():
            out.append(f"| {option} | {', '.join(commands)} | {meaning} |\n")
    return "".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is stale")
    args = parser.parse_args()
    tenon = args.bin / "tenon"
    commands = [entry.head for entry in help_of(tenon).groups["Commands"] if " " not in entry.head]
    pages = {command: help_of(tenon, command) for command in commands}
    pages[OPT] = help_of(args.bin / OPT)
    text = page_of(pages)
    if args.check:
        if not DOCUMENT.is_file() or DOCUMENT.read_text(encoding="utf-8") != text:
            print("docs/reference/options.md is stale: run `make reference`", file=sys.stderr)
            return 1
        return 0
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

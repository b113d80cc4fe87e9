"""A part of a document that a script writes, between two lines that mark it."""

import argparse
import pathlib
import sys


def with_part(document, begin, end, text):
    """The document with `text`, which has both marks, in place of its part; None if it lacks the marks."""
    first, last = document.find(begin), document.find(end)
    if first < 0 or last < first:
        return None
    return document[:first] + text + document[last + len(end):]


def write_part(description, document, sources, updated):
    """The main function of such a script: `updated` gets the texts of the document and its sources, and
    gives the new document, or None if the marks are missing."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent)
    root = pathlib.Path(parser.parse_args().root)
    text = updated(*((root / path).read_text(encoding="utf-8") for path in (document, *sources)))
    if text is None:
        print(f"{document}: the marks of the part to write are not there", file=sys.stderr)
        return 1
    (root / document).write_text(text, encoding="utf-8")
    return 0

"""The only exception of this package, and the places that it names."""

from __future__ import annotations

from typing import NamedTuple, Sequence


class Diagnostic(NamedTuple):
    """An error, a warning or a note."""

    severity: str
    """`error`, `warning` or `note`."""
    kind: str
    """A name for programs, such as `undefined-name`."""
    message: str
    file: str
    """Empty without a place."""
    line: int
    """Lines and columns count from 1; columns count code points."""
    column: int
    end_line: int
    end_column: int
    """After the last character."""
    notes: tuple[Diagnostic, ...]


class Error(ValueError):
    """Errors in the input of a function. The text has all of them."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)


def fail(message: str) -> Error:
    """An error without a place."""
    return Error(message, [Diagnostic("error", "arguments", message, "", 0, 0, 0, 0, ())])

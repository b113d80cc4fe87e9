"""What a compilation emitted."""

from __future__ import annotations

import os
from typing import Optional, Union

from . import _native
from .errors import Diagnostic


class Artifact:
    """The files of a compiled model, with its figures."""

    def __init__(self, native: _native.Artifact):
        self._native = native
        self._files: Optional[dict[str, bytes]] = None

    @property
    def files(self) -> dict[str, bytes]:
        """The contents of the files by name."""
        if self._files is None:
            self._files = self._native.files()
        return self._files

    def write(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        """Writes all files or none. The folder is made if it does not exist."""
        self._native.write(os.fspath(folder))

    @property
    def prefix(self) -> str:
        """The beginning of all names in the code: `tvmgen_<name>`."""
        return self._native.prefix

    @property
    def workspace_bytes(self) -> int:
        """The sum of the workspace pools."""
        return self._native.workspace_bytes

    @property
    def constant_bytes(self) -> int:
        """The sum of the constants, each byte counted once."""
        return self._native.constant_bytes

    @property
    def notes(self) -> list[str]:
        """How to link the files, a sentence each."""
        return self._native.notes

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings of the compilation."""
        return self._native.diagnostics

    def __repr__(self) -> str:
        return (f"<tenon.Artifact {self.prefix}: {len(self.files)} files, constants {self.constant_bytes:,} B, "
                f"workspace {self.workspace_bytes:,} B>")

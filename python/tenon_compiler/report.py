"""The report on a planned model."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any, Iterator, Optional, Union

from . import _native


def frame(page: str) -> str:
    """A page of HTML for a notebook, apart from the notebook's own styles and names."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'


class Pictures:
    """What a report and a plan show."""

    def __init__(self, shown: Union[_native.Report, _native.Plan]):
        self._shown = shown

    def to_html(self) -> str:
        """One page without network access: the map of each pool, and the tables."""
        return self._shown.html()

    def to_svg(self) -> str:
        """The maps of the pools as a picture."""
        return self._shown.svg()

    def _repr_html_(self) -> str:
        return frame(self.to_html())


class Report(Pictures, Mapping[str, Any]):
    """The members of the report's JSON (docs/reference/report.md) as a mapping. A notebook shows its page."""

    def __init__(self, native: _native.Report):
        super().__init__(native)
        self._native = native
        self._members: Optional[dict[str, Any]] = None

    def _dict(self) -> dict[str, Any]:
        if self._members is None:
            self._members = json.loads(self._native.json())
        return self._members

    def __getitem__(self, key: str) -> Any:
        return self._dict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dict())

    def __len__(self) -> int:
        return len(self._dict())

    @property
    def peak(self) -> int:
        """The sum of the sizes of the workspace pools in bytes."""
        size: int = self["workspace_bytes"]
        return size

    def to_json(self) -> str:
        return self._native.json()

    def __str__(self) -> str:
        return self._native.text()

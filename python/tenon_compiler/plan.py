"""Planning of memory: buffers with lifetimes get offsets."""

from __future__ import annotations

import csv
import io
import json
import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native, options
from .errors import fail
from .report import Pictures

# The columns of a tuple, in order.
_COLUMNS = ("lower", "upper", "size", "alignment")


class Step(NamedTuple):
    """A step of a search."""

    seconds: float
    best: Optional[int]
    """The size of the best plan; None before there is one."""
    bound: int


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A field of a table. In a DataFrame, NaN stands for an empty field and makes integers floats."""
    if value is None or value != value:
        return ""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _columns_text(columns: Mapping[str, Any]) -> str:
    """A table from a DataFrame, or from arrays by name."""
    names = [str(name) for name in columns]
    lists = [list(columns[name]) for name in columns]
    if len({len(column) for column in lists}) > 1:
        raise fail("expected columns of one length for a problem")
    if "id" not in names:
        names.insert(0, "id")
        lists.insert(0, [f"b{i}" for i in range(len(lists[0]) if lists else 0)])
    return _table(names, ([_cell(cell) for cell in row] for row in zip(*lists)))


def _rows_text(rows: Sequence[Any]) -> str:
    """A table from tuples (lower, upper, size[, alignment])."""
    cells = []
    for i, row in enumerate(rows):
        if not isinstance(row, Iterable) or isinstance(row, (str, bytes)):
            raise fail(f"expected a tuple (lower, upper, size[, alignment]) as buffer {i}, "
                       f"found {type(row).__name__}")
        values = [int(value) for value in row]
        if len(values) not in (3, 4):
            raise fail(f"expected a tuple (lower, upper, size[, alignment]) as buffer {i}, found {len(values)} numbers")
        cells.append([f"b{i}", *values, *([""] if len(values) == 3 else [])])
    return _table(("id", *_COLUMNS), cells)


def _is_path(problem: Any) -> bool:
    return isinstance(problem, os.PathLike) or (
        isinstance(problem, str) and "\n" not in problem and not problem.lstrip().startswith("{"))


def _source(problem: Any) -> _native.Source:
    """The path of a problem, or a name and its text."""
    if _is_path(problem):
        return os.fspath(problem), None
    if isinstance(problem, str):
        return "<problem>", problem
    if hasattr(problem, "columns") or isinstance(problem, Mapping):
        return "<problem>", _columns_text(problem)
    if isinstance(problem, Iterable):
        return "<problem>", _rows_text(list(problem))
    raise fail(f"expected a path, text, tuples or columns as a problem, found {type(problem).__name__}")


class Plan(Pictures):
    """Places for all buffers of a problem, with the proof of their size. A notebook shows the map."""

    def __init__(self, native: _native.Plan, source: _native.Source, words: list[str],
                 previous: Optional[_native.Source]):
        super().__init__(native)
        self._native = native
        self._source = source
        self._words = words
        self._previous = previous
        self._json: Optional[dict[str, Any]] = None

    @property
    def offsets(self) -> list[int]:
        """The first byte of each buffer in its pool, in the order of the problem."""
        return [offset for _, offset, _ in self._native.placements()]

    @property
    def pools(self) -> list[str]:
        """The pool of each buffer, in the order of the problem."""
        return [pool for _, _, pool in self._native.placements()]

    @property
    def peak(self) -> int:
        """The sum of the sizes of the pools in bytes."""
        return self._native.peak

    @property
    def bound(self) -> int:
        """No plan is smaller than this."""
        return self._native.bound

    @property
    def optimal(self) -> bool:
        """It is proven that no plan is smaller."""
        return self._native.optimal

    @property
    def algorithm(self) -> str:
        return self._native.algorithm

    @property
    def interrupted(self) -> bool:
        """Ctrl-C ended the search; this is the best plan until then."""
        return self._native.interrupted

    @property
    def certificate(self) -> dict[str, Any]:
        """The plan with the witnesses of its bounds, as `tenon plan --json` writes it. `previous` says what an earlier
        plan kept."""
        if self._json is None:
            self._json = json.loads(self.to_json())
        return self._json

    @property
    def trace(self) -> list[Step]:
        """The smaller plans and better bounds that the search found."""
        return [Step(*row) for row in self._native.trace()]

    def check(self) -> str:
        """Checks the plan and its certificate with code that no planner shares; what is correct, as text. Raises
        tenon.Error at the first fault."""
        return _native.check_plan(self._source, self.to_json(), self._words, self._previous)

    def to_json(self) -> str:
        """The certificate as `tenon plan --json` writes it."""
        return self._native.json()

    def to_csv(self) -> str:
        """The problem's table with the offsets, as minimalloc writes it."""
        return self._native.csv()

    def __repr__(self) -> str:
        proof = "proven optimal" if self.optimal else f"bound {self.bound:,}"
        return f"<tenon.Plan {self.peak:,} B, {proof}>"


def _answer_source(answer: Any) -> _native.Source:
    """The path of a plan, or a name and its text."""
    if isinstance(answer, Plan):
        return "<previous>", answer.to_json()
    if _is_path(answer):
        return os.fspath(answer), None
    if isinstance(answer, str):
        return "<previous>", answer
    raise fail(f"expected a Plan, a path or text as `previous`, found {type(answer).__name__}")


def plan(problem: Any, previous: Any = None, **given: Any) -> Plan:
    """Plans buffers: tuples (lower, upper, size[, alignment]), columns by name (a DataFrame, a dict of arrays), the
    text or the path of a CSV or JSON file (docs/guide/planning.md). `previous`: an earlier plan, its path or its text, whose
    offsets are kept for buffers with the same id and size, as far as no pool grows. Options are those of `tenon plan`,
    such as capacity="64K", time_limit=10, pools={"sram": "64K"}. Ctrl-C ends the search with the best plan so far."""
    source = _source(problem)
    earlier = None if previous is None else _answer_source(previous)
    words = ["plan", *options.words("plan", options.options("plan"), given)]
    return Plan(_native.plan(source, words, earlier), source, words, earlier)


def check_plan(problem: Any, offsets: Union[Sequence[int], str], **given: Any) -> str:
    """Checks offsets of another planner, in the order of the problem, or a plan as CSV or JSON text. Returns what is
    correct, as text. Raises tenon.Error at the first fault."""
    source = _source(problem)
    words = ["plan", *options.words("check_plan", options.options("plan"), given)]
    if isinstance(offsets, str):
        return _native.check_plan(source, offsets, words, None)
    names = _native.buffer_names(source, words)
    places = [int(offset) for offset in offsets]
    if len(places) != len(names):
        raise fail(f"expected {len(names)} offsets, one for each buffer, found {len(places)}")
    return _native.check_plan(source, _table(("id", "offset"), zip(names, places)), words, None)

"""Keyword arguments as options of the program `tenon`.

The names of options come from the tables of the program: `workspace_pools="ram:64K"` is `--workspace-pools=ram:64K`.
One rule makes words of values, so that options of the program and of this package are the same.
"""

from __future__ import annotations

import functools
import os
import re
from typing import Any, Iterable, Mapping, NamedTuple, Optional

from . import _native
from .errors import fail

# The form of an option for an output of the program begins with this.
_OUTPUT = "[=FILE]"
# Options of commands that a function of this package replaces: arguments, results, other functions.
_REPLACED = {"compile": {"output", "emit", "print-merged", "print-machine", "header", "byoc-report", "share-workspace", "shared-name"},
             "run": {"input", "output", "expect", "repeat", "each", "dump-tensors", "byoc-report"},
             "report": {"diff", "all", "layers", "problem", "byoc-report"},
             "verify": {"input", "device-dump"},
             "plan": {"input", "output", "in-place", "check", "compare", "emit-problem", "previous"}}
_ALWAYS = {"help", "help-all", "version", "list-targets", "list-boards", "print-board", "quiet", "timing"}


class _Option(NamedTuple):
    name: str
    heading: str
    form: str
    is_flag: bool
    repeats: bool
    help: str


@functools.lru_cache(maxsize=None)
def options(command: str, reading: Optional[bool] = False) -> dict[str, _Option]:
    """The options of a command without those for reading models; `reading`: only those; None: all."""
    found = [_Option(*row) for row in _native.options(command)]
    left_out = _ALWAYS | _REPLACED.get(command, set())
    return {option.name: option for option in found
            if option.heading != "Messages" and reading in (None, option.heading == "Reading")
            and not option.form.startswith(_OUTPUT) and option.name not in left_out}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item) for item in value)
    if isinstance(value, (str, int, float)):
        return str(value)
    path: str = os.fspath(value)
    return path


def _values(option: _Option, value: Any) -> Iterable[str]:
    """The values of the words for an option."""
    is_pools = option.form.startswith("POOL")
    if isinstance(value, Mapping):
        # `NAME=FILE`, but `MEMORY:BYTES`.
        mark = ":" if is_pools or re.match("[A-Z]+:", option.form) else "="
        value = [f"{key}{mark}{_text(item)}" for key, item in value.items()]
    if not isinstance(value, (list, tuple)):
        return [_text(value)]
    if option.repeats:
        return [_text(item) for item in value]
    return [(";" if is_pools else ",").join(_text(item) for item in value)]


def _word(option: _Option, value: str) -> str:
    return f"-{option.name}{value}" if len(option.name) == 1 else f"--{option.name}={value}"


def words(function: str, known: Mapping[str, _Option], given: Mapping[str, Any]) -> list[str]:
    """The words of a command line for keyword arguments. A plural names an option that may be repeated."""
    result: list[str] = []
    for key, value in given.items():
        name = key.replace("_", "-")
        option = known.get(name)
        if option is None and name.endswith("s") and name[:-1] in known and known[name[:-1]].repeats:
            option = known[name[:-1]]
        if option is None:
            names = [other.replace("-", "_") for other in known]
            raise fail(f"{function}() has no option `{key}`{_native.did_you_mean(key, names)}")
        if value is None:
            continue
        if option.is_flag or (option.form.startswith("[=") and isinstance(value, bool)):
            if not isinstance(value, bool):
                raise fail(f"expected True or False for `{key}` of {function}(), found {value!r}")
            if value:
                result.append(f"-{option.name}" if len(option.name) == 1 else f"--{option.name}")
            continue
        try:
            result += [_word(option, text) for text in _values(option, value)]
        except TypeError:
            raise fail(f"expected text, a number, a list or a dict for `{key}` of {function}(), "
                       f"found {type(value).__name__}") from None
    return result

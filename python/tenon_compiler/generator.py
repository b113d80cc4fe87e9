"""Code generators in Python: the protocol of docs/guide/generators.md, in this process."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, Protocol, TypeVar

from .errors import fail


class CodeGenerator(Protocol):
    """What a class needs for @generator. A class may also have `min_macs`, `min_operator_macs` and `constants`, as the
    answer to `supports`, and a method `pack(request, folder)`."""

    def supports(self, claim: dict[str, Any]) -> Any:
        """True if there is code for an operator, else the reason why not."""

    def generate(self, functions: list[dict[str, Any]]) -> dict[str, Any]:
        """The answer to the request `generate`: `functions`, `sources` and others."""


Class = TypeVar("Class", bound=type)


def generator(name: str) -> Callable[[Class], Class]:
    """Marks a class as the code generator of the targets `name`, `name:0` and so on. Objects of it go to
    module.emit(targets=[name], generators=[...]), and to compile and report."""

    def mark(marked: Class) -> Class:
        setattr(marked, "tenon_generator", name)
        return marked
    return mark


def _answer(implementation: Any, request: dict[str, Any], folder: str) -> dict[str, Any]:
    if request["action"] == "supports":
        answer = {"operators": [implementation.supports(claim) for claim in request["operators"]],
                  "packs": hasattr(implementation, "pack")}
        for name in ("min_macs", "min_operator_macs", "constants"):
            if hasattr(implementation, name):
                answer[name] = getattr(implementation, name)
        return answer
    if request["action"] == "pack":
        packed: dict[str, Any] = implementation.pack(request, folder)
        return packed
    generated: dict[str, Any] = implementation.generate(request["functions"])
    return generated


def pairs(generators: Iterable[Any]) -> list[tuple[str, Callable[[str, str], str]]]:
    """The names of code generators, and functions from the text of a request to the text of its answer."""
    result: list[tuple[str, Callable[[str, str], str]]] = []
    for implementation in generators:
        if isinstance(implementation, type):
            implementation = implementation()
        name = getattr(implementation, "tenon_generator", None)
        if not isinstance(name, str):
            raise fail("expected objects of classes with @tenon.generator(NAME) for `generators`, "
                       f"found {type(implementation).__name__}")

        def answer(request: str, folder: str, implementation: Any = implementation) -> str:
            return json.dumps({"tenon_generator": 1, **_answer(implementation, json.loads(request), folder)})
        result.append((name, answer))
    return result

"""Comparing a model with the framework that its format comes from."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Union

from . import _native, options
from .errors import fail
from .tensors import array_of


class Comparison(NamedTuple):
    """How a tensor differs from the framework's, over all runs."""

    name: str
    is_output: bool
    """An output of the model; else a tensor that an operator computes."""
    is_compared: bool
    """False for a tensor that the framework does not compute."""
    agrees: bool
    """Integers are equal, and floats differ by at most `atol + rtol * |framework|`."""
    largest: float
    """The largest difference."""
    text: str
    """`equal`, or the first element that differs."""
    got: Any
    expected: Any
    """Both values in the first run that differs, or else in the last, as arrays. None for a tensor that is not
    compared, or that has another shape in the framework."""


class Verification:
    """The comparisons of a model: tensors of operators in the order in which they are computed, then outputs. It is
    true if all agree, and prints as `tenon verify` does."""

    def __init__(self, framework: str, tensors: list[Comparison]):
        self.framework = framework
        self.tensors = tensors

    @property
    def agrees(self) -> bool:
        """No tensor differs by more than the tolerance."""
        return self.first is None

    @property
    def first(self) -> Optional[Comparison]:
        """The first tensor that differs by more than the tolerance; None if all agree."""
        return next((tensor for tensor in self.tensors if not tensor.agrees), None)

    def __bool__(self) -> bool:
        return self.agrees

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __getitem__(self, name: str) -> Comparison:
        """The output of that name, or else the tensor."""
        return {tensor.name: tensor for tensor in self.tensors}[name]

    def __str__(self) -> str:
        return "\n".join(f"{tensor.name}: {tensor.text}" for tensor in self.tensors)

    def __repr__(self) -> str:
        first = self.first
        result = "all agree" if first is None else f"`{first.name}` differs"
        return f"<tenon.Verification with {self.framework}: {len(self)} tensors, {result}>"


def _comparison(row: _native.Compared) -> Comparison:
    name, dtype, shape, is_output, is_compared, agrees, largest, text, got, expected = row
    has_values = bool(expected) or (is_compared and 0 in shape)
    return Comparison(name, is_output, is_compared, agrees, largest, text,
                      array_of(got, dtype, shape) if has_values else None,
                      array_of(expected, dtype, shape) if has_values else None)


def verify_native(module: Optional[_native.Module], path: Union[str, "os.PathLike[str]"],
                  inputs: Optional[Mapping[str, Any]], given: Mapping[str, Any]) -> Verification:
    """Compares a module, or the file itself, with the framework of the file."""
    known = options.options("verify", reading=None)
    # The framework of this Python, unless another program is named.
    python = {"python": sys.executable} if sys.executable else {}
    words = ["verify", os.fspath(path), *options.words("verify", known, {**python, **given})]
    framework, rows = _native.verify(module, words, dict(inputs or {}))
    return Verification(framework, [_comparison(row) for row in rows])


def verify(path: Union[str, "os.PathLike[str]"], inputs: Optional[Mapping[str, Any]] = None,
           **given: Any) -> Verification:
    """Runs a .tflite or .onnx file in its framework (LiteRT, onnxruntime) and in Tenon, on the same random inputs, and
    compares the outputs; tensors=True: all tensors. `inputs`: arrays by name in place of random ones. The framework
    runs in a process of `python`, by default this Python, which needs NumPy and the framework. Options are those of
    `tenon verify`, such as count=10, seed=1, engine="c", states={"h": "hn"}."""
    return verify_native(None, path, inputs, given)


def verify_module(module: _native.Module, path: Optional[Union[str, "os.PathLike[str]"]],
                  inputs: Optional[Mapping[str, Any]], given: Mapping[str, Any]) -> Verification:
    """Compares a module with a file."""
    if given.get("tensors"):
        raise fail("a module is compared by its outputs, since passes change other tensors; "
                   "tenon.verify(PATH, tensors=True) compares all tensors of a file")
    if path is None:
        raise fail("the module was not read from a file; name one to compare it with: module.verify(PATH)")
    return verify_native(module, path, inputs, given)

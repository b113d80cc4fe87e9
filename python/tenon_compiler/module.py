"""Modules of tensor IR: reading, changing, running and compiling them."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native, options
from .artifact import Artifact
from .errors import Diagnostic, fail
from .generator import pairs
from .report import Report
from .tensors import TensorInfo
from .verify import Verification, verify_module


class Statement(NamedTuple):
    """A statement of a function."""

    kind: str
    """`For`, `BufferStore`, `Allocate`, ..., as docs/reference/ir.md names them."""
    depth: int
    """The number of statements around it."""
    text: str
    place: Optional[tuple[str, int, int]]
    """File, line and column, if the module came from text."""


class Function:
    """A function of a module. It cannot be changed."""

    def __init__(self, module: _native.Module, name: str):
        self._module = module
        self.name = name

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes, as Python values; text for what Python does not have."""
        return _native.function_attrs(self._module, self.name)

    def walk(self) -> Iterator[Statement]:
        """The statements in the order of the text."""
        for row in _native.walk(self._module, self.name):
            yield Statement(*row)

    def __str__(self) -> str:
        return _native.function_text(self._module, self.name)

    def __repr__(self) -> str:
        return f"<tenon.Function {self.name}>"


class Pass:
    """A pass in Python, for Module.apply: a function from a module to a module."""

    def __init__(self, name: str, run: Callable[[Module], Module]):
        self.name = name
        self.run = run

    def __repr__(self) -> str:
        return f"<tenon.Pass {self.name}>"


class Module:
    """A model as tensor IR. It cannot be changed: passes make new modules."""

    def __init__(self, native: _native.Module, file: Optional[str] = None, reading: Optional[Mapping[str, Any]] = None):
        self._native = native
        # The file that the module was read from, and the options for reading it; passes keep them.
        self._file = file
        self._reading = dict(reading or {})
        self._signature: Optional[tuple[list[TensorInfo], list[TensorInfo], list[TensorInfo]]] = None
        self._interpreted: Optional[_native.Callable] = None

    @property
    def name(self) -> str:
        """The name of the model's file, without folder and suffix; empty for text and bytes."""
        return self._native.name

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings of the call that made the module."""
        return self._native.diagnostics

    def _tensors(self, index: int) -> list[TensorInfo]:
        if self._signature is None:
            self._signature = _native.signature(self._native)
        return self._signature[index]

    @property
    def inputs(self) -> list[TensorInfo]:
        return self._tensors(0)

    @property
    def outputs(self) -> list[TensorInfo]:
        return self._tensors(1)

    @property
    def states(self) -> list[TensorInfo]:
        """The tensors that keep their values from run to run; zeros at first."""
        return self._tensors(2)

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the module."""
        return _native.module_attrs(self._native)

    def __getitem__(self, name: str) -> Function:
        """The function with this name or global symbol. KeyError without one."""
        _native.function_attrs(self._native, name)
        return Function(self._native, name)

    def __iter__(self) -> Iterator[str]:
        return iter(_native.function_names(self._native))

    def __len__(self) -> int:
        return len(_native.function_names(self._native))

    def __contains__(self, name: object) -> bool:
        return name in _native.function_names(self._native)

    def walk(self, function: str) -> Iterator[Statement]:
        """The statements of a function in the order of the text."""
        return self[function].walk()

    def text(self, constants: str = "inline", dialect: str = "keep") -> str:
        """The module as TVMScript. constants="elide": hashes in place of the elements of constants. dialect="tir": as
        TVM 0.18 prints it, "tirx": as TVM 0.27, "keep": in the dialect of the input."""
        if constants not in ("inline", "elide"):
            raise fail(f"expected \"inline\" or \"elide\" for `constants` of text(), found {constants!r}")
        if dialect not in ("keep", "tir", "tirx"):
            raise fail(f"expected \"keep\", \"tir\" or \"tirx\" for `dialect` of text(), found {dialect!r}")
        return self._native.text(constants, dialect)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<tenon.Module {self.name or 'of ' + self._native.source}: {len(self)} functions>"

    def apply(self, pipeline: Union[str, Pass, Sequence[Union[str, Pass]]]) -> Module:
        """A new module after passes, as tenon-opt runs them: "simplify,remove-no-op", or a list of such texts and of
        passes in Python. The module is verified after each pass."""
        steps = [pipeline] if isinstance(pipeline, (str, Pass)) else list(pipeline)
        module = self
        for step in steps:
            if isinstance(step, Pass):
                result = step.run(module)
                if not isinstance(result, Module):
                    raise fail(f"expected a module from the pass `{step.name}`, found {type(result).__name__}")
                # A pass without effect verifies.
                result._native.apply("")
                module = Module(result._native, self._file, self._reading)
            else:
                module = Module(module._native.apply(step), self._file, self._reading)
        return module

    def run(self, *inputs: Any, out: Any = None, **given: Any) -> Any:
        """Runs the model once in the interpreter, which checks every access. States begin with their first values."""
        if given or self._interpreted is None:
            model = self._load("run", "interp", (), given)
            if not given:
                self._interpreted = model
        else:
            model = self._interpreted
        model.reset()
        return model(*inputs, out=out)

    def compile(self, engine: str = "c", generators: Iterable[Any] = (), **given: Any) -> _native.Callable:
        """The model as a function of arrays. engine: "c" compiles C with `cc`, "jit" needs a build with LLVM, "interp"
        checks every access. `generators`: objects of classes with @tenon.generator. Options are those of `tenon run`."""
        return self._load("compile", engine, generators, given)

    def _load(self, function: str, engine: str, generators: Iterable[Any], given: dict[str, Any]) -> _native.Callable:
        words = ["run", f"--engine={engine}", "-", *options.words(function, options.options("run"), given)]
        return _native.compile(self._native, words, pairs(generators))

    def verify(self, path: Optional[Union[str, "os.PathLike[str]"]] = None, inputs: Optional[Mapping[str, Any]] = None,
               **given: Any) -> Verification:
        """Compares this module, after all passes, with the framework of the file that it was read from, or
        of `path`. Inputs and options are those of tenon.verify, and the options that the module was read with."""
        return verify_module(self._native, path or self._file, inputs, {**self._reading, **given})

    def emit(self, emit: str = "c", generators: Iterable[Any] = (), **given: Any) -> Artifact:
        """The files that `tenon compile --emit=EMIT` writes. Options are those of `tenon compile`."""
        known = options.options("compile")
        # The header names the options; the program writes C without one.
        kind = [] if emit == "c" else [f"--emit={emit}"]
        words = ["compile", *kind, "-", *options.words("emit", known, given)]
        return Artifact(_native.emit(self._native, self.name, words, pairs(generators)))

    def report(self, generators: Iterable[Any] = (), **given: Any) -> Report:
        """Where the bytes of the planned model are. Options are those of `tenon report`."""
        words = ["report", "-", *options.words("report", options.options("report"), given)]
        return Report(_native.report(self._native, words, pairs(generators)))


def load(source: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview], **given: Any) -> Module:
    """Reads a model: the path or the bytes of a .tflite file, an .onnx file, or TVMScript. Options are those for
    reading of `tenon compile`, such as dims={"batch": 1}, states={"h": "hn"} or signature="serving_default"."""
    words = ["report", "-", *options.words("load", options.options("report", reading=True), given)]
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Module(_native.load_bytes(bytes(source), "<bytes>", words), None, given)
    path = os.fspath(source)
    return Module(_native.load_file(path, words), path, given)


def parse(text: str) -> Module:
    """The module of a TVMScript text."""
    return Module(_native.load_bytes(text.encode(), "<text>", ["report", "-"]))

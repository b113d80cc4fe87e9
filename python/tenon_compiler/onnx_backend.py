"""Tenon as a backend of the package `onnx`: onnx.backend.test and tools that take such a backend.

    import tenon_compiler.onnx_backend as backend
    outputs = backend.prepare(onnx.load("net.onnx")).run([x])
"""

from __future__ import annotations

from typing import Any, Sequence

from onnx import ModelProto
from onnx.backend.base import Backend, BackendRep

from .module import load


class TenonRep(BackendRep):
    """A model that is ready to run."""

    def __init__(self, model: Any):
        self._model = model

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """The outputs for inputs in order, or for a dict by name. States begin with their first values."""
        self._model.reset()
        given = inputs if isinstance(inputs, dict) else tuple(inputs)
        result = self._model(given) if isinstance(given, dict) else self._model(*given)
        if isinstance(result, dict):
            return tuple(result.values())
        return result if isinstance(result, tuple) else (result,)


class TenonBackend(Backend):
    """Models in an engine of Tenon; options are those of load() and compile()."""

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", engine: str = "interp", **given: Any) -> TenonRep:
        """Reads a model, and loads it into an engine. `given`: options of load()."""
        super().prepare(model, device)
        return TenonRep(load(model.SerializeToString(), **given).compile(engine))

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Sequence[Any], device: str = "CPU", **given: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **given).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"


prepare = TenonBackend.prepare
run_model = TenonBackend.run_model
supports_device = TenonBackend.supports_device

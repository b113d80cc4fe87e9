"""Models of PyTorch: torch.onnx.export and load in one call. PyTorch is imported only here, and only when it is needed."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import tempfile
from typing import Any, Mapping, Optional, Sequence, Union

from .errors import fail
from .module import Module, load


def _torch() -> Any:
    try:
        torch = importlib.import_module("torch")
        importlib.import_module("torch.onnx")
    except ImportError as error:
        raise fail(f"from_torch() needs PyTorch: python -m pip install torch onnx onnxscript ({error})") from error
    return torch


def _exporter_options(torch: Any, model: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of torch.onnx.export: the exporter of torch.export where this PyTorch has it."""
    names = inspect.signature(torch.onnx.export).parameters
    chosen: dict[str, Any] = {}
    if "dynamo" in names:
        # torch.export does not take scripted modules.
        chosen["dynamo"] = not isinstance(model, torch.jit.ScriptModule)
    if "verbose" in names:
        chosen["verbose"] = False
    return {**chosen, **given}


def _reason(error: BaseException) -> str:
    """The first line of the first error: the exporter wraps it in others, which say in which step it was."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _export(torch: Any, model: Any, args: tuple[Any, ...], path: str, given: Mapping[str, Any]) -> None:
    training = getattr(model, "training", False)
    if training:
        model.eval()
    try:
        torch.onnx.export(model, args, path, **_exporter_options(torch, model, given))
    except Exception as error:
        raise fail(f"torch.onnx.export could not export {type(model).__name__}: {_reason(error)}") from error
    finally:
        if training:
            model.train()


def from_torch(model: Any, args: Any, file: Optional[Union[str, "os.PathLike[str]"]] = None,
               input_names: Optional[Sequence[str]] = None, output_names: Optional[Sequence[str]] = None,
               export: Optional[Mapping[str, Any]] = None, **given: Any) -> Module:
    """Reads a module of PyTorch, which torch.onnx.export writes to a file and load() reads. `args`: an example input,
    or a tuple of them. `file`: where the .onnx file stays; by default it is temporary. `export`: more options of
    torch.onnx.export, such as {"dynamo": False}. The rest are options of load(), such as states={"h": "hn"} for two of
    the names, or dims={"batch": 1} for a dynamic axis. The module is exported as in evaluation (eval())."""
    torch = _torch()
    chosen = dict(export or {})
    if input_names is not None:
        chosen["input_names"] = list(input_names)
    if output_names is not None:
        chosen["output_names"] = list(output_names)
    inputs = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if file is not None:
        _export(torch, model, inputs, os.fspath(file), chosen)
        return load(file, **given)
    with tempfile.TemporaryDirectory() as folder:
        # The name of the file is that of the module, and so the prefix of its C.
        name = re.sub(r"\W", "_", type(model).__name__, flags=re.ASCII)
        path = os.path.join(folder, f"{name}.onnx")
        _export(torch, model, inputs, path, chosen)
        # The file is mapped, so that it may be removed, but there is none to compare with later.
        return Module(load(path, **given)._native, None, given)

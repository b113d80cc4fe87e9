"""Comparing a module with the framework that its file is from."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Union

from .errors import fail
from .module import Module


class Comparison(NamedTuple):
    """How an output of a module differs from the framework's."""

    name: str
    agrees: bool
    """Integers are equal, and floats differ by at most `atol + rtol * |framework|`."""
    largest: float
    """The largest difference."""
    got: Any
    expected: Any


def _onnx(path: str, inputs: list[Any]) -> list[Any]:
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Without the saturated sums of int8 kernels on processors that lack VNNI.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    outputs: list[Any] = session.run(None, dict(zip(names, inputs)))
    return outputs


def _tflite(path: str, inputs: list[Any]) -> list[Any]:
    from ai_edge_litert import interpreter
    runner = interpreter.Interpreter(model_path=path,
                                     experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF)
    runner.allocate_tensors()
    for details, value in zip(runner.get_input_details(), inputs):
        runner.set_tensor(details["index"], value)
    runner.invoke()
    return [runner.get_tensor(details["index"]) for details in runner.get_output_details()]


def compare(module: Module, path: Union[str, "os.PathLike[str]"], *inputs: Any, engine: str = "interp",
            atol: float = 1e-5, rtol: float = 1e-4) -> list[Comparison]:
    """Runs a module on an engine, and the file that it was read from in onnxruntime (.onnx) or in the reference
    kernels of LiteRT (.tflite), on the same inputs. Returns a row for each output. Needs NumPy and the framework; for
    random inputs, states and all tensors there is `tenon verify`."""
    import numpy
    if len(inputs) != len(module.inputs):
        raise fail(f"expected {len(module.inputs)} inputs, found {len(inputs)}")
    arrays = [numpy.ascontiguousarray(each) for each in inputs]
    name = os.fspath(path)
    if not name.endswith((".onnx", ".tflite")):
        raise fail(f"expected a .onnx or .tflite file to compare with, found `{name}`")
    result = module.compile(engine)(*arrays)
    got = list(result) if isinstance(result, tuple) else [result]
    expected = (_onnx if name.endswith(".onnx") else _tflite)(name, arrays)
    rows = []
    for tensor, ours, theirs in zip(module.outputs, got, expected):
        theirs = numpy.asarray(theirs).reshape(ours.shape)
        is_float = numpy.issubdtype(ours.dtype, numpy.floating)
        agrees = (numpy.allclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True) if is_float
                  else numpy.array_equal(ours, theirs))
        distance = numpy.abs(ours.astype("float64") - theirs.astype("float64"))
        largest = float(numpy.nanmax(distance)) if distance.size else 0.0
        rows.append(Comparison(tensor.name, bool(agrees), largest, ours, theirs))
    return rows

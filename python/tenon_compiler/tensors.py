"""Descriptions of tensors, and new arrays for results."""

from __future__ import annotations

import functools
import math
import struct
from typing import Any, Callable, NamedTuple, Optional, Union


class TensorInfo(NamedTuple):
    """An input, an output or a state of a model."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: Optional[float] = None
    """Of a quantised tensor: its integers stand for `scale * (integer - zero_point)`."""
    zero_point: Optional[int] = None


# Formats of the buffer protocol, for results without NumPy.
_FORMATS: dict[str, str] = {"bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H",
            "uint32": "I", "uint64": "Q", "float32": "f", "float64": "d", "float16": "H"}


def _shaped(data: Union[bytes, bytearray], code: Any, shape: tuple[int, ...]) -> Any:
    flat: Any = memoryview(data).cast(code)
    # cast() refuses shapes with an extent of 0.
    return flat if 0 in shape else flat.cast("B").cast(code, shape)


def _new_view(count: int, width: int, code: Any, shape: tuple[int, ...]) -> Any:
    return _shaped(bytearray(count * width), code, shape)


def array_of(data: bytes, dtype: str, shape: tuple[int, ...]) -> Any:
    """A read-only array of these bytes: of NumPy if it is installed, else a memoryview."""
    try:
        import numpy
    except ImportError:
        return _shaped(data, _FORMATS[dtype], shape)
    return numpy.frombuffer(data, numpy.dtype(dtype)).reshape(shape)


def array_maker(dtype: str, shape: tuple[int, ...]) -> Callable[[], Any]:
    """A function that makes a new array: of NumPy if it is installed, else a memoryview."""
    try:
        import numpy
    except ImportError:
        code = _FORMATS[dtype]
        return functools.partial(_new_view, math.prod(shape), struct.calcsize("=" + code), code, shape)
    return functools.partial(numpy.empty, shape, numpy.dtype(dtype))

#!/usr/bin/env python3
"""Writes a model that today's TVM imports as a file that Tenon reads, with its constants next to it.

Use: tenon-export MODEL [-o OUT.py] [--shape NAME=1,3,224,224 ...]

MODEL is a .tflite or .onnx file, or a .pt2 file that torch.export.save wrote. The result is OUT.py
and OUT.safetensors, which `tenon compile OUT.py` and the other subcommands read together. Runs in
the Python that has TVM 0.25 to 0.27 and NumPy; the importers need `tflite`, `onnx` or `torch`.

From Python, with any Relax module:

    import tenon_export
    tenon_export.export(relax_module, "model.py")
"""

import argparse
import json
import os
import pathlib
import re
import struct
import sys

# The names of NumPy's types in safetensors.
SAFETENSORS_TYPES = {
    "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
    "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64",
    "float16": "F16", "float32": "F32", "float64": "F64", "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
}
# Constants without dimensions of these types are in the text: R.const(1.0, "float32").
TYPES_IN_TEXT = {"int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"}
CONSTANT = re.compile(r'metadata\["(?:ir\.GenericConst|relax\.expr\.Constant)"\]\[(\d+)\]')


class ExportError(Exception):
    """What keeps a model from being exported."""


def lower(module):
    """The module with Relax's operators as functions of loops, and a main that calls them."""
    import tvm
    from tvm.relax import transform

    return tvm.transform.Sequential([
        transform.LegalizeOps(),
        transform.FoldConstant(),
        transform.AnnotateTIROpPattern(),
        transform.FuseOps(),
        transform.FuseTIR(),
        transform.DeadCodeElimination(),
    ])(module)


def _array_of(constant):
    """The NumPy array of a Relax constant: `value` since TVM 0.27, `data` before."""
    data = constant.value if hasattr(constant, "value") else constant.data
    return data.numpy() if hasattr(data, "numpy") else data.asnumpy()


def _constants_of(expr, relax, add):
    """Calls `add` for the constants of an expression in the order in which TVM prints them."""
    if isinstance(expr, relax.Tuple):
        for field in expr.fields:
            _constants_of(field, relax, add)
    elif isinstance(expr, relax.TupleGetItem):
        _constants_of(getattr(expr, "tuple", None) or expr.tuple_value, relax, add)
    elif isinstance(expr, relax.Call):
        for argument in expr.args:
            _constants_of(argument, relax, add)
    elif type(expr).__name__ in ("Constant", "GenericConst"):
        add(expr)


def constants_in_print_order(module):
    """The constants of all Relax functions that the text has by number, each once."""
    from tvm import relax

    found = []
    seen = set()

    def add(constant):
        array = _array_of(constant)
        if array.ndim == 0 and str(array.dtype) in TYPES_IN_TEXT:
            return
        key = constant.__hash__() if not hasattr(constant, "_id_handle") else constant._id_handle()
        if key not in seen:
            seen.add(key)
            found.append(array)

    for function in module.functions.values():
        if not isinstance(function, relax.Function):
            continue
        for block in function.body.blocks:
            for binding in block.bindings:
                _constants_of(binding.value, relax, add)
        _constants_of(function.body.body, relax, add)
    return found


def _without_params(module):
    """Without the importer's list of parameters, which the constants repeat."""
    from tvm import relax

    result = module
    for name, function in module.functions.items():
        if isinstance(function, relax.Function) and function.attrs and "params" in function.attrs:
            result.update_func(name, function.without_attr("params"))
    return result


def safetensors(arrays):
    """The bytes of a safetensors file with the arrays c0, c1, ..."""
    header = {}
    offset = 0
    for index, array in enumerate(arrays):
        size = array.nbytes
        dtype = SAFETENSORS_TYPES.get(str(array.dtype))
        if dtype is None:
            raise ExportError(f"constant {index} is of {array.dtype}, which safetensors lacks")
        header[f"c{index}"] = {"dtype": dtype, "shape": list(array.shape),
                               "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays)


def _with_table(text, arrays, file_name):
    """The text with its constants by name, and the table that says where they are."""
    text = CONSTANT.sub(lambda match: f'I.constant("c{match[1]}")', text)
    rows = ", ".join(
        f'I.constant("c{index}", I.file({json.dumps(file_name)}, "c{index}"), "{array.dtype}", '
        f"{list(array.shape)})" for index, array in enumerate(arrays))
    table = f'"tenon.constants": [{rows}]'
    if "    I.module_attrs({" in text:
        return text.replace("    I.module_attrs({", "    I.module_attrs({" + table + ", ", 1)
    return re.sub(r"(?m)^(class \w+:)$", lambda match: f"{match[1]}\n    I.module_attrs({{{table}}})",
                  text, count=1)


def export(module, path, is_lowered=False):
    """Writes the Relax module `module` to `path` and its constants to the same name with
    `.safetensors`. Calls `lower` first, unless the caller has done that."""
    path = pathlib.Path(path)
    module = _without_params(module if is_lowered else lower(module))
    arrays = constants_in_print_order(module)
    text = module.script()
    numbers = {int(number) for number in CONSTANT.findall(text)}
    if numbers != set(range(len(arrays))):
        raise ExportError(f"TVM printed {len(numbers)} constants, and the module has {len(arrays)}")
    side = path.with_suffix(".safetensors")
    if arrays:
        text = _with_table(text, arrays, side.name)
        _write(side, safetensors(arrays))
    _write(path, (text.rstrip("\n") + "\n").encode())
    return path


def _write(path, data):
    """Writes the file as a whole or not at all."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data)
    os.replace(temporary, path)


def import_model(path, shapes):
    """A Relax module from a model's file."""
    suffix = pathlib.Path(path).suffix
    if suffix == ".tflite":
        import tflite
        import tvm.relax.frontend.tflite as frontend

        model = tflite.Model.GetRootAsModel(pathlib.Path(path).read_bytes(), 0)
        return frontend.from_tflite(model, shape_dict=shapes or None)
    if suffix == ".onnx":
        import onnx
        import tvm.relax.frontend.onnx as frontend

        return frontend.from_onnx(onnx.load(path), shape_dict=shapes or None)
    if suffix == ".pt2":
        import torch
        import tvm.relax.frontend.torch as frontend

        return frontend.from_exported_program(torch.export.load(path))
    raise ExportError(f"{path}: expected a .tflite, .onnx or .pt2 file")


def _shape(text):
    name, equals, extents = text.partition("=")
    if not equals or not re.fullmatch(r"\d+(,\d+)*", extents):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected NAME=1,3,224,224")
    return name, [int(extent) for extent in extents.split(",")]


def main(argv=None):
    """The command line."""
    parser = argparse.ArgumentParser(prog="tenon-export", description=__doc__.split("\n", 1)[0])
    parser.add_argument("model", help="a .tflite, .onnx or .pt2 file")
    parser.add_argument("-o", "--output", help="the text to write (default: MODEL with .py)")
    parser.add_argument("--shape", action="append", type=_shape, default=[],
                        metavar="NAME=EXTENTS", help="the shape of an input")
    args = parser.parse_args(argv)
    output = args.output or str(pathlib.Path(args.model).with_suffix(".py").name)
    try:
        written = export(import_model(args.model, dict(args.shape)), output)
    except Exception as error:  # TVM's importers throw all kinds
        print(f"tenon-export: error: {error}", file=sys.stderr)
        return 1
    print(f"wrote {written}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs a benchmark: benchmarks/run.py NAME [--bin=DIR] [--json=FILE] [--folder=FOLDER] [options of NAME]

`run.py NAME --help` has the options of one. Each prints tables in Markdown. Both sides of a comparison run
alternately, so that other load affects both. Models come from TENON_CORPUS_DIR (default: ../shared/corpus next to the
root of the tree).
"""

import argparse
import importlib
import inspect
import json
import pathlib
import sys

import runner

# The functions of each module.
MODULES = {
    "processes": ("matmul", "models", "compile_speed"),
    "constants": ("big_constants", "constant_merge", "constant_storage", "package_load", "bert_large"),
    "plan": ("plan",),
    "code_speed": ("model_speed", "less_workspace", "from_tflite", "onednn_speed", "threads", "external_speed",
                   "blas_offload"),
    "onnx_peers": ("networks_onnxruntime", "corpus_onnxruntime", "bert_onnxruntime"),
}
HOME = {name: module for module, names in MODULES.items() for name in names}


def options_of(function):
    """The options of a benchmark, from its parameters. A tuple is a choice of some of its members."""
    about = inspect.getdoc(function)
    parser = argparse.ArgumentParser(prog=f"run.py {function.__name__}", description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=runner.ROOT / "build" / "release" / "bin",
                        help="folder of tenon; default: build/release/bin")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    parser.add_argument("--folder", type=pathlib.Path, help="keeps the files there; default: a temporary folder")
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        default, option = parameter.default, f"--{name.replace('_', '-')}"
        if isinstance(default, tuple):
            def some(text, known=default):
                if unknown := set(text.split(",")) - set(known):
                    raise argparse.ArgumentTypeError(f"there is no {', '.join(sorted(unknown))}")
                return tuple(text.split(","))
            parser.add_argument(option, type=some, default=default, help=f"some of {','.join(default)}")
        else:
            parser.add_argument(option, type=type(default), default=default, help=f"default: {default}")
    return parser


def main():
    name, words = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if name not in HOME:
        print(f"{__doc__}\nNames: {', '.join(HOME)}")
        return 0 if name in ("", "-h", "--help") else 2
    try:
        function = getattr(importlib.import_module(HOME[name]), name)
    except ImportError as error:
        print(f"skipped: {error}; run `pip install numpy onnx onnxruntime tflite`")
        return 0
    options = vars(options_of(function).parse_args(words))
    bin_dir, json_file, folder = (options.pop(key) for key in ("bin", "json", "folder"))
    if not (bin_dir / "tenon").exists():
        sys.exit(f"no tenon in {bin_dir}: build it (make), or name its folder with --bin=DIR")
    session = runner.Session(bin_dir.resolve(), folder)
    try:
        status = function(session, **options)
    except runner.Skip as reason:
        print(f"skipped: {name}: {reason}")
        return 0
    if json_file:
        json_file.write_text(json.dumps(session.figures, indent=1) + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())

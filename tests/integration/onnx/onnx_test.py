#!/usr/bin/env python3
"""Runs recorded cases of ONNX operators, damaged models, and the models of the corpus.

Use: onnx_test.py --tenon BIN --engine interp [--engine c]... recorded|quantised
     onnx_test.py --tenon BIN hostile
     onnx_test.py --tenon BIN --engine c models

recorded.json has one node case of the package `onnx` for each operator, with the outputs that the package expects;
`scripts/judges/onnx_nodes.py --record tests/integration/onnx/recorded.json` writes it. quantised.json has graphs of
quantised operators with the outputs of onnxruntime; `scripts/judges/onnx_quantised.py --record` writes it. `hostile` gives damaged
models to the reader: each must be refused with a message, or accepted, in few seconds and little memory. `models`
runs the models of the corpus. Both also run with channels last. Exit code 77 (skipped) if the corpus is not there.
"""

import argparse
import base64
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import zlib

SKIPPED = 77
FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER.parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "lit" / "frontends" / "onnx" / "Inputs"))
import write_model  # noqa: E402

SECONDS = 2
BYTES = 500 << 20
# The files with answers, by what gave the answers.
MODELS = {"bert_tiny": "torch0", "ds_cnn": "torch0", "ds_cnn_qdq_s8s8": "ort0", "ds_cnn_qdq_u8s8": "ort0",
          "ds_cnn_qop_u8s8": "ort0", "efficientnet_like": "torch0", "gru_spotter": "torch0",
          "lstm_spotter": "torch0", "shufflenet_v2_x0_5": "torch0", "unet": "torch0",
          "whisper_encoder_tiny": "torch0"}


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def arguments(case, folder):
    """The arguments of `tenon run` for a recorded case."""
    (folder / "model.onnx").write_bytes(unpacked(case["model"]))
    args = [str(folder / "model.onnx")]
    for name, array in case["constants"].items():
        path = folder / f"constant{len(args)}.npy"
        path.write_bytes(unpacked(array))
        args.append(f"--constant={name}={path}")
    for flag, arrays in (("input", case["inputs"]), ("expect", case["outputs"])):
        for index, array in enumerate(arrays):
            path = folder / f"{flag}{index}.npy"
            path.write_bytes(unpacked(array))
            args.append(f"--{flag}={path}")
    return args


def layouts_of(args):
    """Arguments of `tenon run`: each engine with the default layout, and the first one with channels last."""
    return [[f"--engine={engine}"] for engine in args.engine] + [
        [f"--engine={args.engine[0]}", "--tensor-layout=channels-last"]]


def check_recorded(args, folder):
    failed = []
    cases = json.loads((FOLDER / f"{args.kind}.json").read_text(encoding="utf-8"))
    for operator, case in cases.items():
        given = arguments(case, folder)
        for how in layouts_of(args):
            done = subprocess.run([args.tenon, "run", *given, *how], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                failed.append(f"{operator}, {how}: {done.stderr.strip()}")
    print(f"{len(cases)} operators")
    return failed


def damaged(model, generator):
    """A copy of the model with a few changed bytes."""
    data = bytearray(model)
    for _ in range(generator.randint(1, 8)):
        data[generator.randrange(len(data))] = generator.choice((0, 1, 0x7f, 0x80, 0xff, generator.randrange(256)))
    return bytes(data)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))


def hostile_models():
    generator = random.Random(7)
    for name in write_model.all_models():
        model = getattr(write_model, name)()
        yield name, model
        if name in ("add", "typed", "with_function", "folded", "branch"):
            for part in range(1, 64):
                yield f"{name} up to {part}/64", model[:len(model) * part // 64]
            for seed in range(20):
                yield f"{name} damaged by {seed}", damaged(model, generator)


def check_hostile(args, folder):
    failed = []
    (folder / "weights.bin").write_bytes(b"0000AAAABBBBCCCC")
    os.symlink(__file__, folder / "link.bin")
    opt = str(pathlib.Path(args.tenon).with_name("tenon-opt"))
    path = folder / "model.onnx"
    for name, model in hostile_models():
        path.write_bytes(model)
        try:
            done = subprocess.run([opt, str(path), "-o", os.devnull], capture_output=True, text=True, check=False,
                                  errors="replace", timeout=SECONDS, preexec_fn=limit_memory)
        except subprocess.TimeoutExpired:
            failed.append(f"{name}: no end after {SECONDS} s")
            continue
        if done.returncode not in (0, 1) or (done.returncode == 1 and "error:" not in done.stderr):
            failed.append(f"{name}: exit code {done.returncode}: {done.stderr[-300:]}")
    return failed


def check_models(args, _folder):
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR") or SOURCE.parent / "shared" / "corpus") / "onnx"
    if not corpus.is_dir():
        sys.exit(SKIPPED)
    failed = []
    for name, expected in MODELS.items():
        given = [f"--input={path}" for path in sorted(corpus.glob(f"{name}.in*.npy"))]
        for how in layouts_of(args):
            done = subprocess.run([args.tenon, "run", str(corpus / f"{name}.onnx"), *given,
                                   f"--expect={corpus / f'{name}.{expected}.npy'}", *how],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                failed.append(f"{name}, {how}: {done.stderr.strip()}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("kind", choices=["recorded", "quantised", "hostile", "models"])
    args = parser.parse_args()
    check = {"recorded": check_recorded, "quantised": check_recorded, "hostile": check_hostile, "models": check_models}[args.kind]
    with tempfile.TemporaryDirectory() as name:
        failed = check(args, pathlib.Path(name))
    for text in failed:
        print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

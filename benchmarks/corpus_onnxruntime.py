#!/usr/bin/env python3
"""The models of the corpus, next to onnxruntime with the same weights.

Use: corpus_onnxruntime.py --bin BIN_DIR [--rounds=N] [--models=a,b]

Makes an ONNX model of each .tflite file, int8 as QuantizeLinear and DequantizeLinear nodes (QDQ). Compares
the answers, and times both by turns, each with one thread: `tenon run --engine=jit -O3 --cpu=native`
of TVM's two texts and of the file. onnxruntime rounds other than TensorFlow Lite, so int8 answers may
differ a little. Prints medians in ms, and ratios to onnxruntime. Needs NumPy, onnx, onnxruntime and
tflite; without them it says so and ends with 0.
"""

import argparse
import math
import pathlib
import statistics
import sys
import tempfile

try:
    import numpy as np
    import onnx_graph
    import tflite_onnx
except ImportError as error:
    sys.exit(print(f"skipped: {error}; run `pip install numpy onnx onnxruntime tflite`") or 0)

from model_speed import CORPUS, MODELS, jit_median

TEXTS = ("module.py", "module_llvm.py", ".tflite")
MOST_DIFFERENT = 0.1  # mean difference of int8 answers, over the range of int8


def compare(name, answer, other):
    """int8 answers of onnxruntime are uint8."""
    is_int8 = other.dtype == np.uint8
    difference = np.abs(answer.astype(np.float32).ravel() - other.astype(np.float32).ravel() +
                        (128 if is_int8 else 0))
    if difference.mean() > 256 * MOST_DIFFERENT if is_int8 else not np.allclose(
            answer.ravel(), other.ravel(), rtol=1e-3, atol=1e-3):
        sys.exit(f"{name}: the answers differ by {difference.mean()} on average")


def measure(bin_dir, name, rounds):
    """Medians of onnxruntime and of each text; NaN for a text that is not there."""
    folder = CORPUS / "models" / name
    file = CORPUS / "tflite" / f"{MODELS[name][0]}.tflite"
    graph = tflite_onnx.TfliteGraph(file)
    session = graph.onnx_session(name)
    given = folder / "input0.npy"
    values = np.load(given).reshape(graph.shape)
    if graph.is_quantised:
        values = (values.astype(np.int16) + 128).astype(np.uint8)
    sources = [file if text == ".tflite" else folder / text for text in TEXTS]
    ways = []
    for source in sources:
        if not source.exists():
            ways.append(lambda: math.nan)
            continue
        with tempfile.NamedTemporaryFile(suffix=".npy") as output:
            once = jit_median(bin_dir, source, given, "--output", output.name)
            compare(name, np.load(output.name), session.run(None, {"x": values})[0])
        repeat = f"--repeat={onnx_graph.runs_for(once)}"
        ways.append(lambda source=source, repeat=repeat: jit_median(bin_dir, source, given, repeat))
    runs = onnx_graph.runs_for(onnx_graph.median_ms(session, values, 5))
    ways.insert(0, lambda: onnx_graph.median_ms(session, values, runs))
    return [statistics.median(times) for times in zip(*([way() for way in ways]
                                                        for _ in range(rounds)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--models", default=",".join(MODELS))
    args = parser.parse_args()
    if not (CORPUS / "models").is_dir():
        print(f"no models in {CORPUS} (TENON_CORPUS_DIR); nothing is measured")
        return
    print(f"{'model':14}{'onnxruntime':>12}" + "".join(f"{text:>16}{'ratio':>7}" for text in TEXTS))
    for name in args.models.split(","):
        peer, *times = measure(args.bin, name, args.rounds)
        print(f"{name:14}{peer:12.4f}" + "".join(f"{time:16.4f}{time / peer:7.2f}" for time in times),
              flush=True)


if __name__ == "__main__":
    main()

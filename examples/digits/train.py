#!/usr/bin/env python3
"""Trains the digits classifier, quantises it to int8, and writes the files of this example.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python train.py [--out FOLDER]

README.md describes the files. With the versions pinned in requirements.txt, the same machine gives
the same bytes every time. Another processor may round a sum differently and produce other weights.
"""

import argparse
import os
import pathlib

# One thread and the simplest kernels, so that sums always have the same order. This must be set
# before numpy is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OPENBLAS_CORETYPE"] = "Prescott"

import numpy as np  # noqa: E402

from training import data, integer, network, onnx, quantise, safetensors, script, tflite  # noqa: E402


def accuracy(logits, labels):
    """Percentage of correct results; the first of equal logits wins, as in main.c."""
    return 100.0 * float((logits.argmax(axis=1) == labels).mean())


def write_files(folder, model, images, labels, logits):
    safetensors.write(folder / "digits.safetensors", script.named_constants(model))
    (folder / "digits.py").write_text(script.module(model), encoding="ascii")
    tflite.write(folder / "digits.tflite", model)
    onnx.write(folder / "digits.onnx", model)
    np.save(folder / "heldout_images.npy", images)
    np.save(folder / "heldout_labels.npy", labels)
    np.save(folder / "expected_logits.npy", logits)
    np.save(folder / "input0.npy", images[:1])
    np.save(folder / "expected0.npy", logits[:1])


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=here, help="where to write the files")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)

    (images, labels), (held_images, held_labels) = data.load_split()
    pixels = data.dequantise_images(images)
    random = np.random.Generator(np.random.PCG64(data.SEED + 1))
    parameters = network.train(pixels, labels, data.shifted, random)
    model = quantise.quantise(parameters, pixels)

    trained = network.forward(parameters, pixels)["logits"]
    held = network.forward(parameters, data.dequantise_images(held_images))["logits"]
    logits = integer.run(model, held_images)
    write_files(folder, model, held_images, held_labels, logits)
    print(f"training part, float: {accuracy(trained, labels):.2f} % of {len(labels)}")
    print(f"held out, float:      {accuracy(held, held_labels):.2f} % of {len(held_labels)}")
    print(f"held out, int8:       {accuracy(logits, held_labels):.2f} %")


if __name__ == "__main__":
    main()

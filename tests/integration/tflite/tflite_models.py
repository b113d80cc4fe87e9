"""Inputs for models of the corpus, the same at each call, and the outputs that LiteRT gave.

The models have int8 inputs and outputs, one of each. recorded/models.json has the shapes and the
outputs; `scripts/judges/litert.py --record-models FILE` writes it.
"""

import json
import os
import pathlib
import random

from tflite_cases import INT8, npy

FOLDER = pathlib.Path(__file__).resolve().parent
RECORDED = FOLDER / "recorded" / "models.json"
COUNT = 10
# The names of the files in the corpus.
FILES = {"ad_int8": "ad01_int8", "kws_int8": "kws_ref_model", "resnet_int8": "pretrainedResnet_quant",
         "sww_int8": "str_ww_ref_model", "vww_int8": "vww_96_int8"}


def corpus():
    return pathlib.Path(os.environ.get("TENON_CORPUS_DIR")
                        or FOLDER.parents[2].parent / "shared" / "corpus")


def file_of(model):
    """The .tflite file of a model; it need not be there."""
    return corpus() / "tflite" / f"{FILES[model]}.tflite"


def random_bytes(model, shape):
    """COUNT inputs, one after the other."""
    size = 1
    for extent in shape:
        size *= extent
    return b"".join(random.Random(f"{model} {index}").randbytes(size) for index in range(COUNT))


def write_vectors(model, folder):
    """Writes the inputs and the outputs, each with one more axis in front; returns the paths."""
    recorded = json.loads(RECORDED.read_text())[model]
    given, wanted = folder / "inputs.npy", folder / "outputs.npy"
    inputs = random_bytes(model, recorded["input"])
    given.write_bytes(npy([COUNT, *recorded["input"]], INT8, memoryview(inputs).cast("b")))
    outputs = [value for output in recorded["outputs"] for value in output]
    wanted.write_bytes(npy([COUNT, *recorded["output"]], INT8, outputs))
    return given, wanted

"""Networks, models of the corpus and BERT, next to onnxruntime with the same weights.

Both sides run alternately, each with one thread: `tenon run --engine=jit -O3 --cpu=native`. Answers are
compared first. Figures are medians in ms, and ratios to onnxruntime.
"""

import argparse
import functools
import sys

import bert_module
import networks
import numpy as np
import onnx_graph
import onnx_layers
from runner import CORPUS, MODELS, Skip, by_turns, needs_corpus, runs_for

PEER = "onnxruntime"
CONTRACTED = {"exact": [], "contracted": ["--fp-contract=fast"]}


def compare(name, answer, expected, most, tolerance):
    """The first answer is Tenon's. The answers of an int8 model may differ by `most` on average."""
    answer, expected = (values.astype(np.float32).ravel() for values in (answer, expected))
    difference = np.abs(answer - expected)
    if name.endswith("int8"):
        if difference.mean() > most:
            sys.exit(f"{name}: the answers differ by {difference.mean():.2f} on average")
    elif not np.allclose(answer, expected, **tolerance):
        sys.exit(f"{name}: the answers differ by up to {difference.max()}")


def peer_way(onnx_session, values):
    runs = runs_for(onnx_graph.median_ms(onnx_session, values, 5))
    return {PEER: lambda: onnx_graph.median_ms(onnx_session, values, runs)}


def tenon_answer(session, module, inputs):
    """The output of a module, and the time of that run."""
    once = session.jit_ms(module, inputs, f"--output={session.folder}/answer.npy")
    return np.load(session.folder / "answer.npy"), once


def networks_onnxruntime(session, network=tuple(networks.NETWORKS), size="full", rounds=5):
    """The networks of networks.py, next to onnxruntime with the same weights.

    Also with `--fp-contract=fast`. Networks of int8 have QuantizeLinear and DequantizeLinear nodes between
    their layers (QDQ); onnxruntime rounds other than TVM's fixed-point multiplications, so their answers may
    differ a little. `size` is small, large or full; 0 rounds compare the answers only.
    """
    table = session.table("Milliseconds a run", "network", PEER, "exact", f"exact/{PEER}", "contracted",
                          f"contracted/{PEER}")
    for name in network:
        module, path = networks.write(name, size, session.folder)
        onnx_session, shape = onnx_layers.onnx_session(name, size)
        values = np.load(path).reshape(shape)
        answer, once = tenon_answer(session, module, [path])
        compare(name, answer, onnx_session.run(None, {"x": values})[0], 0.2 * np.abs(answer.astype(np.float32)).mean(),
                {"rtol": 1e-4, "atol": 1e-5})
        if rounds == 0:
            table.add(name, {"exact": "the answers agree"})
            continue
        ways = {way: functools.partial(session.jit_ms, module, [path], *flags, repeat=runs_for(once))
                for way, flags in CONTRACTED.items()}
        table.add(name, by_turns({**peer_way(onnx_session, values), **ways}, rounds))


def corpus_onnxruntime(session, models=tuple(MODELS), rounds=7):
    """The models of the corpus, next to onnxruntime with the same weights.

    Makes an ONNX model of each .tflite file, int8 as QuantizeLinear and DequantizeLinear nodes (QDQ), next to
    TVM's two texts and the file. onnxruntime rounds other than TensorFlow Lite, so int8 answers may differ a
    little.
    """
    try:
        import tflite_onnx
    except ImportError as error:
        raise Skip(f"{error}; run `pip install tflite`") from error
    needs_corpus()
    texts = ("module.py", "module_llvm.py", ".tflite")
    table = session.table("Milliseconds a run", "model", PEER,
                          *(column for text in texts for column in (text, f"{text}/{PEER}")))
    for name in models:
        folder, file = CORPUS / "models" / name, CORPUS / "tflite" / f"{MODELS[name]}.tflite"
        graph = tflite_onnx.TfliteGraph(file)
        onnx_session, inputs = graph.onnx_session(name), [folder / "input0.npy"]
        values = np.load(inputs[0]).reshape(graph.shape)
        if graph.is_quantised:
            values = (values.astype(np.int16) + 128).astype(np.uint8)
        expected = onnx_session.run(None, {"x": values})[0]
        if expected.dtype == np.uint8:
            expected = expected.astype(np.int16) - 128
        ways = peer_way(onnx_session, values)
        for text in texts:
            source = file if text == ".tflite" else folder / text
            if source.exists():
                answer, once = tenon_answer(session, source, inputs)
                compare(name, answer, expected, 25.6, {"rtol": 1e-3, "atol": 1e-3})  # a tenth of int8's range
                ways[text] = functools.partial(session.jit_ms, source, inputs, repeat=runs_for(once))
        table.add(name, by_turns(ways, rounds))


def bert_onnxruntime(session, rounds=5, sizes=""):
    """A layer of BERT-base, next to onnxruntime with the same weights.

    Also with `--fp-contract=fast`. Checks both sides against NumPy. `sizes` are options of bert_module.py.
    """
    parser = argparse.ArgumentParser()
    bert_module.add_sizes(parser)
    parser.set_defaults(layers=1, hidden=768, heads=12, ffn=3072, tokens=128, all_layers=True)
    sizes = bert_module.Sizes(parser.parse_args(sizes.split()))
    bert_module.generate(sizes, session.folder)
    files = {name: session.folder / f"{name}.npy" for name in ("ids", "depth", "expected")}
    layers = onnx_layers.BertLayers(sizes)
    onnx_session = layers.session("bert", ("ids", "INT32", [sizes.tokens]),
                                  (layers.result(), "FLOAT", [sizes.tokens, sizes.hidden]))
    ids = np.load(files["ids"])
    compare("bert", np.load(files["expected"]), onnx_session.run(None, {"ids": ids})[0], 0,
            {"rtol": 1e-4, "atol": 1e-5})
    ways = peer_way(onnx_session, ids)
    for way, flags in CONTRACTED.items():
        run = functools.partial(session.jit_ms, session.folder / "bert.py", [files["ids"], files["depth"]], *flags,
                                expect=[files["expected"]])
        ways[way] = functools.partial(run, repeat=runs_for(run()))
    times = by_turns(ways, rounds)
    table = session.table("A layer of BERT-base, milliseconds", "way", "ms:.2f", "ratio:.2f")
    for way, median in times.items():
        table.add(way, {"ms": median, "ratio": median / times[PEER]})

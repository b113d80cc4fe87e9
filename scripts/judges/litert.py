#!/usr/bin/env python3
"""Compares .tflite models with the reference kernels of TensorFlow Lite, as LiteRT has them.

Use: scripts/judges/litert.py --tenon build/release/bin/tenon [--cases 200] [--kinds conv_2d,...]
                              [--engines interp,c,jit] [MODEL.tflite ...]

Without models, it makes random models of each operator (tests/integration/tflite/tflite_cases.py). The kinds
`graphs` and `parameters` are graphs of several operators, and operators with hostile parameters
(tflite_graphs.py): of the latter, Tenon may refuse what LiteRT runs.
A model is run on random inputs (--inputs 10), many in one run of Tenon. With --tensors, every
tensor is compared, and not the outputs alone. Integers must be equal; floats may differ by 1e-5 + 1e-4 |y|. It needs the
packages ai-edge-litert and numpy. TensorFlow Lite Micro (the package tflite-micro) judges cases
that LiteRT does not run, and models with --micro. `make judges` installs all in an environment of
their own.
"""

import argparse
import collections
import json
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile

import flatbuffers
import numpy
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration/tflite"))
import tflite_cases  # noqa: E402
import tflite_graphs  # noqa: E402
import tflite_models  # noqa: E402
import tflite_special  # noqa: E402

# Bytes of tensors that are compared in one run of Tenon.
MOST_BYTES = 1 << 27

NAMES = {tflite_cases.FLOAT16: numpy.float16, tflite_cases.FLOAT32: numpy.float32,
         tflite_cases.INT8: numpy.int8, tflite_cases.UINT8: numpy.uint8,
         tflite_cases.INT16: numpy.int16, tflite_cases.INT32: numpy.int32,
         tflite_cases.INT64: numpy.int64, tflite_cases.BOOL: numpy.bool_}


def load_litert(model, optimised=False):
    """LiteRT's reference kernels for a model, or its optimised ones."""
    kinds = litert.OpResolverType
    runner = litert.Interpreter(
        model_content=model, experimental_op_resolver_type=(
            kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES if optimised else kinds.BUILTIN_REF))
    runner.allocate_tensors()
    return runner


def invoke(runner, inputs, runs):
    """The outputs for inputs. States are reset first, and persist from run to run. Resource variables
    stay: a model with them needs an interpreter for each call."""
    runner.reset_all_variables()
    for _ in range(runs):
        # An LSTM may write its inputs.
        for details, value in zip(runner.get_input_details(), inputs):
            runner.set_tensor(details["index"], value)
        runner.invoke()
    return [runner.get_tensor(details["index"]) for details in runner.get_output_details()]


class Micro:
    """TensorFlow Lite Micro, with the methods of LiteRT's interpreter that are used here."""

    def __init__(self, model):
        from tflite_micro import runtime  # pylint: disable=import-outside-toplevel
        self.runner = runtime.Interpreter.from_bytes(model)
        tree = schema.ModelT.InitFromPackedBuf(bytearray(model), 0).subgraphs[0]
        self.counts = len(tree.inputs), len(tree.outputs)

    def get_input_details(self):
        return [self.runner.get_input_details(index) | {"index": index}
                for index in range(self.counts[0])]

    def get_output_details(self):
        return [self.runner.get_output_details(index) | {"index": index}
                for index in range(self.counts[1])]

    def reset_all_variables(self):
        self.runner.reset()

    def set_tensor(self, index, value):
        self.runner.set_input(value, index)

    def invoke(self):
        self.runner.invoke()

    def get_tensor(self, index):
        return numpy.array(self.runner.get_output(index))


def load(model, micro, optimised=False):
    return Micro(model) if micro else load_litert(model, optimised)


def run_judge(case, inputs):
    """The outputs, or None and a message where the judge refuses the model."""
    try:
        return invoke(load(case.model, case.micro, case.optimised), inputs, case.runs), ""
    except (RuntimeError, ValueError) as error:
        return None, next(iter(str(error).splitlines()), "no message")


def run_judge_apart(case, inputs):
    """The same in a process of its own, as LiteRT crashes on some models."""
    context = multiprocessing.get_context("fork")
    answers, sender = context.Pipe(False)
    process = context.Process(target=lambda: sender.send(run_judge(case, inputs)))
    process.start()
    sender.close()
    try:
        return answers.recv()
    except EOFError:
        return None, "LiteRT crashed"
    finally:
        process.join()


def run_tenon(tenon, engine, model, inputs, outputs, folder, runs=1, each=False):
    """The differences that `tenon run` reports; empty if there are none. With `each`, arrays have one
    more axis in front."""
    path = folder / "model.tflite"
    path.write_bytes(model)
    command = [tenon, "run", str(path), f"--engine={engine}", f"--repeat={runs}"]
    command += ["--each"] if each else []
    for index, value in enumerate(inputs):
        numpy.save(folder / f"in{index}.npy", value)
        command += ["--input", str(folder / f"in{index}.npy")]
    for index, value in enumerate(outputs):
        numpy.save(folder / f"out{index}.npy", value)
        command += ["--expect", str(folder / f"out{index}.npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode not in (0, 1):
        return f"crashed with exit code {done.returncode}: {done.stdout + done.stderr}"
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip() or "no message"


def arrays(case):
    return [numpy.array(values, NAMES[dtype]).reshape(shape)
            for shape, dtype, values in case.inputs]


def random_input(generator, details):
    shape, dtype = details["shape"], numpy.dtype(details["dtype"])
    if dtype.kind == "f":
        return generator.standard_normal(shape).astype(dtype)
    limits = numpy.iinfo(dtype)
    return generator.integers(limits.min, limits.max, size=shape, dtype=dtype, endpoint=True)


def record_kind(kind, args):
    """Writes what LiteRT gives for the first cases of a kind."""
    codes = {numpy.dtype(name): code for code, name in NAMES.items()}
    entries = []
    for seed in range(args.first, args.first + args.cases):
        case = tflite_graphs.make_case(kind, seed)
        outputs, _ = run_judge_apart(case, arrays(case))
        if outputs is None or sum(value.size for value in outputs) > 600:
            continue
        entries.append({"seed": seed, "outputs": [
            (list(value.shape), codes[value.dtype], value.ravel().tolist()) for value in outputs]})
    path = pathlib.Path(args.record) / f"{kind}.json"
    path.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")


def is_refusal(problem):
    return "[unsupported]" in problem or "[syntax]" in problem


def judge_case(kind, seed, args, folder, tally):
    case = tflite_graphs.make_case(kind, seed)
    inputs = arrays(case)
    outputs, refusal = run_judge(case, inputs)
    if outputs is None:
        tally["refused by LiteRT"] += 1
        if args.verbose:
            print(f"  {kind} {seed}: {refusal}")
        # Tenon may run it, and must not crash.
        outputs = []
    ways = [(engine, case.model) for engine in args.engines]
    for engine, model in ways + [(args.engines[0], case.shapeless)] * bool(case.shapeless):
        problem = run_tenon(args.tenon, engine, model, inputs, outputs, folder, case.runs)
        refused = is_refusal(problem) and "crashed" not in problem
        if refusal and (refused or not problem):
            continue
        if kind == "parameters" and refused:
            tally["refused by Tenon"] += 1
            if args.verbose:
                print(f"  {kind} {seed}: {problem[:300]}")
            continue
        tally["wrong" if problem else "equal"] += 1
        if problem and tally["wrong"] <= args.shown:
            way = engine if model == case.model else f"{engine} without shapes"
            print(f"  {kind} {seed} {way}: {problem[:600]}")


def judge_kind(kind, args, folder):
    """In processes of their own, as LiteRT crashes on some models."""
    context = multiprocessing.get_context("fork")
    last = args.first + args.cases
    at = context.Value("i", args.first)
    total = collections.Counter()

    def run(answers):
        tally = collections.Counter()
        while at.value < last:
            judge_case(kind, at.value, args, folder, tally)
            at.value += 1
            answers.put(dict(tally))
            tally.clear()

    while at.value < last:
        answers = context.SimpleQueue()
        process = context.Process(target=run, args=(answers,))
        process.start()
        # The pipe of the queue is small, so it is read while the process runs.
        while process.is_alive() or not answers.empty():
            if answers.empty():
                process.join(0.01)
                continue
            total.update(answers.get())
        if process.exitcode != 0:
            total["LiteRT crashed" if process.exitcode < 0 else "wrong"] += 1
            at.value += 1
    print(f"{kind}: " + ", ".join(f"{count} {name}" for name, count in sorted(total.items())),
          flush=True)
    return total["wrong"]


def with_all_outputs(model):
    """The model with every tensor that an operator writes as an output."""
    tree = schema.ModelT.InitFromPackedBuf(bytearray(model), 0)
    graph = tree.subgraphs[0]
    graph.outputs = numpy.array(
        [number for operator in graph.operators
         for number in ([] if operator.outputs is None else operator.outputs)
         if number >= 0 and graph.tensors[number].type != schema.TensorType.RESOURCE], numpy.int32)
    tree.signatureDefs = None
    builder = flatbuffers.Builder(len(model))
    builder.Finish(tree.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def has_resources(model):
    """True if the model has variables that stay as long as an interpreter."""
    tree = schema.ModelT.InitFromPackedBuf(bytearray(model), 0)
    return any(max(code.builtinCode, code.deprecatedBuiltinCode) == schema.BuiltinOperator.VAR_HANDLE
               for code in tree.operatorCodes)


def judge_model(path, args, folder):
    model = pathlib.Path(path).read_bytes()
    if args.tensors:
        model = with_all_outputs(model)
    generator = numpy.random.default_rng(args.first)
    tally = collections.Counter()
    try:
        runner = load(model, args.micro)
    except (RuntimeError, ValueError) as error:
        print(f"{path}: refused by LiteRT: {str(error).splitlines()[0]}")
        return 0
    details = runner.get_input_details()
    if not runner.get_output_details():
        print(f"{path}: no outputs")
        return 0
    size = sum(numpy.dtype(one["dtype"]).itemsize * int(numpy.prod(one["shape"]))
               for one in runner.get_output_details())
    most = max(1, MOST_BYTES // max(1, size))
    for first in range(0, args.inputs, most):
        count = min(most, args.inputs - first)
        inputs, outputs = [], []
        for _ in range(count):
            inputs.append([random_input(generator, one) for one in details])
            if has_resources(model):
                runner = load(model, args.micro)
            try:
                outputs.append(invoke(runner, inputs[-1], args.runs))
            except RuntimeError as error:  # An input may be a shape, for example.
                print(f"{path}: LiteRT refuses a random input: {str(error).splitlines()[0]}")
                return 0
        stacked = [[numpy.stack(values) for values in zip(*arrays)]
                   for arrays in (inputs, outputs)]
        for engine in args.engines:
            problem = run_tenon(args.tenon, engine, model, *stacked, folder, args.runs, each=True)
            tally["wrong" if problem else "equal"] += 1 if problem else count
            if problem and tally["wrong"] <= args.shown:
                print(f"  {path} from input {first} {engine}: {problem[:600]}")
    print(f"{path}: {', '.join(args.engines)}: " +
          ", ".join(f"{count} {name}" for name, count in sorted(tally.items())), flush=True)
    return tally["wrong"]


def record_models(path):
    """Writes what LiteRT gives for the inputs of tflite_models."""
    recorded = []
    for name in sorted(tflite_models.FILES):
        runner = load_litert(tflite_models.file_of(name).read_bytes())
        shapes = [[int(extent) for extent in details["shape"]] for details in
                  (runner.get_input_details()[0], runner.get_output_details()[0])]
        inputs = numpy.frombuffer(tflite_models.random_bytes(name, shapes[0]), numpy.int8)
        outputs = [invoke(runner, [value], 1)[0].ravel().tolist()
                   for value in inputs.reshape([-1, *shapes[0]])]
        recorded.append(f"{json.dumps(name)}: " + json.dumps(
            {"input": shapes[0], "output": shapes[1], "outputs": outputs}))
    pathlib.Path(path).write_text("{\n" + ",\n".join(recorded) + "\n}\n")


def record_special(path):
    """Writes what LiteRT gives for the tables of tflite_special."""
    tables = []
    for name in tflite_special.TABLES:
        table = tflite_special.make(name)
        optimised = name in tflite_special.OPTIMISED
        outputs = invoke(load_litert(table.model, optimised), arrays(table), 1)
        lines = ",\n".join(json.dumps(output.ravel().tolist()) for output in outputs)
        tables.append(f"{json.dumps(name)}: [\n{lines}\n]")
    pathlib.Path(path).write_text("{\n" + ",\n".join(tables) + "\n}\n")


def judge_apart(path, args, folder):
    """judge_model in a process of its own, as LiteRT crashes on some models."""
    context = multiprocessing.get_context("fork")
    wrong = context.Value("i", 0)

    def run():
        wrong.value = judge_model(path, args, folder)

    process = context.Process(target=run)
    process.start()
    process.join()
    if process.exitcode < 0:
        print(f"{path}: LiteRT ended with signal {-process.exitcode}", flush=True)
    return 1 if process.exitcode > 0 else wrong.value


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--inputs", type=int, default=10)
    parser.add_argument("--runs", type=int, default=1, help="of models, on each input")
    parser.add_argument("--kinds", default=",".join(tflite_cases.KINDS))
    parser.add_argument("--engines", default="interp", type=lambda text: text.split(","))
    parser.add_argument("--tensors", action="store_true", help="of models, compare all tensors")
    parser.add_argument("--micro", action="store_true",
                        help="of models, compare with TensorFlow Lite Micro")
    parser.add_argument("--shown", type=int, default=2, help="failures to show of each kind")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--record", metavar="FOLDER", help="write what LiteRT gives, and end")
    parser.add_argument("--record-models", metavar="FILE",
                        help="write what LiteRT gives for models of the corpus, and end")
    parser.add_argument("--record-special", metavar="FILE",
                        help="write what LiteRT gives for special floats, and end")
    parser.add_argument("models", nargs="*")
    return parser.parse_args()


def main():
    args = parse()
    if args.record_models:
        record_models(args.record_models)
        return 0
    if args.record_special:
        record_special(args.record_special)
        return 0
    if args.record:
        for kind in args.kinds.split(","):
            record_kind(kind, args)
        return 0
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in args.models:
            wrong += judge_apart(path, args, folder)
        for kind in [] if args.models else args.kinds.split(","):
            wrong += judge_kind(kind, args, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

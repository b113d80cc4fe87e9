"""Runs a model in its framework for `tenon verify`. Use: verify_framework.py FOLDER

FOLDER/request.json says what to run. The inputs of run 1 are FOLDER/in_1_0.npy, FOLDER/in_1_1.npy, ...
in the order of the model, and its outputs go to FOLDER/out_1_0.npy, .... Inputs and outputs that are
states or constants have no files. The tensors that the request lists go to FOLDER/tensor_1_0.npy, ...,
unless the framework lacks them. The exit code 3 says that the framework is not installed.
"""

import importlib
import json
import pathlib
import sys

MISSING = 3


def first_module(names):
    """The first of the modules that is installed."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            reason = error
    print(reason, file=sys.stderr)
    sys.exit(MISSING)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def message(number, data):
    """A field of a protocol buffer."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def with_outputs(model, names):
    """The bytes of a model with more outputs. Readers of protocol buffers join the parts of a message."""
    infos = [message(12, message(1, name.encode())) for name in names]  # GraphProto.output, ValueInfoProto.name
    return model + message(7, b"".join(infos))  # ModelProto.graph


class Onnx:
    """A session of onnxruntime, with the states that it keeps from run to run."""

    def __init__(self, request):
        runtime = first_module(["onnxruntime"])
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        for name, extent in request["dims"].items():
            options.add_free_dimension_override_by_name(name, extent)
        path = pathlib.Path(request["model"])
        model = request["model"]
        if request["tensors"]:
            outputs = runtime.InferenceSession(model, options, ["CPUExecutionProvider"]).get_outputs()
            names = {each["name"] for each in request["tensors"]} - {each.name for each in outputs}
            model = with_outputs(path.read_bytes(), sorted(names))
            options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                             str(path.resolve().parent))
        self.session = self.session_of(runtime, options, model)
        self.tensors = [each["name"] for each in request["tensors"]]
        self.outputs = [each.name for each in (outputs if request["tensors"] else self.session.get_outputs())]
        self.states = request["states"]
        self.last_inputs = set(request["inputs_with_channels_last"])
        self.last_outputs = set(request["outputs_with_channels_last"])
        self.values = {}
        self.inputs = []
        for each in self.session.get_inputs():
            if each.name in request["constants"]:
                self.values[each.name] = constant(each, request["constants"][each.name])
            elif each.name in self.states:
                self.values[each.name] = numpy.zeros(request["shapes"].get(each.name, each.shape), type_of(each))
            else:
                self.inputs.append(each.name)

    @staticmethod
    def session_of(runtime, options, model):
        """A session without the saturated sums of onnxruntime's int8 kernels on x86-64 processors without VNNI."""
        options.add_session_config_entry("session.x64quantprecision", "1")
        try:
            return runtime.InferenceSession(model, options, ["CPUExecutionProvider"])
        except Exception:  # pylint: disable=broad-exception-caught
            # Convolutions with int8 inputs do not load with this setting.
            options.add_session_config_entry("session.x64quantprecision", "0")
            return runtime.InferenceSession(model, options, ["CPUExecutionProvider"])

    def run(self, inputs):
        feeds = dict(zip(self.inputs, inputs, strict=True))
        for name in self.last_inputs:
            feeds[name] = numpy.ascontiguousarray(numpy.moveaxis(feeds[name], -1, 1))
        feeds |= self.values
        wanted = [each.name for each in self.session.get_outputs()]
        results = dict(zip(wanted, self.session.run(wanted, feeds), strict=True))
        for name, output in self.states.items():
            self.values[name] = results[output]
        kept = set(self.states.values())
        outputs = [self.in_layout(name, results[name]) for name in self.outputs if name not in kept]
        return outputs, [results[name] for name in self.tensors]

    def in_layout(self, name, value):
        """An output as Tenon gives it."""
        return numpy.ascontiguousarray(numpy.moveaxis(value, 1, -1)) if name in self.last_outputs else value


def type_of(value):
    """NumPy's name of a type such as `tensor(float)`."""
    name = value.type[len("tensor("):-1]
    return {"float": "float32", "double": "float64"}.get(name, name)


def constant(value, given):
    """An array of a file, or a number with the type of the input."""
    if given.endswith(".npy"):
        return numpy.load(given)
    name = type_of(value)
    number = float(given) if name.startswith("float") else int({"true": 1, "false": 0}.get(given, given))
    return numpy.full([1] * len(value.shape), number, name)


class Tflite:
    """The reference kernels of LiteRT, whose interpreter keeps the states."""

    def __init__(self, request):
        litert = first_module(["ai_edge_litert.interpreter", "tflite_runtime.interpreter",
                               "tensorflow.lite.python.interpreter"])
        self.tensors = [each["number"] for each in request["tensors"]]
        self.runner = litert.Interpreter(
            model_path=request["model"], experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=bool(self.tensors))
        self.runner.allocate_tensors()

    def run(self, inputs):
        # Operators may write the memory of inputs, so it is set before each run.
        for details, value in zip(self.runner.get_input_details(), inputs, strict=True):
            self.runner.set_tensor(details["index"], value)
        self.runner.invoke()
        outputs = [self.runner.get_tensor(details["index"]) for details in self.runner.get_output_details()]
        return outputs, [self.tensor(number) for number in self.tensors]

    def tensor(self, number):
        """The value of a tensor, or None if the interpreter gave it no memory."""
        try:
            return self.runner.get_tensor(number)
        except ValueError:
            return None


def main():
    folder = pathlib.Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    model = {"onnx": Onnx, "tflite": Tflite}[request["format"]](request)
    for run in range(request["runs"]):
        inputs = [numpy.load(folder / f"in_{run}_{i}.npy") for i in range(request["inputs"])]
        outputs, tensors = model.run(inputs)
        for i, value in enumerate(outputs):
            numpy.save(folder / f"out_{run}_{i}.npy", value)
        for i, value in enumerate(tensors):
            if value is not None:
                numpy.save(folder / f"tensor_{run}_{i}.npy", value)


numpy = first_module(["numpy"])
try:
    main()
except Exception as error:  # pylint: disable=broad-exception-caught
    # The frameworks have types of their own, and people need no trace of this script.
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)

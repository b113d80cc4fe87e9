#!/usr/bin/env python3
"""BERT-large in float16 on an NVIDIA GPU: programs of the code generator `cuda` against PyTorch.

Use: benchmarks/cuda_bert.py build FOLDER [--tenon TENON] [--cc CC] [--shapes 1x128,1x384,8x128,8x384]
     benchmarks/cuda_bert.py run FOLDER [--modes eager,graph,reduce-overhead,max-autotune] [--autotune 1x128]

`build` needs neither a GPU nor PyTorch: it compiles a program for each shape (batch x sequence). `run` needs both, and
no compiler. The folder is carried between them: weights are a formula, so `run` makes the files of constants itself.
All times are medians. The table has microseconds of 24 layers by events of the device.
"""

import argparse
import ctypes
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import time

import cuda_bert_module

SYMBOL = b"tvmgen_default_cuda_main_0"
CONSTANTS = "tvmgen_default_constants.safetensors"


def sizes_of(shape, layers=24):
    """The parameters of a shape such as 8x384."""
    batch, sequence = shape.split("x")
    args = cuda_bert_module.parser().parse_args(["--batch", batch, "--sequence", sequence, "--layers", str(layers)])
    return cuda_bert_module.Sizes(args)


def read_header(path):
    """The tensors of a safetensors file, with their places in the file, and the bytes before the data."""
    with open(path, "rb") as file:
        head = file.read(8)
        head += file.read(struct.unpack("<Q", head)[0])
    tensors = json.loads(head[8:])
    tensors.pop("__metadata__", None)
    # The program names a constant after the variable that holds it.
    return {name.removesuffix("_let"): [len(head) + at for at in tensor["data_offsets"]] for name, tensor in tensors.items()}, head


def write_recipe(constants, weights, path):
    """All bytes of a file of constants but those of weights."""
    tensors, head = read_header(constants)
    pieces = [(0, head)]
    with open(constants, "rb") as file:
        for name, (first, end) in tensors.items():
            if name not in weights:
                file.seek(first)
                pieces.append((first, file.read(end - first)))
        size = file.seek(0, 2)
    with open(path, "wb") as file:
        index = json.dumps({"size": size, "weights": {n: tensors[n][0] for n in weights},
                            "pieces": [[at, len(data)] for at, data in pieces]}).encode()
        file.write(struct.pack("<Q", len(index)) + index + b"".join(data for _, data in pieces))


def build(args):
    """Compiles a program for each shape."""
    args.folder.mkdir(parents=True, exist_ok=True)
    scratch = args.folder / "scratch"
    for shape in args.shapes:
        sizes, folder = sizes_of(shape, args.layers), args.folder / shape
        scratch.mkdir(exist_ok=True)
        folder.mkdir(exist_ok=True)
        (scratch / "bert.py").write_text(cuda_bert_module.module(sizes), encoding="utf-8")
        if not (scratch / "bert.safetensors").exists():
            cuda_bert_module.write_weights(sizes, scratch / "bert.safetensors")
        seconds = []
        for targets in ((), ("--targets=cuda",)):
            start = time.perf_counter()
            subprocess.run([args.tenon, "compile", scratch / "bert.py", *targets, "--emit=c",
                            "--constant-storage=file", "-o", scratch / "c"], check=True)
            seconds.append(time.perf_counter() - start)
            if not targets:
                shutil.rmtree(scratch / "c")
        names = [name for name, _, _, _ in sizes.tensors()]
        write_recipe(scratch / "c" / CONSTANTS, names, folder / "constants.recipe")
        subprocess.run([args.cc, "-O2", "-shared", "-fPIC", "-o", folder / "model.so",
                        *sorted((scratch / "c").glob("*.c")), "-ldl", "-lpthread", "-lm"], check=True)
        kernels = (scratch / "c" / f"{SYMBOL.decode()}_device.c").read_text().split('{"tenon_')
        facts = {"layers": args.layers, "compile_seconds": seconds,
                 "kernels": len({k.split('"')[0] for k in kernels[1:]})}
        (folder / "facts.json").write_text(json.dumps(facts))
        print(f"{shape}: {facts}")
        shutil.rmtree(scratch / "c")
    shutil.rmtree(scratch)


class Facts(ctypes.Structure):
    """tenon_cuda_facts of runtime/tenon_cuda.h."""

    _fields_ = [("context_seconds", ctypes.c_double), ("upload_seconds", ctypes.c_double),
                ("prepare_seconds", ctypes.c_double), ("device_bytes", ctypes.c_int64),
                ("graph_seconds", ctypes.c_double)]


class Program:
    """A compiled program."""

    def __init__(self, numpy, folder, shape, layers=24):
        self.sizes = sizes_of(shape, layers)
        recipe = (folder / "constants.recipe").read_bytes()
        length = struct.unpack("<Q", recipe[:8])[0]
        index, data = json.loads(recipe[8:8 + length]), recipe[8 + length:]
        path = folder / CONSTANTS
        if not path.exists():
            made = numpy.zeros(index["size"], numpy.uint8)
            for at, size in index["pieces"]:
                made[at:at + size] = numpy.frombuffer(data[:size], numpy.uint8)
                data = data[size:]
            for name, array in weights(numpy, self.sizes):
                at = index["weights"][name]
                made[at:at + array.nbytes] = array.view(numpy.uint8).reshape(-1)
            made.tofile(path)
        path.read_bytes()  # its pages are in memory
        self.code = ctypes.CDLL(str(folder / "model.so"))
        # The device opens while the constants are checked.
        start = time.perf_counter()
        self.check(self.code.tvmgen_default_init())
        self.init_seconds = time.perf_counter() - start
        start = time.perf_counter()
        self.check(self.code.tvmgen_default_open_constants(str(path).encode()))
        self.open_seconds = time.perf_counter() - start
        self.y = numpy.zeros((self.sizes.rows, self.sizes.hidden), numpy.float16)

    def check(self, status):
        """Ends the process after an error."""
        if status == 0:
            return
        self.code.tenon_external_message.restype = ctypes.c_char_p
        sys.exit(f"status {status}: {self.code.tenon_external_message().decode()}")

    def run(self, x):
        """One run; the result is in `y`."""
        inputs, outputs = (ctypes.c_void_p * 1)(x.ctypes.data), (ctypes.c_void_p * 1)(self.y.ctypes.data)
        self.check(self.code.tvmgen_default_run(inputs, outputs))

    def facts(self):
        """The facts of the program."""
        facts = Facts()
        self.code.tenon_cuda_get_facts(SYMBOL, ctypes.byref(facts))
        return facts


def weights(numpy, sizes):
    """All weights by name, in the order of the file."""
    at = 0
    for name, shape, middle, deviation in sizes.tensors():
        count = int(numpy.prod(shape))
        yield name, cuda_bert_module.values(numpy, at, count, middle, deviation).reshape(shape)
        at += count


def input_of(numpy, sizes):
    """The input of a shape."""
    return cuda_bert_module.values(numpy, 1 << 30, sizes.rows * sizes.hidden, 0, 1.7).reshape(sizes.rows, sizes.hidden)


def run_ours(numpy, folder, shape, layers, repeat):
    """Figures of one program."""
    program = Program(numpy, folder / shape, shape, layers)
    x = input_of(numpy, program.sizes)
    start = time.perf_counter()
    program.run(x)
    first = time.perf_counter() - start
    facts, device, wall = program.facts(), [], []
    for _ in range(repeat):
        start = time.perf_counter()
        program.run(x)
        wall.append(time.perf_counter() - start)
        device.append(program.facts().graph_seconds)
    weight_bytes = sum(2 * int(numpy.prod(shape_)) for _, shape_, _, _ in program.sizes.tensors())
    figures = {"device_us": 1e6 * statistics.median(device), "wall_us": 1e6 * statistics.median(wall),
               "init_s": program.init_seconds, "open_s": program.open_seconds, "first_s": first, "context_s": facts.context_seconds,
               "upload_s": facts.upload_seconds, "prepare_s": facts.prepare_seconds,
               "beyond_weights": facts.device_bytes - weight_bytes}
    y = program.y.copy()
    program.code.tenon_cuda_release()
    return figures, y


def make_bert(torch, numpy, sizes):
    """The same network for PyTorch."""
    functional, w = torch.nn.functional, torch.nn.ParameterDict()
    # Parameters, so that graphs of torch.compile do not copy them.
    for name, array in weights(numpy, sizes):
        w[name] = torch.nn.Parameter(torch.from_numpy(array).cuda(), requires_grad=False)
    hidden, heads, head = sizes.hidden, sizes.heads, sizes.head

    class Bert(torch.nn.Module):
        """All layers."""

        def __init__(self):
            super().__init__()
            self.weights = w

        def forward(self, x):
            """x has the shape (batch, sequence, hidden)."""
            batch, sequence, _ = x.shape
            for layer in range(sizes.layers):
                get = lambda name, layer=layer: self.weights[f"l{layer}_{name}"].to(x.dtype)
                qkv = functional.linear(x, get("qkv"), get("qkv_bias")).view(batch, sequence, 3, heads, head)
                q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
                c = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, sequence, hidden)
                c = functional.linear(c, get("proj"), get("proj_bias")) + x
                x = functional.layer_norm(c, (hidden,), get("gain1"), get("shift1"), 1e-12)
                inner = functional.gelu(functional.linear(x, get("up"), get("up_bias")))
                c = functional.linear(inner, get("down"), get("down_bias")) + x
                x = functional.layer_norm(c, (hidden,), get("gain2"), get("shift2"), 1e-12)
            return x

    return Bert().eval()


def median_us(torch, call, repeat=50, warm=5):
    """The median time between events of the device."""
    for _ in range(warm):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeat):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        call()
        last.record()
        last.synchronize()
        times.append(1000 * first.elapsed_time(last))
    return statistics.median(times)


def graphed(torch, call):
    """The call as a graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def run_torch(torch, bert, x, modes, repeat):
    """Times of PyTorch's modes, and the memory of its eager mode."""
    figures = {}
    bert(x)  # cuBLAS allocates its workspace once
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    bert(x)
    torch.cuda.synchronize()
    figures["eager_bytes"] = torch.cuda.max_memory_allocated() - before
    for mode in modes:
        if mode == "eager":
            figures[mode] = median_us(torch, lambda: bert(x), repeat)
        elif mode == "graph":
            figures[mode] = median_us(torch, graphed(torch, lambda: bert(x)), repeat)
        else:
            torch._dynamo.reset()  # pylint: disable=protected-access
            compiled = torch.compile(bert, mode=mode, fullgraph=True)
            figures[mode] = median_us(torch, lambda compiled=compiled: compiled(x), repeat, warm=8)
    return figures


def run(args):
    """Measures all shapes: the programs first, whose results are kept in the folder, then PyTorch."""
    import numpy  # pylint: disable=import-outside-toplevel
    for shape in args.shapes if args.programs else ():
        layers = json.loads((args.folder / shape / "facts.json").read_text())["layers"]
        figures, y = run_ours(numpy, args.folder, shape, layers, args.repeat)
        (args.folder / shape / "figures.json").write_text(json.dumps(figures))
        numpy.save(args.folder / shape / "y.npy", y)
        print(shape, json.dumps(figures), flush=True)
    if not args.modes:
        return
    import torch  # pylint: disable=import-outside-toplevel
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    big = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    other = torch.empty_like(big)
    rate = 2 * (1 << 30) / median_us(torch, lambda: other.copy_(big)) / 1e3
    del big, other
    print(torch.cuda.get_device_name(), torch.__version__, f"copy {rate:.0f} GB/s", flush=True)
    with torch.no_grad():
        for shape in args.shapes:
            compare(numpy, torch, args, shape)


def compare(numpy, torch, args, shape):
    """PyTorch's figures of one shape, and the errors of both results against float64."""
    folder = args.folder / shape
    sizes = sizes_of(shape, json.loads((folder / "facts.json").read_text())["layers"])
    bert = make_bert(torch, numpy, sizes)
    x = torch.from_numpy(input_of(numpy, sizes)).cuda().view(sizes.batch, sizes.sequence, -1)
    modes = [mode for mode in args.modes if mode != "max-autotune" or shape == args.autotune]
    figures = run_torch(torch, bert, x, modes, args.repeat)
    best = min((figures[mode] for mode in modes if mode in ("graph", "reduce-overhead")), default=0)
    if (folder / "y.npy").exists():
        exact = bert(x.double()).view(sizes.rows, -1)
        error = lambda y: ((y.double() - exact).norm() / exact.norm()).item()
        figures["error"] = error(torch.from_numpy(numpy.load(folder / "y.npy")).cuda())
        figures["torch_error"] = error(bert(x).view(sizes.rows, -1))
        ours = json.loads((folder / "figures.json").read_text())
        if best > 0:
            figures["ratio"] = ours["device_us"] / best
        figures["memory_ratio"] = ours["beyond_weights"] / figures["eager_bytes"]
    print(shape, json.dumps(figures), flush=True)


def main():
    """Builds or runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("build", "run"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tenon", default="tenon")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=["1x128", "1x384", "8x128", "8x384"])
    parser.add_argument("--modes", type=lambda text: list(filter(None, text.split(","))),
                        default=["eager", "graph", "reduce-overhead"])
    parser.add_argument("--autotune", default="1x128")
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--programs", action=argparse.BooleanOptionalAction, default=True)
    args = parser.parse_args()
    (build if args.action == "build" else run)(args)


if __name__ == "__main__":
    main()

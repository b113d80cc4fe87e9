"""What the benchmarks share: alternating runs, costs of processes, tables, files of arrays, code in this process.

A benchmark is a function that run.py lists. It gets a Session, and its other parameters are its options.
"""

import ctypes
import functools
import json
import math
import os
import pathlib
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = pathlib.Path(os.environ.get("TENON_CORPUS_DIR") or ROOT.parent / "shared" / "corpus")
# The models of the corpus, and their files for TensorFlow Lite.
MODELS = {"kws_int8": "kws_ref_model", "vww_int8": "vww_96_int8", "resnet_int8": "pretrainedResnet_quant",
          "ad_int8": "ad01_int8", "sww_int8": "str_ww_ref_model", "ad_float": "ad01_fp32",
          "resnet_float": "pretrainedResnet", "vww_float": "vww_96_float"}
NATIVE = ("-O3", "--cpu=native")


class Skip(Exception):
    """Why a benchmark cannot run here."""


class Session:
    """The programs, a folder for files, and the tables of a benchmark."""

    def __init__(self, bin_dir, kept):
        self.tenon, self.opt = str(bin_dir / "tenon"), str(bin_dir / "tenon-opt")
        self.bin, self.kept, self.temporary = bin_dir, kept, None
        self.figures = {}

    @functools.cached_property
    def folder(self):
        """The folder for files: a temporary one, or the one that the user keeps."""
        self.temporary = None if self.kept else tempfile.TemporaryDirectory()
        folder = (self.kept or pathlib.Path(self.temporary.name)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def table(self, title, key, *columns, width=14):
        """A new table, see Table."""
        return Table(title, key, columns, width, self.figures.setdefault(title, {}))

    def needs_llvm(self):
        if not (self.bin / "tenon-llvm").exists():
            raise Skip("built without LLVM")

    def times(self, module, inputs, *flags, expect=(), repeat=None):
        """The times of runs of a module in milliseconds, as `tenon run --json` writes them, and messages."""
        command = [self.tenon, "run", module, "--json", *flags]
        command += [f"--input={path}" for path in inputs] + [f"--expect={path}" for path in expect]
        command += [f"--repeat={repeat}"] if repeat else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
        return json.loads(done.stdout), done.stderr

    def jit_ms(self, module, inputs, *flags, **options):
        """The median time of a run of the JIT's code for this processor."""
        return self.times(module, inputs, "--engine=jit", *NATIVE, *flags, **options)[0]["median_ms"]

    def report(self, module, *flags):
        """The pools of the report of a module."""
        command = [self.tenon, "report", module, "--json=-", *flags]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["pools"]


class Table:
    """A table in Markdown, printed row by row.

    A column is `name` or `name:format`. Numbers without a format have four digits after the point. The
    column `a/b` is the quotient of two others. A missing value is a dash.
    """

    def __init__(self, title, key, columns, width, rows):
        self.columns = [column.partition(":")[::2] for column in columns]
        self.width, self.rows = width, rows
        print(f"\n{title}:\n")
        self.write(key, [name for name, _ in self.columns])
        print(f"|{'-' * (width + 2)}|" + "".join(f"{'-' * (max(len(n), 8) + 1)}:|" for n, _ in self.columns))

    def write(self, key, cells):
        print(f"| {key:{self.width}} |" + "".join(f" {cell:>{max(len(name), 8)}} |" for cell, (name, _) in
                                                zip(cells, self.columns)), flush=True)

    @staticmethod
    def cell(value, how):
        if value is None or isinstance(value, (str, bool)):
            return "-" if value is None else str(value)
        return format(value, how or (".4f" if isinstance(value, float) else ","))

    def add(self, key, values):
        """Prints a row; gives its values with the quotients."""
        values = dict(values)
        for name, _ in self.columns:
            above, below = (values.get(part) for part in name.partition("/")[::2])
            if name not in values and isinstance(above, (int, float)) and isinstance(below, (int, float)):
                values[name] = above / below
        self.rows[key] = {name: values.get(name) for name, _ in self.columns}
        self.write(key, [self.cell(values.get(name), how or (".2f" if "/" in name else ""))
                         for name, how in self.columns])
        return values


def by_turns(ways, rounds, pick=statistics.median):
    """Runs each way once in each round, so that other load affects all of them. Gives what `pick` chooses
    from the figures of each way."""
    figures = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            figures[name].append(way())
    return {name: pick(values) for name, values in figures.items()}


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


class Cost(typing.NamedTuple):
    """Wall-clock seconds, seconds of the processor, largest resident megabytes, exit status."""
    seconds: float
    cpu: float
    megabytes: float
    status: int


def typical(costs):
    """Medians of the times, and the largest memory."""
    seconds, cpu, megabytes, status = zip(*costs)
    return Cost(statistics.median(seconds), statistics.median(cpu), max(megabytes), max(status))


def process(command, folder=None, limit=None, check=True, **options):
    """The cost of a process with its children, which is killed after `limit` seconds. The process must
    succeed if `check` is true."""
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True, **options) as child:
        timer = threading.Timer(limit or 0, os.killpg, (child.pid, signal.SIGKILL))
        if limit:
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    if check and status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6,
                child.returncode)


def mean_ms(run, count):
    start = time.perf_counter_ns()
    for _ in range(count):
        run()
    return (time.perf_counter_ns() - start) / count / 1e6


def round_of(run, milliseconds):
    """A function that measures a run of code in this process, the mean of runs for some milliseconds."""
    run()
    count = max(1, math.ceil(milliseconds / max(mean_ms(run, 3), 1e-4)))
    return lambda: mean_ms(run, count)


def runs_for(ms, whole=300, least=20):
    """How many runs of `ms` milliseconds give a median of warm runs: the first ones still load weights
    into the caches."""
    return max(least, math.ceil(whole / max(ms, 0.005)))


def npy(kind, shape, data):
    """A .npy file of elements."""
    header = str({"descr": kind, "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def read_npy(path):
    """The bytes of the elements, and whether they are float32."""
    data = pathlib.Path(path).read_bytes()
    end = 10 + int.from_bytes(data[8:10], "little")
    return data[end:], b"<f4" in data[:end]


def write_safetensors(path, tensors, pieces):
    """Writes (name, dtype, shape, bytes) of each tensor, and the data of all, which starts at a multiple of
    4096. Returns the bytes of the data."""
    header, at = {}, 0
    for name, dtype, shape, size in tensors:
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 4096)
    with open(path, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
        out.writelines(pieces)
    return at


def close(got, expected):
    """Whether the bytes of two arrays of float32 are nearly the same numbers."""
    pairs = zip(struct.iter_unpack("<f", got), struct.iter_unpack("<f", expected))
    return len(got) == len(expected) and all(abs(a - b) <= 1e-5 + 1e-4 * abs(b) for (a,), (b,) in pairs)


def compile_c(tenon, compiler, folder, out):
    """A shared object of the C that a command line of Tenon emits; None without the compiler."""
    if shutil.which(compiler[0]) is None:
        return None
    subprocess.run([*tenon, "--emit=c", "-o", folder], check=True, stdout=subprocess.DEVNULL)
    # Large constants are in an object.
    sources = sorted([*folder.rglob("*.c"), *folder.rglob("*.o")])
    includes = sorted({f"-I{header.parent}" for header in folder.rglob("*.h")})
    subprocess.run([*compiler, "-shared", "-fPIC", "-ffp-contract=off", *includes, f"-I{ROOT}/runtime", *sources,
                    "-lm", "-o", out], check=True)
    return out


def aligned(size, alignment=64):
    """A buffer, and the address of `size` bytes in it that begin at a multiple of `alignment`."""
    buffer = ctypes.create_string_buffer(size + alignment)
    return buffer, -(-ctypes.addressof(buffer) // alignment) * alignment


class Code:
    """A model of the corpus in a shared object, whose output is checked. `run` runs it once."""

    def __init__(self, library, model, expected="expected0.npy"):
        folder = CORPUS / "models" / model
        values, (wanted, is_float) = read_npy(folder / "input0.npy")[0], read_npy(folder / expected)
        source, address = aligned(len(values))
        ctypes.memmove(address, values, len(values))
        target, result = aligned(len(wanted))
        inputs, outputs = (ctypes.c_void_p * 1)(address), (ctypes.c_void_p * 1)(result)
        self.keep = source, target, inputs, outputs
        self.function = ctypes.CDLL(str(library)).tvmgen_default_run
        self.function.argtypes, self.function.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int32
        self.arguments = ctypes.c_void_p(ctypes.addressof(inputs)), ctypes.c_void_p(ctypes.addressof(outputs))
        if self.run() != 0:
            sys.exit(f"{library} failed")
        answer = ctypes.string_at(result, len(wanted))
        if answer != wanted and not (is_float and close(answer, wanted)):
            sys.exit(f"{library}: the output is wrong")

    def run(self):
        return self.function(*self.arguments)


def import_tflite():
    """tflite_runtime.interpreter; None if it is not available. It may be in a virtual environment,
    $TENON_TFLITE_VENV or one in the temporary folder, with which this program then starts again."""
    try:
        import tflite_runtime.interpreter as tflite
        return tflite
    except ImportError:
        pass
    venv = pathlib.Path(os.environ.get("TENON_TFLITE_VENV") or
                        pathlib.Path(tempfile.gettempdir()) / f"tenon-tflite-{os.getuid()}")
    python = venv / "bin" / "python"
    if not os.environ.get("TENON_TFLITE_TRIED"):
        os.environ["TENON_TFLITE_TRIED"] = "1"
        quiet = {"check": False, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", venv], **quiet)
            if python.exists():
                subprocess.run([python, "-m", "pip", "install", "-q", "tflite-runtime==2.14.0", "numpy<2"], **quiet)
        if python.exists():
            sys.stdout.flush()
            os.execv(python, [str(python), *sys.argv])
    print("no tflite-runtime; its column is empty")
    return None


def tflite_ways(tflite, model):
    """A way `tflite` that runs the model's file; nothing without the package."""
    if tflite is None:
        return {}
    import numpy
    interpreter = tflite.Interpreter(str(CORPUS / "tflite" / f"{MODELS[model]}.tflite"), num_threads=1)
    interpreter.allocate_tensors()
    detail = interpreter.get_input_details()[0]
    value = numpy.load(CORPUS / "models" / model / "input0.npy").reshape(detail["shape"])
    interpreter.set_tensor(detail["index"], value)
    return {"tflite": interpreter.invoke}


def needs_corpus():
    if not (CORPUS / "models").is_dir():
        raise Skip(f"no models in {CORPUS} (TENON_CORPUS_DIR)")

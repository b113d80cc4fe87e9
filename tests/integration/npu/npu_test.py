#!/usr/bin/env python3
"""Runs whole .tflite networks on a simulated NPU, which reads the members of claims alone (simulator.py, npu.c).

Use: npu_test.py --tenon BIN --model FILE[:INPUT.npy]...
At most one operator stays on the host. Every tensor that the NPU computes is one that the interpreter computes for the
unfused network, bit for bit, and each external function equals its body. Exit code 77 (skipped) without a corpus.
"""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tflite"))
import tflite_models  # noqa: E402
from tflite_cases import INT8, npy  # noqa: E402

SKIPPED = 77


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode} of {command}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout + done.stderr


def data_of(file):
    """The bytes of a tensor in a .npy file."""
    content = file.read_bytes()
    return content[10 + int.from_bytes(content[8:10], "little"):]


def tensors_in(file):
    content, at, found = file.read_bytes(), 0, []
    while at < len(content):
        size, = struct.unpack_from("<q", content, at)
        found.append(content[at + 8:at + 8 + size])
        at += 8 + size
    return found


def check(tenon, model, folder):
    recorded = json.loads(tflite_models.RECORDED.read_text())[model]
    given, expected = folder / "input.npy", folder / "expected.npy"
    inputs = memoryview(tflite_models.random_bytes(model, recorded["input"])).cast("b")
    size = len(inputs) // tflite_models.COUNT
    given.write_bytes(npy(recorded["input"], INT8, inputs[:size]))
    expected.write_bytes(npy(recorded["output"], INT8, recorded["outputs"][0]))
    file = tflite_models.file_of(model)
    npu = ["--targets=npu", f"--generator=npu={sys.executable} {HERE / 'simulator.py'}"]
    report = run(tenon, "compile", file, *npu, "--byoc-report=json", "-q", "-o", folder / "c")
    operators = json.loads(report[report.index("{"):])["operators"]
    host = [each["name"] for each in operators if each["target"] != "npu"]
    if len(host) > 1:
        raise SystemExit(f"{model}: on the host: {', '.join(host)}")
    said = run(tenon, "run", file, *npu, "--engine=c", "--externals=both", "--input", given, "--expect", expected)
    if "all equal to their bodies" not in said:
        raise SystemExit(f"{model}: {said}")
    run(tenon, "run", file, *npu, "--engine=c", "--input", given, "--expect", expected,
        env={**os.environ, "NPU_TENSORS": str(folder / "tensors")})
    run(tenon, "run", file, "--input", given, "--dump-tensors", folder / "wanted", "-q")
    wanted = {data_of(each) for each in (folder / "wanted").glob("*.npy")}
    computed = tensors_in(folder / "tensors")
    wrong = [i for i, tensor in enumerate(computed) if tensor not in wanted]
    if wrong or len(computed) != len(operators) - len(host):
        raise SystemExit(f"{model}: {len(computed)} tensors, of which {wrong} are wrong")
    print(f"{model:<12} {len(computed):>3} operators on the NPU, {len(host)} on the host; all tensors equal", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--model", nargs="+", required=True)
    arguments = parser.parse_args()
    if not all(tflite_models.file_of(model).is_file() for model in arguments.model):
        print("skipped: no corpus (TENON_CORPUS_DIR)")
        return SKIPPED
    for model in arguments.model:
        with tempfile.TemporaryDirectory(prefix="npu_") as folder:
            check(arguments.tenon, model, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""A small BERT and its run-time with sanitizers, on the stand-ins for NVIDIA's libraries, with faults in between.

Use: sanitizer_test.py --tenon TENON --host FOLDER --source DIR --sanitizer address|thread --cc CC --cxx CXX

The program, the run-time, the kernels and the stand-ins are compiled with the sanitizer. Two threads run the program at
once. Then each call of the driver fails once: every run must end with a message, and leave nothing on the device.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import cuda_test

# Calls that fail, and a part of the message.
FAULTS = [("cuMemAlloc=1", "bytes of free memory"), ("cuMemAlloc=2", "bytes of free memory"),
          ("cuModuleLoadData=1", "loading kernels"), ("cuStreamBeginCapture=1", "capturing"),
          ("cuLaunchKernel=2", "tenon_"), ("cuGraphInstantiate=1", "making the graph"),
          ("cuGraphLaunch=1", "starting the graph"), ("cuMemcpyHtoDAsync=3", "copying weights"),
          ("cuStreamSynchronize=3", "running"), ("cuMemcpyDtoHAsync=1", "copying an output"),
          ("cuInit=1", "starting the driver"), ("cuDevicePrimaryCtxRetain=1", "opening the GPU")]


def compile_all(args, folder, flags):
    """The stand-ins, and a program of two layers."""
    host, source = folder / "host", args.source / "tests" / "cuda_host"
    host.mkdir()
    call = lambda *words, **more: subprocess.run(words, check=True, cwd=folder, **more)
    shared = ["-std=c++20", "-shared", "-fPIC", "-g1", *flags]
    call(args.cxx, *shared, source / "driver.cc", "-o", host / "libcuda.so.1", "-ldl", "-lpthread")
    call(args.cxx, *shared, source / "cublaslt.cc", host / "libcuda.so.1", "-o", host / "libcublasLt.so.13")
    call(sys.executable, args.source / "benchmarks" / "cuda_bert_module.py", folder, "--no-weights", "--layers", "2",
         "--hidden", "128", "--heads", "2", "--ffn", "128", "--sequence", "72")
    text = (folder / "bert.py").read_text(encoding="utf-8")
    # Weights of one number need no file.
    text = "\n".join(line.split("I.file")[0] + 'I.splat(0.0625), "float16",' + line.split('"float16",')[1]
                     if "I.file" in line else line for line in text.splitlines())
    (folder / "bert.py").write_text(text + "\n", encoding="utf-8")
    env = {**os.environ, "LD_LIBRARY_PATH": args.host, "TENON_CUDA_ARCH": "90",
           "TENON_CUDA_HOST_CXX": " ".join([args.cxx, "-O1", "-g1", *flags])}
    call(args.tenon, "compile", "bert.py", "--targets=cuda", "--emit=c", "--constant-storage=c-array", "-o", "c", "-q",
         env=env)
    main = args.source / "tests" / "integration" / "cuda" / "sanitizer_main.c"
    call(args.cc, "-g1", "-O1", *flags, "-Ic", main, *sorted((folder / "c").glob("*.c")), "-o", "program", "-ldl",
         "-lpthread", "-lm")
    return host


def main():
    """Builds and runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tenon", "host", "sanitizer", "cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    args = parser.parse_args()
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if args.sanitizer == "address" else \
        [f"-fsanitize={args.sanitizer}"]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cuda_test.write_input(folder / "x.npy", (72, 128), "float16", __import__("random").Random(1))
        try:
            host = compile_all(args, folder, flags)
        except subprocess.CalledProcessError as error:
            print(f"cannot build with {flags}: {error}", file=sys.stderr)
            return 1
        env = {**os.environ, "LD_LIBRARY_PATH": str(host), "TENON_CUDA_HOST_THREADS": "3",
               "ASAN_OPTIONS": "detect_leaks=1:detect_odr_violation=0"}
        faults = FAULTS if args.sanitizer == "address" else FAULTS[:2]
        for fault, message in [("", ""), *faults]:
            done = cuda_test.run(["./program", "x.npy", "y.bin"], {**env, "TENON_CUDA_HOST_FAIL": fault}, cwd=folder)
            found = [word for word in ("Sanitizer", "runtime error", "left over") if word in done.stderr]
            if done.returncode == (4 if fault else 0) and message in done.stderr and not found:
                continue
            failed += 1
            print(f"{fault or 'no fault'}: exit {done.returncode}\n{done.stderr[-3000:]}", file=sys.stderr)
    print(f"{len(faults) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

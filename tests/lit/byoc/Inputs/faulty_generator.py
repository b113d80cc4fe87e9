"""A code generator with the fault that the first argument names. The last argument is the folder."""
import json
import os
import signal
import subprocess
import sys
import time

fault, folder = sys.argv[1], sys.argv[-1]
request = json.load(sys.stdin)
is_generate = request["action"] == "generate"
answer = {"tenon_generator": 1}
if is_generate:
    answer["functions"] = [{"symbol": f["symbol"]} for f in request["functions"]]
    first = answer["functions"][0]
    symbol = first["symbol"]
else:
    answer["operators"] = [True] * len(request["operators"])
raw = None
if fault.startswith("supports-") != is_generate:
    fault = fault.removeprefix("supports-")
    if fault == "exit":
        for number in range(100):
            print(f"line {number}", file=sys.stderr)
        print("the licence server says \x1b[31mno", file=sys.stderr)
        sys.exit(3)
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "hang":
        time.sleep(600)
    if fault == "closes-and-hangs":
        os.close(1)
        os.close(2)
        time.sleep(600)
    if fault == "child-hangs":  # the answer is good, and nobody waits for the child
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    if fault == "flood":
        while True:
            os.write(1, b"[" * 65536)
    if fault == "flood-stderr":
        while True:
            os.write(2, b"x" * 65536)
    if fault == "error":
        answer = {"tenon_generator": 1, "error": "the accelerator has no float64"}
    if fault == "nothing":
        raw = b""
    if fault == "bad-json":
        raw = b'{"tenon_generator": 1,\n "operators": [true,]}'
    if fault == "not-utf8":
        raw = b'{"tenon_generator": 1, "error": "\xff\xfe"}'
    if fault == "deep":
        raw = b"[" * 100000
    if fault == "list":
        answer = []
    if fault == "version":
        answer["tenon_generator"] = 3
    if fault == "no-version":
        del answer["tenon_generator"]
    if fault == "unknown-member":
        answer["colour"] = "red"
    if fault == "twice":
        raw = b'{"tenon_generator": 1, "operators": [], "operators": []}'
    if fault == "too-few":
        answer["operators"] = []
    if fault == "no-reason":
        answer["operators"] = [False]
    if fault == "no-functions":
        del answer["functions"]
    if fault == "wrong-symbol":
        first["symbol"] = "somebody_else"
    if fault == "no-answer":
        answer["functions"] = []
    if fault == "answered-twice":
        answer["functions"].append(dict(first))
    if fault == "more-symbols":
        answer["functions"].append({"symbol": "somebody_else"})
    if fault == "numbers":
        first.update(workspace_bytes=-1, state_bytes="many", in_place=[[0]], may_fail=1)
    if fault == "huge":
        first.update(workspace_bytes=2**62 + 1)
    if fault == "effects":
        first["effects"] = ["r"] * 2
    if fault == "effects-type":
        first["effects"] = [1, 2]
    if fault == "bad-text":
        answer["tir"] = "@T.prim_func\ndef f(:\n    pass\n"
    if fault == "not-valid":
        answer["tir"] = ("@T.prim_func\ndef f(x: T.Buffer((4,), \"float32\")):\n"
                         "    x[0] = y[0]\n")
    if fault == "tir-params":
        answer["tir"] = (f"@T.prim_func\ndef {symbol}(x: T.Buffer((4,), \"float32\")):\n"
                         "    x[0] = T.float32(0)\n")
    outputs = {"tir-large-output": ("y: T.Buffer((8,), \"float32\")", "y[7] = x[0]"),
               "tir-dtype": ("y: T.Buffer((4,), \"float16\")", "y[0] = T.float16(0)"),
               "tir-strides": ("y: T.Buffer((4,), \"float32\", strides=(9,))", "y[0] = x[0]"),
               "tir-handle": ("y: T.handle", "T.evaluate(T.call_extern(\"int32\", \"g\", y))"),
               "tir-view": ("y: T.Buffer((4,), \"float32\")",
                            "far = T.Buffer((5,), data=y.data)\n    far[4] = x[0]"),
               "tir-scratch": ("y: T.Buffer((4,), \"float32\"), s: T.Buffer((65,), \"uint8\")",
                               "y[0] = x[0]")}
    if fault in outputs:
        parameter, body = outputs[fault]
        answer["tir"] = (f"@T.prim_func\ndef {symbol}(x: T.Buffer((4,), \"float32\"), {parameter}):\n"
                         f"    {body}\n")
    if fault == "tir-scratch":
        first["workspace_bytes"] = 64
    if fault == "large-memory":
        first.update(workspace_bytes=2**40, state_bytes=2**32)
    if fault == "tir-writes-input":
        answer["tir"] = (f"@T.prim_func\ndef {symbol}(x: T.Buffer((4,), \"float32\"), "
                         "y: T.Buffer((4,), \"float32\")):\n    x[0] = y[0]\n")
    if fault == "tir-undeclared":
        answer["tir"] = (f"@T.prim_func\ndef {symbol}(x: T.Buffer((4,), \"float32\"), "
                         "y: T.Buffer((4,), \"float32\")):\n"
                         "    T.evaluate(T.call_extern(\"int32\", \"my_kernel\", x.data, y.data))\n")
    if fault == "tir-names":
        answer["tir"] = "@T.prim_func\ndef main(x: T.Buffer((4,), \"float32\")):\n    x[0] = T.float32(0)\n"
    if fault == "tir-attrs":
        answer["tir"] = ("@I.ir_module\nclass Module:\n"
                         "    I.module_attrs({\"tenon.externs\": {\"f\": [\"r\"]}})\n"
                         "    @T.prim_func\n    def f(x: T.Buffer((4,), \"float32\")):\n"
                         "        x[0] = T.float32(0)\n")
    if fault == "file-name":
        answer["sources"] = [{"name": "../../evil.c", "text": ""}]
    if fault == "file-option":
        answer["sources"] = [{"name": "-Wl,evil.c", "text": ""}]
    if fault == "file-missing":
        answer["objects"] = [{"name": "kernel.o"}]
    if fault == "file-suffix":
        answer["sources"] = [{"name": "kernel.f90", "text": ""}]
    if fault == "file-large":
        with open(os.path.join(folder, "kernel.o"), "wb") as large:
            large.truncate(2 << 30)
        answer["objects"] = [{"name": "kernel.o"}]
    if fault == "file-pipe":
        os.mkfifo(os.path.join(folder, "kernel.o"))
        answer["objects"] = [{"name": "kernel.o"}]
    if fault == "file-link":
        # Not a file of the tests, which a wrong compiler could overwrite.
        outside = folder.rstrip("/") + ".outside.o"
        with open(outside, "w", encoding="utf-8") as file:
            file.write("object")
        os.symlink(outside, os.path.join(folder, "kernel.o"))
        answer["objects"] = [{"name": "kernel.o"}]
    if fault == "folder-link":
        os.rename(folder, sys.argv[2])
        with open(os.path.join(sys.argv[2], "kernel.o"), "w", encoding="utf-8") as file:
            file.write("object")
        os.symlink(sys.argv[2], folder)
        answer["objects"] = [{"name": "kernel.o"}]
    if fault == "link-inside":
        with open(os.path.join(folder, "kernel.1.o"), "w", encoding="utf-8") as file:
            file.write("object")
        os.symlink("kernel.1.o", os.path.join(folder, "kernel.o"))
        answer["objects"] = [{"name": "kernel.o"}]
    if fault == "folder-of-a-command":
        answer["link"] = {"libraries": ["m"], "library_folders": ["/opt/npu; touch x", "/it's"]}
    if fault == "library":
        answer["link"] = {"libraries": ["m -o /etc/passwd"]}
    if fault == "check":
        answer["checks"] = ["the moon is full"]
    if fault == "version-blank":
        answer["version"] = "1 beta"
    payload = {"name": "npu_code", "runtime_symbol": "npu_run"}
    if fault.startswith("payload-"):
        with open(os.path.join(folder, "npu_code"), "wb") as file:
            file.write(b"" if fault == "payload-empty" else b"kernel")
        first["payload"] = "npu_code"
        answer["payloads"] = [payload]
    if fault == "payload-unknown":
        first["payload"] = "npu_kode"
    if fault == "payload-no-file":
        payload["name"] = "npu_kode"
    if fault == "payload-name":
        payload["name"] = "../../etc/passwd"
    if fault == "payload-alignment":
        payload["alignment"] = 48
    if fault == "payload-symbol":
        del payload["runtime_symbol"]
    if fault == "payload-of-the-module":
        payload["runtime_symbol"] = "main"
    if fault == "payload-twice":
        answer["payloads"] = [payload, dict(payload)]
    if fault == "payload-and-tir":
        answer["tir"] = (f"@T.prim_func\ndef {symbol}(x: T.Buffer((4,), \"float32\"), "
                         "y: T.Buffer((4,), \"float32\")):\n    y[0] = x[0]\n")
    if fault == "no-definition":
        answer["sources"] = [{"name": "kernel.c", "text": "int unused;\n"}]
if raw is None:
    raw = json.dumps(answer).encode()
os.write(1, raw)

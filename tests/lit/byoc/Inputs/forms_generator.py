"""A code generator whose code has the form that the first argument names. It computes x + w."""
import json
import os
import struct
import subprocess
import sys

form, cc, folder = sys.argv[1], sys.argv[2], sys.argv[-1]
request = json.load(sys.stdin)
answer = {"tenon_generator": 1}
is_inside = form in ("inside", "payload")


def constant_of(name):
    """The numbers of a tensor of a safetensors file."""
    with open(os.path.join(folder, request["constants"]), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        start = file.tell()
        begin, end = header[name]["data_offsets"]
        file.seek(start + begin)
        return struct.unpack(f"<{(end - begin) // 4}i", file.read(end - begin))


if request["action"] == "supports":
    answer["operators"] = [True if claim["kind"] == "elementwise" else "only sums"
                           for claim in request["operators"]]
    answer["constants"] = "inside" if is_inside else "arguments"
    if form == "min-macs":
        answer["min_macs"] = 1
    answer["packs"] = form.startswith("pack")
elif request["action"] == "pack":
    # The last number comes first, as two bytes.
    function, = request["functions"]
    constant, = function["constants"]
    with open(os.path.join(folder, "w"), "wb") as file:
        file.write(b"".join(struct.pack("<ih", n, 7) for n in reversed(constant_of(constant["name"]))))
    answer["constants"] = [{"constant": 1 if form == "pack-wrong" else 0, "file": "w", "dtype": "int16",
                            "shape": [5 if form == "pack-shape" else 4, 3],
                            "alignment": 24 if form == "pack-align" else 32}]
    answer["constants"] *= 2 if form == "pack-twice" else 1
elif form == "tir":
    # A function in TIR that calls a kernel of the sources.
    texts = []
    for function in request["functions"]:
        names = [parameter["name"] for parameter in function["parameters"]]
        params = ", ".join(f'{name}: T.Buffer((4,), "int32")' for name in names)
        x, y, w = names
        texts.append(f"""    @T.prim_func
    def {function["symbol"]}({params}):
        T.func_attr({{"tenon.externs": {{"my_add": ["r", "c", "o"]}}, "tir.noalias": T.bool(True)}})
        T.tvm_check_return(0, -1, T.call_extern("int32", "my_add", {x}.data, {w}.data, {y}.data))
""")
    answer["functions"] = [{"symbol": f["symbol"]} for f in request["functions"]]
    answer["tir"] = "@I.ir_module\nclass Module:\n" + "\n".join(texts)
    answer["sources"] = [{"name": "my_add.c", "text": """#include <stdint.h>
int32_t my_add(const int32_t* x, const int32_t* w, int32_t* y);
int32_t my_add(const int32_t* x, const int32_t* w, int32_t* y) {
  for (int i = 0; i < 4; ++i) y[i] = x[i] + w[i];
  return 0;
}
"""}]
elif form == "payload":
    # The constants of all functions are one payload. A run-time function finds them by symbol.
    entries, functions = b"", []
    for function in request["functions"]:
        numbers = constant_of(function["constants"][0]["name"])
        entries += function["symbol"].encode().ljust(64, b"\0") + struct.pack("<4i", *numbers)
        functions.append({"symbol": function["symbol"], "payload": "npu_code", "workspace_bytes": 16,
                          "state_bytes": 4, "init_symbol": "npu_init"})
    with open(os.path.join(folder, "npu_code"), "wb") as file:
        file.write(entries)
    answer["functions"] = functions
    answer["payloads"] = [{"name": "npu_code", "alignment": 64, "runtime_symbol": "npu_run"}]
    answer["sources"] = [{"name": "npu_runtime.c", "text": """#include <stdint.h>
#include <string.h>
#include "tenon_external.h"
int32_t npu_init(void* state, int64_t bytes);
int32_t npu_init(void* state, int64_t bytes) {
  *(int32_t*)state = 0;
  return bytes == 4 ? 0 : -1;
}
int32_t npu_run(const tenon_payload_call* call);
int32_t npu_run(const tenon_payload_call* call) {
  const char* entry = (const char*)call->payload;
  int32_t w[4];
  if ((uintptr_t)entry % 64 != 0) return -2;
  if (call->arg_count != 2 || call->scratch_bytes != 16 || call->state_bytes != 4) return -3;
  while (strcmp(entry, call->symbol) != 0) {
    entry += 80;
    if (entry >= (const char*)call->payload + call->payload_bytes) return -4;
  }
  memcpy(w, entry + 64, sizeof w);
  memcpy(call->scratch, call->args[0], 16);
  for (int i = 0; i < 4; ++i)
    ((int32_t*)call->args[1])[i] = ((int32_t*)call->scratch)[i] + w[i] + *(int32_t*)call->state;
  return 0;
}
"""}]
else:
    text, functions = "#include <stdint.h>\n", []
    for function in request["functions"]:
        facts = {"symbol": function["symbol"]}
        if is_inside:
            w = constant_of(function["constants"][0]["name"])
            text += f"static const int32_t w[] = {{{', '.join(map(str, w))}}};\n"
        params = "const int32_t* x, int32_t* y" + ("" if is_inside else ", const int32_t* w")
        if form == "state":
            # The function also adds the state, which the init function fills.
            params += ", int32_t* state"
            facts.update(state_bytes=4, init_symbol="my_init", fini_symbol="my_fini")
            text += ("static int32_t begun;\n"
                     "int32_t my_init(void* state, int64_t bytes) "
                     "{ *(int32_t*)state = 0; ++begun; return bytes != 4; }\n"
                     "int32_t my_fini(void* state, int64_t bytes) "
                     "{ *(int32_t*)state = 1000; --begun; return bytes != 4; }\n"
                     "int32_t my_count(void) { return begun; }\n")
        plus = " + *state" if form == "state" else ""
        w = "((const int16_t*)w)[(3 - i) * 3]" if form == "pack" else "w[i]"
        text += (f"int32_t {function['symbol']}({params}) {{\n"
                 f"  for (int i = 0; i < 4; ++i) y[i] = x[i] + {w}{plus};\n  return 0;\n}}\n")
        functions.append(facts)
    answer["functions"] = functions
    if form == "object":
        source = os.path.join(folder, "my_add.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([cc, "-fPIC", "-c", source, "-o", os.path.join(folder, "my_add.o")], check=True)
        answer["objects"] = [{"name": "my_add.o"}]
        answer["version"] = "1.4-rc2"
    elif form == "file":
        with open(os.path.join(folder, "my_add.c"), "w", encoding="utf-8") as file:
            file.write(text)
        answer["sources"] = [{"name": "my_add.c"}]
    else:
        answer["sources"] = [{"name": "my_add.c", "text": text}]
    if form == "state":
        answer["checks"] = ["my_version=3"]
        answer["sources"].append({"name": "my_version.c", "text": "int my_version(void) { return 3; }\n"})
json.dump(answer, sys.stdout)

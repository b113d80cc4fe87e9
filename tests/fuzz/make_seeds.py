#!/usr/bin/env python3
"""Writes the seeds of every fuzz target: one folder per target, one file per seed.

Use: make_seeds.py OUT
Most seeds are valid and invalid inputs of other tests: string literals of the unit tests, modules
and parts of files in tests/lit, files of examples/. This script makes the rest.
"""

import json
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TESTS = SOURCE / "tests"
# A raw literal, an ordinary literal, and the text between two adjacent literals.
LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.S)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", '"': '"', "\\": "\\", "'": "'"}


def unescape(text):
    """The text of an ordinary literal, without its rarer escapes."""
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match.group(1), match.group(1)), text)


def literals(path):
    """The string literals of a C++ file; adjacent literals are joined."""
    source = path.read_text(encoding="utf-8")
    texts = []
    end = None
    for match in LITERAL.finditer(source):
        text = match.group(2) if match.group(2) is not None else unescape(match.group(3))
        if end is not None and not source[end:match.start()].strip():
            texts[-1] += text
        else:
            texts.append(text)
        end = match.end()
    return texts


def parts(path):
    """The parts of a lit test for split-file, as (name, text)."""
    pieces = re.split(r"^(?://|#|;)--- (\S+)\n", path.read_text(encoding="utf-8"), flags=re.M)
    return list(zip(pieces[1::2], pieces[2::2]))


def parts_below(folder, suffix, word=""):
    return [text for path in sorted((TESTS / "lit" / folder).glob("*.test"))
            for name, text in parts(path) if name.endswith(suffix) and word in path.name]


def unit(path):
    return literals(TESTS / "unit" / path)


def module_text():
    for path in sorted((TESTS / "lit").rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        yield text
        if "\n# -----\n" in text:
            yield from text.split("\n# -----\n")


def metadata():
    for text in unit("parser/metadata_test.cc"):
        if text.startswith('{"root"'):
            yield text
        elif text.startswith("{"):
            yield ('{"root": 1, "nodes": [{"type_key": ""}, ' + text + '], "b64ndarrays": []}')
    array = ("P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQABAAAAAAAAAAQAAAAAAAAABwAAAA==")
    yield json.dumps({
        "root": 1,
        "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["a", "b"], "data": [2, 3]},
                  {"type_key": "Array", "data": [4, 5]}, {"type_key": "Array", "data": [6]},
                  {"type_key": "runtime.NDArray", "repr_str": array},
                  {"type_key": "ir.ConstantInfo",
                   "attrs": {"name_hint": "6", "byte_offset": "0", "data": "4"}},
                  {"type_key": "runtime.String", "repr_str": "x"}],
        "b64ndarrays": [array]})
    for path in sorted((TESTS / "lit").rglob("*.py")):
        found = re.search(r'load_json\("""(.*?)"""\)', path.read_text(errors="replace"), re.S)
        if found:
            yield found.group(1)


def pipeline():
    yield from (text for text in unit("passes/pipeline_test.cc") if "error" not in text)
    for path in sorted((TESTS / "lit").rglob("*")):
        if path.is_file():
            for found in re.findall(r"--pipeline=(?:'([^'\n]*)'|\"([^\"\n]*)\"|([^\s'\"]+))",
                                    path.read_text(errors="replace")):
                yield "".join(found)


def plan_csv():
    for path in ("planner/plan_csv_test.cc", "planner/plan_json_test.cc"):
        yield from (text for text in unit(path) if "," in text and "\n" in text)
    yield from parts_below("tools", ".csv")
    yield from parts_below("planner", ".csv")


def plan_json():
    yield from (text for text in unit("planner/plan_json_test.cc") if text[:1] in "{[")
    yield from parts_below("tools", ".json", "plan")
    yield json.dumps({"version": 1, "placements": [
        {"id": "a", "pool": "p", "offset": 0}, {"id": "b", "pool": "p", "offset": 64},
        {"id": "c", "pool": "p", "offset": 96}]})


def pools_json():
    yield from parts_below("tools", ".json", "pools")
    yield (SOURCE / "examples" / "pools.json").read_text(encoding="utf-8")
    yield "[]"


def board_json():
    yield from parts_below("tools", ".json", "boards")
    for path in sorted((SOURCE / "compile" / "boards").glob("*.json")):
        yield path.read_text(encoding="utf-8")


def update_json():
    manifest = {"tenon_update": 1, "prefix": "tvmgen_x", "identity": "fedcba9876543210", "code": "0000000000000007",
                "words": ["--target=cortex-m4"], "scales": [{"name": "in", "scale": 0.1, "zero_point": -128}],
                "facts": [{"where": "conv", "what": "sums are at most", "value": 4096}],
                "constants": [{"name": "w", "type": "int8[3, 4]", "offset": 0}],
                "functions": [{"name": "tvmgen_x_conv", "hash": "0000000000000001"}, {"name": "", "hash": "2"}]}
    yield json.dumps(manifest, indent=1)
    yield json.dumps(manifest | {"words": [], "scales": [], "facts": [], "constants": [], "functions": []})
    yield json.dumps(manifest | {"facts": [{"where": 1}]})
    yield "{}"


def generator_answer():
    yield from (text for text in unit("byoc/generator_program_test.cc") if text[:1] in "{[")
    program = str(TESTS / "lit" / "byoc" / "Inputs" / "faulty_generator.py")
    request = json.dumps({"action": "generate", "functions": [{"symbol": "f"}]})
    faults = re.findall(r'fault == "([\w-]+)"', pathlib.Path(program).read_text(encoding="utf-8"))
    # These have no answer, or are about files.
    others = {"exit", "crash", "hang", "closes-and-hangs", "child-hangs", "flood", "flood-stderr",
              "file-large", "file-pipe", "file-link", "folder-link", "link-inside"}
    for fault in faults:
        if fault in others:
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield subprocess.run([sys.executable, program, fault, folder], input=request.encode(),
                                 capture_output=True, check=True).stdout


def paths_of(value, at=()):
    yield at
    for key, child in (value.items() if isinstance(value, dict) else
                       enumerate(value) if isinstance(value, list) else ()):
        yield from paths_of(child, at + (key,))


def report_json():
    yield from (text for text in unit("report/read_json_test.cc") if text[:1] in "{[")
    values = [None, True, -1, 0, 1, 3.5, "x", "workspace", 2**63 - 1, 2**64 - 1, [], {}, [[0, 1]]]
    for path in sorted((pathlib.Path(__file__).parent / "reports").iterdir()):
        sample = path.read_text(encoding="utf-8")
        yield sample
        for i, place in enumerate(paths_of(json.loads(sample))):
            if place:
                yield json.dumps(with_value(json.loads(sample), place, values[i % len(values)]))


def with_value(tree, path, value):
    """A copy of the tree with another value at the path."""
    place = tree
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return tree


def npy_file(dictionary, data, major=1):
    size = struct.pack("<H" if major == 1 else "<I", len(dictionary))
    return b"\x93NUMPY" + bytes([major, 0]) + size + dictionary.encode() + data


def npy_dictionary(descr, shape, fortran=False):
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


def npy():
    test = (TESTS / "unit" / "support" / "npy_test.cc").read_text(encoding="utf-8")
    for descr, shape in re.findall(r'Dictionary\("([^"]*)", "([^"]*)"', test):
        yield npy_file(npy_dictionary(descr, shape), b"abcd")
    yield from (npy_file(text, b"abcd") for text in literals(TESTS / "unit/support/npy_test.cc")
                if text.lstrip().startswith("{"))
    for major in (1, 2, 3, 4):
        for descr in ("|u1", ">u1", "<i2", ">i2", "|b1"):
            yield npy_file(npy_dictionary(descr, "(2, 1)", True), b"\0\1\1\0"[:2 * int(descr[2])],
                           major)
    yield npy_file(npy_dictionary(">i2", "(2, 3)", True), bytes(range(12)))


def safetensors():
    def file(header, data):
        return struct.pack("<Q", len(header)) + header.encode() + data
    yield b"1234567"
    yield file('{"b":{"dtype":"I16","shape":[2],"data_offsets":[3,7]},"__metadata__":{"k":"v"},'
               '"a":{"dtype":"I8","shape":[3,1],"data_offsets":[0,3]}}   ', b"xyzABCD")
    for text in unit("support/safetensors_test.cc"):
        if text[:1] in "{[" and len(text) < 4096:
            yield file(text, b"abcd")
            yield file('{"w":' + text + "}", b"abcd")
    for dtype, size in (("BOOL", 1), ("F16", 2), ("BF16", 2), ("F8_E4M3", 1), ("F64", 8)):
        yield file(f'{{"w":{{"dtype":"{dtype}","shape":[1],"data_offsets":[0,{size}]}}}}',
                   bytes(size))


def package():
    for text in unit("compile/package_test.cc"):
        if not text.startswith("{"):
            continue
        yield text
        # All files without bytes, which have the right hash then.
        empty = re.sub(r'"bytes": \d+, "hash": "xxh3:\w+"',
                       '"bytes": 0, "hash": "xxh3:99aa06d3014798d86001c324468d497f"', text)
        yield empty
        for old in re.findall(r'"\w+(?=":)|\d+|"[\w.]+"', empty):
            for new in ("-1", "4611686018427387904", '""', '"../x"', "[]", "null"):
                yield empty.replace(old, new, 1)
    yield b"\x89TENON\r\n"


def codec():
    def stored(codec_number, size, data):
        return bytes([codec_number, size & 255, size >> 8]) + data
    # LZ4: literals; a match that repeats one byte, then literals; long lengths; an offset too far.
    blocks = [(5, b"\x50abcde"), (16, b"\x17a\x01\x00\x40bcde"), (300, b"\x1fa\x01\x00\xff\x1c\x10b"),
              (20, b"\xf0\x05" + b"x" * 20), (16, b"\x17a\x09\x00\x40bcde"), (0, b"\x00"), (0, b"")]
    # zstd: a frame of one segment with raw, repeated and no blocks; a reserved kind of block.
    magic = b"\x28\xb5\x2f\xfd"
    frames = [(4, magic + b"\x20\x04" + b"\x21\x00\x00abcd"), (9, magic + b"\x20\x09\x4b\x00\x00z"),
              (0, magic + b"\x20\x00\x01\x00\x00"), (4, magic + b"\x20\x04\x27\x00\x00abcd"),
              (4, magic + b"\x20\xff\x21\x00\x00abcd")]
    for number, pieces in ((0, blocks), (1, frames)):
        for size, data in pieces:
            for wanted in (size, size + 1, max(size - 1, 0)):
                yield stored(number, wanted, data)
            yield stored(0x80 + number, size, data)


def constants_file():
    good = bytes((i * 7 + i // 256) & 255 for i in range(4096 + 700))
    yield good
    yield b""
    for at in (0, 8, 4095, 4096, 4098, 4112, 4412, 4795):
        yield good[:at] + bytes([good[at] ^ 1]) + good[at + 1:]
        yield good[:at]
    yield good + b"x"


def tflite():
    sys.path.insert(0, str(TESTS / "integration" / "tflite"))
    import tflite_cases
    import tflite_test
    generator = random.Random(1)
    for kind in tflite_cases.KINDS:
        for seed in range(4):
            yield tflite_cases.make_case(kind, seed).model
        yield tflite_test.damaged(tflite_cases.make_case(kind, 0).model, generator)


def onnx():
    sys.path.insert(0, str(TESTS / "lit" / "frontends" / "onnx" / "Inputs"))
    import write_model
    # A million nodes are too many for a seed.
    for name in write_model.all_models():
        if name != "many_nodes":
            yield getattr(write_model, name)()


TARGETS = [module_text, metadata, pipeline, safetensors, npy, plan_csv, plan_json, pools_json, board_json, update_json,
           generator_answer, report_json, package, codec, constants_file, tflite, onnx]


def main():
    out = pathlib.Path(sys.argv[1])
    for target in TARGETS:
        folder = out / target.__name__
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        seeds = []
        for seed in target():
            data = seed if isinstance(seed, bytes) else seed.encode(errors="surrogateescape")
            if data not in seeds:
                seeds.append(data)
        for i, data in enumerate(seeds):
            (folder / f"{i:04}").write_bytes(data)
        print(f"{target.__name__}: {len(seeds)} seeds")


if __name__ == "__main__":
    main()

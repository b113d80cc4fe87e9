#!/usr/bin/env python3
"""Gives modules names that C, C++, the C library and the generated code itself use.

Use: names_test.py --tenon BIN --cc CC --cxx CXX
Every name is used for a parameter, an output, a loop variable, a bound variable, an allocation, a
constant, a private function, a global function, a pool of the caller, a pool of the generated code,
and a module. The C, including the header, must compile without warnings as C99 and as C++17. The
names are those that <stdint.h>, <string.h> and <math.h> of the available compilers declare or
define, the keywords of C99 and C++17, and every word of C that Tenon emits.
"""

import argparse
import keyword
import pathlib
import re
import subprocess
import sys
import tempfile
import time

C99 = """auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while _Bool _Complex _Imaginary _Pragma""".split()
CXX17 = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
char32_t class compl const const_cast constexpr continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
wchar_t while xor xor_eq""".split()
HEADERS = "#include <stdint.h>\n#include <string.h>\n#include <math.h>\n"
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
# Every function below calls each of them, so that a name that hides one is noticed.
UNARY = """acos acosh asin asinh atan atanh ceil cos cosh erf exp exp10 exp2 fabs floor log log10 log1p
log2 nearbyint round rsqrt sigmoid sin sinh sqrt tan tanh trunc""".split()
BINARY = "atan2 copysign fmod hypot nextafter pow floordiv truncmod min max".split()
START = ("# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
         "@I.ir_module\nclass Module:\n")


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)


def header_names(options):
    """Names that the three headers declare or define, with and without the compiler's
    extensions."""
    names = set()
    for command in ([options.cc, "-xc", "-std=c99"], [options.cc, "-xc"],
                    [options.cxx, "-xc++", "-std=c++17"]):
        macros = run(command + ["-E", "-dM", "-"], input=HEADERS)
        names.update(re.findall(r"^#define (\w+)", macros.stdout, re.M))
        if "-xc" in command:
            names.update(WORD.findall(run(command + ["-E", "-P", "-"], input=HEADERS).stdout))
    return names


def words_of(folder):
    """The words of C in a folder, without comments and strings."""
    words = set()
    for path in sorted(folder.glob("*.[ch]")):
        text = path.read_text(errors="replace")
        text = re.sub(r"/\*.*?\*/|\"(\\.|[^\"\\])*\"", " ", text, flags=re.S)
        words.update(WORD.findall(text))
    return words


def body_of_math(out, x, indent):
    """Statements that call the functions that generated C calls in the C library, in both
    widths."""
    lines = []
    for dtype, at in (("float32", 0), ("float64", 1)):
        value = f"T.Cast(\"{dtype}\", {x})"
        for name in UNARY:
            lines.append(f"{out}[{at}] = {out}[{at}] + T.Cast(\"float32\", T.{name}({value}))")
        for name in BINARY:
            lines.append(f"{out}[{at}] = {out}[{at}] + "
                         f"T.Cast(\"float32\", T.{name}({value}, T.{dtype}(3)))")
    lines.append(f"{out}[2] = T.if_then_else(T.isnan({x}), T.float32(\"inf\"), T.float32(\"nan\"))")
    lines.append(f"{out}[3] = {x} - T.Cast(\"float32\", T.int64(9007199254740993))")
    return "".join(f"{indent}{line}\n" for line in lines)


def batches(names, size):
    names = sorted(names)
    return [names[i:i + size] for i in range(0, len(names), size)]


def variables(names):
    """Each name as the parameter of a function, and as a local declaration."""
    text = START
    calls = ""
    buffer = "T.Buffer((4,), \"float32\")"
    for k, part in enumerate(batches(names, 60)):
        out = f"out_{k}_"
        params = "".join(f"{name}: {buffer}, " for name in part)
        text += f"    @T.prim_func(private=True)\n    def params_{k}({params}{out}: {buffer}):\n"
        text += "".join(f"        {out}[0] = {out}[0] + {name}[0]\n" for name in part)
        text += body_of_math(out, f"{out}[1]", "        ")
        text += f"    @T.prim_func(private=True)\n    def locals_{k}({out}: {buffer}):\n"
        for name in part:
            text += f"        for {name} in range(2):\n            {out}[{name}] = T.float32(0)\n"
        text += body_of_math(out, f"{out}[1]", "        ")
        calls += "".join(f"        Module.{kind}_{k}({args}z_out.data)\n" for kind, args in
                         (("params", "z_out.data, " * len(part)), ("locals", "")))
    return text + f"    @T.prim_func\n    def main(z_out: {buffer}):\n{calls}"


def scopes(names):
    """Each name as a bound variable, an allocation and a constant, with calls in its scope."""
    text = START
    calls = ""
    buffer = "T.Buffer((4,), \"float32\")"
    for k, part in enumerate(batches(names, 20)):
        for kind in ("let", "allocate", "constant"):
            text += f"    @T.prim_func(private=True)\n    def {kind}_{k}(out_{k}_: {buffer}):\n"
            for i, name in enumerate(part):
                if kind == "let":
                    text += f"        {name}: T.float32 = out_{k}_[{i % 4}]\n"
                    text += f"        out_{k}_[0] = {name}\n"
                    continue
                made = ("T.allocate([4], \"float32\", \"global\")" if kind == "allocate" else
                        f"T.allocate_const([{i}, 1, 2, 3.5], \"float32\", [4])")
                text += f"        {name} = {made}\n"
                text += f"        b{i}_ = T.Buffer((4,), \"float32\", data={name})\n"
                if kind == "allocate":
                    text += f"        b{i}_[0] = out_{k}_[1]\n"
                text += f"        out_{k}_[0] = b{i}_[0]\n"
            text += body_of_math(f"out_{k}_", f"out_{k}_[1]", "        ")
            calls += f"        Module.{kind}_{k}(z_out.data)\n"
    return text + f"    @T.prim_func\n    def main(z_out: {buffer}):\n{calls}"


def tensors(names):
    """Each name as an input or an output of the model."""
    text = START + "    @T.prim_func\n    def main("
    text += ", ".join(f"{name}: T.Buffer(({i + 1},), \"int8\")" for i, name in enumerate(names))
    text += "):\n"
    for even, odd in zip(names[::2], names[1::2]):
        text += f"        {even}[0] = {odd}[0]\n"
    return text


def functions(names, private):
    """Each name as a function; with an entry, all functions are static in C."""
    text = START
    calls = ""
    for i, name in enumerate(names):
        attribute = "" if private else f"        T.func_attr({{\"global_symbol\": \"{name}\"}})\n"
        own = name if private else f"function_{i}_"
        text += (f"    @T.prim_func{'(private=True)' if private else ''}\n"
                 f"    def {own}(b_: T.handle(\"int8\")):\n{attribute}"
                 f"        b_1_ = T.Buffer((4,), \"int8\", data=b_)\n        b_1_[0] = b_1_[1]\n")
        calls += f"        Module.{own}(y_out.data)\n"
    return (text + "    @T.prim_func\n    def __tvm_main__(y_out: T.Buffer((4,), \"int8\")):\n"
            f"        T.func_attr({{\"global_symbol\": \"tvmgen_default___tvm_main__\"}})\n{calls}")


def pools(names, internal, has_functions=False):
    """Each name as a pool of constants, and as a function that takes all pools if asked to."""
    text = START
    body = ""
    calls = ""
    for i, name in enumerate(names):
        pool = f"I.ConstantPoolInfo([], pool_name=\"{name}\", is_internal={internal})"
        body += (f"        c{i}_ = T.allocate_const([{i % 100}, 1], \"int8\", [2], annotations="
                 f"{{\"candidate_memory_pools\": [{pool}]}})\n"
                 f"        c{i}_1 = T.Buffer((2,), \"int8\", data=c{i}_)\n"
                 f"        y_out[0] = y_out[0] + c{i}_1[0]\n")
        if not has_functions:
            continue
        text += (f"    @T.prim_func\n    def function_{i}_(b_: T.handle(\"int8\")):\n"
                 f"        T.func_attr({{\"global_symbol\": \"{name}\"}})\n"
                 f"        b_1_ = T.Buffer((4,), \"int8\", data=b_)\n        b_1_[0] = b_1_[1]\n")
        calls += f"        Module.function_{i}_(y_out.data)\n"
    return (text + "    @T.prim_func\n    def __tvm_main__(y_out: T.Buffer((4,), \"int8\")):\n"
            "        T.func_attr({\"global_symbol\": \"tvmgen_default___tvm_main__\"})\n"
            + calls + body)


class Test:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.failed = 0

    def fail(self, what, done):
        self.failed += 1
        print(f"FAILED: {what}\n{(done.stdout + done.stderr)[:3000]}", flush=True)

    def emit(self, what, text, *flags, storage="c-array"):
        path = self.folder / f"{what}.py"
        path.write_text(text)
        out = self.folder / what
        done = run([self.options.tenon, "compile", path, "--emit=c",
                    f"--constant-storage={storage}", "-o", out, *flags])
        if done.returncode != 0:
            self.fail(what, done)
            return None
        return out

    def compile(self, what, folder, sources):
        for command in ([self.options.cc, "-std=c99"],
                        [self.options.cxx, "-xc++", "-std=c++17"]):
            done = run([*command, *FLAGS, f"-I{folder}", *sources])
            if done.returncode != 0:
                self.fail(f"{what}, {' '.join(map(str, command))}", done)

    def check(self, what, text, *flags):
        out = self.emit(what, text, *flags)
        if out is not None:
            self.compile(what, out, [out / "tvmgen_default.c"])

    def emitted_words(self):
        """The words in the C of modules with all constructs: names from the text, pools, tables,
        loops."""
        words = set()
        text = scopes(["a", "b"])
        for storage, *flags in (("c-array",), ("file",), ("embed",), ("file", "--promote-constants=64"),
                                ("c-array", "--promote-constants=64", "--workspace-pools=mine"),
                                ("c-array", "--use-workspace-io", "--workspace-pools=mine")):
            out = self.emit(f"words_{len(words)}", text, *flags, storage=storage)
            if out is not None:
                words |= words_of(out)
        return words

    def modules(self, names):
        """Each name as a module: all sources in one translation unit."""
        model = self.folder / "model.py"
        model.write_text(tensors(["x", "y"]))
        out = self.folder / "modules"
        done = run([self.options.tenon, "compile", *[model] * len(names), "--emit=c",
                    "--share-workspace", "--shared-name=the_shared_ones",
                    *[f"--module-name={name}" for name in names], "-o", out])
        if done.returncode != 0:
            return self.fail("modules", done)
        whole = out / "whole.c"
        whole.write_text("".join(f"#include \"tvmgen_{name}.c\"\n" for name in names))
        self.compile("modules", out, [whole])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test = Test(options, folder)
        began = time.monotonic()
        words = test.emitted_words()
        names = header_names(options) | set(C99) | set(CXX17) | words
        # Names that C reserves in every scope are recognized by their form: test a sample of them.
        formed = sorted(n for n in names if n.startswith("__") or n.startswith("_GLIBCXX"))
        names -= set(formed[20:])
        names |= {"_Pragma", "INT32_MAX", "HUGE_VAL", "global_workspace", "tvmgen_default_run",
                  "main"}
        # A module's text cannot contain Python keywords as names: only functions and pools can have
        # them.
        in_text = sorted(n for n in names if not keyword.iskeyword(n) and n not in
                         ("T", "I", "R", "Module", "range"))
        names = sorted(names)
        print(f"{len(names)} names, after {time.monotonic() - began:.1f} s", flush=True)
        test.check("variables", variables(in_text))
        test.check("scopes", scopes(in_text))
        test.check("tensors", tensors(in_text))
        # Only one name may be the entry's.
        callees = [n for n in in_text if n not in ("main", "__tvm_main__")]
        test.check("private", functions(callees, True))
        test.check("global", functions([n for n in names if n != "__tvm_main__"], False))
        test.check("internal_pools", pools(names, True))
        test.check("external_pools", pools(names, False))
        own = sorted({word.removeprefix("tvmgen_default_") for word in words})
        for k, part in enumerate(batches(own, 50)):
            test.check(f"pools_and_functions_{k}", pools(part, True, has_functions=True))
        test.modules(sorted({*names[::5], "int", "main", "default_run"}))
        print(f"{test.failed} failed, {time.monotonic() - began:.1f} s", flush=True)
        sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tests of check_layout.py: each rule refuses a tree that breaks it, and accepts the fixed tree."""

import pathlib
import subprocess
import tempfile
import unittest

import attribute_table
import check_layout
import english
import instruction_table

BODY = "  f();\n" * 58
GUARD = "#ifndef TENON_IR_A_H_\n#define TENON_IR_A_H_\nint a;\n#endif  // TENON_IR_A_H_\n"
TYPES = "namespace tenon {\nstruct A {\n};\nclass B;\n}  // namespace tenon\n"
HIDDEN = TYPES.replace("struct", "namespace {\nclass").replace("class B", "}  // namespace\nclass B")
LISTED = {"ir/CMakeLists.txt": "tenon_library(ir SRCS a.cc analysis/c.cc)", "ir/a.cc": ""}
CHECKED = {"support/CMakeLists.txt": "tenon_library(support SRCS check.cc)",
           "ir/a.cc": '#include "support/check.h"\n'}
REACHED = {"passes/memory/verify_plan.cc": '#include "passes/pass.h"\n', "passes/pass.h": '#include "ir/stmt.h"\n',
           "ir/stmt.h": '#include "passes/pass.h"\n'}
ROW = ('TENON_ATTRIBUTE(PoolArgs, "pool_args", "function", "list",\n                "a pass", "lowerings",\n'
       '                "The pools that "\n                "the function takes.")\n')
KEYS = {"ir/attributes.def": ROW}
TABLE = attribute_table.table(ROW)
INSTRUCTIONS = ('TENON_COMBINE(Pairs, "pairs", 2, Int(16), UInt(8), "two products")\n'
                'TENON_INSTRUCTION(Smlad, "SMLAD", Pairs, 2, "Cortex-M4",\n                  "with SXTB16")\n')
COUNTERPARTS = {
    "passes": {"passes/pass_list.def": 'TENON_PASS(cleanup, "remove-no-op", RemoveNoOp)\n',
               "passes/cleanup/remove_no_op.h": "", "passes/cleanup/remove_no_op.cc": "",
               "tests/lit/passes/remove_no_op.py": ""},
    "nodes": {"ir/nodes.def": "TENON_STMT(For)\n", "docs/reference/ir.md": "## For\n"},
    "diagnostics": {"support/diagnostic_kinds.def": 'TENON_DIAGNOSTIC(kLimit, "limit")\n',
                    "tests/lit/parser/limit.py": "# expected-error@+1 {{too deep [limit]}}\n"},
    "report": {"report/report.def": "", "report/report.h": 'list.Required(\n    "name", &A::name);\n',
               "docs/reference/report.md": "| `name` |\n"},
}

# Rule, files or (path, text), and what a finding says; a rule refuses each of these trees once.
BAD = (
    *(("includes", (path, f'#include "{target}"\n'), "may not include") for path, target in (
        ("support/a.cc", "ir/stmt.h"), ("ir/a.h", "arith/simplify.h"), ("ir/analysis/a.cc", "parser/parser.h"),
        ("parser/a.cc", "printer/printer.h"), ("passes/a.cc", "printer/printer.h"), ("planner/a.cc", "ir/stmt.h"),
        ("interp/a.cc", "planner/plan.h"), ("lowering/image/a.cc", "lowering/c/a.h"),
        ("lowering/c/a.cc", "passes/pipeline/pipeline.h"), ("lowering/c/a.cc", "lowering/llvm/a.h"),
        ("lowering/llvm/a.cc", "lowering/c/a.h"), ("compile/a.cc", "tools/a.h"), ("tools/a.cc", "tests/a.h"))),
    ("includes", ("ir/a.cc", '#include "tenon.h"\n'), "umbrella"),
    ("includes", {"ir/a.cc": '#include "b.h"\n', "ir/b.h": ""}, "from the root"),
    *(("includes", (path, f"#include {target}\n"), text) for path, target, text in (
        ("tools/a.cc", '"absl/strings/str_cat.h"', "absl/strings"),
        ("tests/unit/ir/a_test.cc", '"absl/strings/str_cat.h"', "absl/strings"),
        ("compile/a.cc", '"llvm/IR/Module.h"', "LLVM"), ("ir/a.h", "<iostream>", "header"),
        ("ir/a.h", "<regex>", "header"), ("planner/check/a.cc", '"planner/planner.h"', "problem.h alone"),
        ("planner/check/a.h", '"planner/problem/bound.h"', "problem.h alone"))),
    *(("judges", (path, f'#include "{target}"\n'), "may not lead to") for path, target in (
        ("analysis/access_trace.cc", "analysis/safe_distances.h"),
        ("analysis/access_program.h", "ir/analysis/pointers.h"),
        ("passes/memory/verify_plan.cc", "ir/analysis/liveness.h"),
        ("passes/memory/value_watch.cc", "passes/memory/dying_pairs.h"))),
    ("judges", {**REACHED, "ir/stmt.h": '#include "ir/analysis/liveness.h"\n'}, "lead to ir/analysis/liveness.h"),
    ("deps", {**CHECKED, "ir/CMakeLists.txt": "tenon_library(ir\n  SRCS a.cc  # the (only) one\n  PRIVATE fmt::fmt)\n"},
     "does not name"),
    ("deps", {**CHECKED, "ir/CMakeLists.txt": "tenon_library(ir SRCS a.cc DEPS support parser)\n"}, "depend on parser"),
    ("columns", ("ir/a.cc", "x" * 101), "100 columns"),
    ("sizes", ("ir/a.cc", "int a;\n" * 801), "801 lines"),
    ("functions", ("ir/a.cc", f"namespace a {{\nint F(int a,\n      int b) {{\n{BODY}}}\n}}\n"), "61 lines"),
    ("functions", ("ir/a.cc", "struct A {\n  int F() {\n" + "    f();\n" * 59 + "  }\n};\n"), "61 lines"),
    ("functions", ("ir/a.cc", "int F() {\n" + '  g(R"x(\n}\n)x");\n' * 20 + "}\n"), "62 lines"),
    ("functions", ("scripts/a.py", "def f():\n" + "    a = 1\n" * 60), "61 lines"),
    ("guards", ("ir/b.h", GUARD), "TENON_IR_B_H_"),
    ("guards", ("ir/a.h", "#pragma once\n"), "TENON_IR_A_H_"),
    ("types", {"ir/a.h": TYPES, "passes/b.h": TYPES}, "tenon::A is also a type of ir/a.h"),
    ("cmake", {**LISTED, "ir/c.cc": ""}, "not named in ir/CMakeLists.txt"),
    ("cmake", {**LISTED, "passes/c.cc": ""}, "no CMakeLists.txt"),
    ("cmake", ("ir/CMakeLists.txt", "file(GLOB s *.cc)"), "globbed"),
    *((rule, {key: text for key, text in files.items() if key != left}, "") for rule, files in COUNTERPARTS.items()
      for left in list(files)[1 if rule != "report" else 2:]),
    ("words", ("ir/a.cc", "// TO" "DO: more\n"), "left open"),
    ("words", ("ir/a.cc", '"not imple' 'mented"\n'), "left open"),
    ("words", ("README.md", "see /wo" "rk/main\n"), "path"),
    ("words", ("a.sh", "cd /ho" "me/someone/x\n"), "path"),
    *(("language", ("ir/a.cc", text), "not used here") for text in (
        "auto b = dynamic_cast<B*>(a);", "typeid(a);", "throw 1;", "std::regex a;")),
    ("attributes", {**KEYS, "passes/a.cc": 'int a;\nauto b = f.FindAttr("pool_args");\n'}, "write attr_key::kPoolArgs"),
    ("attributes", {**KEYS, "passes/a.cc": 'auto a = "//"; auto b = "pool_args";\n'}, "write attr_key::kPoolArgs"),
    ("attributes", {**KEYS, "docs/reference/ir.md": TABLE.replace("lowerings", "reports")}, "scripts/attribute_table.py"),
    ("attributes", {**KEYS, "docs/reference/ir.md": "# The IR\n"}, "scripts/attribute_table.py"),
    ("attributes", {instruction_table.SOURCE: INSTRUCTIONS, instruction_table.DOCUMENT: instruction_table.table(
        INSTRUCTIONS).replace("`int16`, `uint8`", "`int16`")}, "scripts/instruction_table.py"),
    *(("english", ("docs/a.md", text + "\n"), "docs/internals/style.md") for text in (
        "the byte behind it", "items parted by commas", "a mark is no number", "marks are no numbers",
        "the value is none of these", "the file beside it", "the bytes less the header", "an output, too.",
        "the same, too", "buffers, those of which are dead", "the C that LLVM makes of it",
        "a module that came planned", "all but for one", "the pool is to be large", "a pass of one's own",
        "16 unless written", "What is wrong is reported.", "sums likewise", "loops are made anew",
        "the linker complains", "values have to be equal", "whoever calls it", "null when it is absent",
        "it stops. What LiteRT refuses")),
    *(("english", (path, text), "`behind`") for path, text in (
        ("ir/a.h", "/// The byte behind it.\n"), ("ir/a.cc", "/* behind */\n"), ("ir/a.def", 'ROW("behind it")\n'),
        ("a.py", "# behind\n"), ("a.py", '"""The byte behind it."""\n'), ("a/CMakeLists.txt", "# behind\n"),
        ("tests/lit/a.test", "A byte behind the pool.\n"))),
    ("english", ("ir/a.cc", "int a;\n// a mark that is\n// no number\n"), 'write "is not an X'),
    ("english", ("tools/a.cc", 'Fail("a mark is "\n     "no number");\n'), 'write "is not an X'),
)

GOOD = (
    *(("includes", (path, f'#include "{target}"\n')) for path, target in (
        ("ir/a.cc", "support/check.h"), ("arith/a.cc", "ir/stmt.h"), ("parser/a.cc", "parser/lexer.h"),
        ("passes/a.cc", "planner/plan.h"), ("report/a.cc", "planner/plan.h"),
        ("passes/pipeline/runner.cc", "printer/printer.h"), ("lowering/c/a.cc", "lowering/image/a.h"),
        ("lowering/c/a.cc", "lowering/output.h"), ("lowering/c/c_backend.cc", "passes/pipeline/pipeline.h"),
        ("compile/a.cc", "lowering/c/lower.h"), ("tests/unit/ir/a_test.cc", "tools/a.h"), ("tools/a.cc", "tenon.h"),
        ("planner/check/a.cc", "planner/problem/problem.h"), ("planner/check/a.cc", "planner/check/checker.h"),
        ("planner/explain/a.cc", "planner/problem/bound.h"), ("lowering/llvm/a.cc", "llvm/IR/Module.h"),
        ("ir/a.h", "absl/container/flat_hash_map.h"))),
    ("includes", ("tools/a.cc", "#include <iostream>\n")),
    ("includes", {"runtime/a.c": '#include "b.h"\n', "runtime/b.h": ""}),
    *(("judges", (path, f'#include "{target}"\n')) for path, target in (
        ("analysis/access_trace.cc", "analysis/function_buffer.h"),
        ("analysis/safe_distances.cc", "analysis/function_buffer.h"),
        ("passes/memory/a.cc", "analysis/safe_distances.h"))),
    ("judges", REACHED),
    ("deps", {**CHECKED, "ir/CMakeLists.txt": "tenon_library(ir SRCS a.cc DEPS support LINK absl::status)\n"}),
    ("columns", ("ir/a.cc", "x" * 100)), ("columns", ("tests/unit/a.cc", "x" * 101)),
    ("sizes", ("ir/a.cc", "int a;\n" * 800)),
    ("functions", ("ir/a.cc", f"namespace a {{\nint F(int a) {{\n{BODY}}}\n}}\n")),
    ("functions", ("ir/a.cc", "class A : public B<int(int)> {\n" + "  int f();\n" * 80 + "};\n")),
    ("functions", ("ir/a.cc", "constexpr int kTable[] = {\n" + "  {1, 2},\n" * 80 + "};\n")),
    ("functions", ("ir/a.cc", "namespace {\n" + "int a;\n" * 90 + "}  // namespace\n")),
    ("functions", ("tests/lit/a.py", "def f():\n" + "    a = 1\n" * 60)),
    ("guards", ("ir/a.h", GUARD)),
    ("types", {"ir/a.h": TYPES, "passes/b.h": TYPES.replace("A", "C")}),
    ("types", {"ir/a.h": TYPES, "passes/b.cc": HIDDEN}),
    ("cmake", LISTED), ("cmake", {**LISTED, "ir/analysis/c.cc": ""}),
    *COUNTERPARTS.items(),
    ("words", ("ir/a.cc", "int todos;\n")), ("words", ("README.md", "see the frame/wo" "rk/plan\n")),
    ("language", ("ir/a.cc", '// throw\nauto s = "throw";\n')),
    ("attributes", {**KEYS, "passes/a.cc": '// the "pool_args"\nauto b = "pool_arg";\n',
                    "tests/unit/a.cc": 'auto b = "pool_args";\n', "docs/reference/ir.md": "# The IR\n\n" + TABLE}),
    *(("english", ("docs/a.md", text + "\n")) for text in (
        "there is no pool", "there are no more than 3", "the size is no longer known", "there is none",
        "None is left", "it is too large.", "too short, too long", "What is a pool?", "there are none but these for C",
        "the file next to it", "false when in doubt", "a struct has to do with others", "the mark is\n\nno number")),
    *(("english", (path, text)) for path, text in (
        ("ir/a.cc", "int behind = 1;\n"), ("ir/a.cc", 'f("behind");\n'), ("ir/a.cc", "// the variable `behind`\n"),
        ("a.py", "behind = 1\n"), ("docs/a.md", "```text\nbehind\n```\n"), ("a.json", '"behind it"\n'),
        ("tests/lit/a.test", "RUN: cat behind\nCHECK-NEXT: behind it\n"),
        ("tests/lit/a.py", "#--- behind.py\n# CHECK: behind it\n"))),
)


def findings(rule, files):
    files = files if isinstance(files, dict) else dict([files])
    return [text for _, _, text, _ in check_layout.findings(files, [rule])]


class Rules(unittest.TestCase):

    def test_bad_trees(self):
        for rule, files, text in BAD:
            with self.subTest(rule=rule, files=files):
                found = findings(rule, files)
                self.assertEqual(len(found), 1, found)
                self.assertIn(text, found[0])

    def test_good_trees(self):
        for rule, files in GOOD:
            with self.subTest(rule=rule, files=files):
                self.assertEqual(findings(rule, files), [])

    def test_the_style_page_lists_every_phrase(self):
        rows = "".join(f"| {phrase.shown} | {phrase.instead} |\n" for phrase in english.PHRASES)
        page = "# Style\n\n## Words\n\n" + rows + "\n## Help\n\nThe rest.\n"
        self.assertEqual(findings("english", (english.STYLE, page)), [])
        for before, after, text in (("| beside |", "| besides |", "has no row `| beside |"),
                                    ("The rest.", "The byte behind it.", "`behind`")):
            found = findings("english", (english.STYLE, page.replace(before, after)))
            self.assertEqual(len(found), 1)
            self.assertIn(text, found[0])

    def test_a_tree_has_the_files_that_git_lists_and_new_ones(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path in ("a.cc", "b.npy", "c.txt"):
                (root / path).write_text(path)
            (root / ".gitignore").write_text("c.txt\n")
            subprocess.run(["git", "-C", root, "init", "-q"], check=True)
            self.assertEqual(check_layout.read_tree(root), {".gitignore": "c.txt\n", "a.cc": "a.cc", "b.npy": ""})


if __name__ == "__main__":
    unittest.main()

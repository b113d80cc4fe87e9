#!/usr/bin/env python3
"""Tests of check_layout.py: each rule refuses a tree that breaks it, and accepts the fixed tree."""

import pathlib
import tempfile
import unittest

import check_layout
import english


def findings(files, *rules):
    """The findings for a tree with these files, as `path: text`."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [f"{f.path}:{f.line}: {f.text}" for f in check_layout.check(root, rules)]


class Includes(unittest.TestCase):

    def refused(self, path, include):
        found = findings({path: f"#include {include}\n"}, "includes")
        self.assertEqual(len(found), 1, f"{path} including {include}: {found}")

    def accepted(self, path, include):
        self.assertEqual(findings({path: f"#include {include}\n"}, "includes"), [])

    def test_edges(self):
        self.refused("support/a.cc", '"ir/stmt.h"')
        self.refused("ir/a.h", '"arith/simplify.h"')
        self.refused("ir/analysis/a.cc", '"parser/parser.h"')
        self.refused("parser/a.cc", '"printer/printer.h"')
        self.refused("passes/a.cc", '"printer/printer.h"')
        self.refused("planner/a.cc", '"ir/stmt.h"')
        self.refused("interp/a.cc", '"planner/plan.h"')
        self.accepted("lowering/c/a.cc", '"lowering/image/a.h"')
        self.refused("lowering/image/a.cc", '"lowering/c/a.h"')
        self.refused("lowering/c/a.cc", '"passes/pipeline/pipeline.h"')
        self.accepted("lowering/c/c_backend.cc", '"passes/pipeline/pipeline.h"')
        self.refused("lowering/c/a.cc", '"lowering/llvm/a.h"')
        self.refused("lowering/llvm/a.cc", '"lowering/c/a.h"')
        self.refused("compile/a.cc", '"tools/a.h"')
        self.refused("tools/a.cc", '"tests/a.h"')
        self.accepted("ir/a.cc", '"support/check.h"')
        self.accepted("arith/a.cc", '"ir/stmt.h"')
        self.accepted("parser/a.cc", '"parser/lexer.h"')
        self.accepted("passes/a.cc", '"planner/plan.h"')
        self.accepted("report/a.cc", '"planner/plan.h"')
        self.accepted("passes/pipeline/runner.cc", '"printer/printer.h"')
        self.accepted("lowering/c/a.cc", '"lowering/output.h"')
        self.accepted("lowering/c/c_backend.cc", '"lowering/image/a.h"')
        self.accepted("compile/a.cc", '"lowering/c/lower.h"')
        self.accepted("tests/unit/ir/a_test.cc", '"tools/a.h"')

    def test_checker_knows_the_problem_alone(self):
        self.refused("planner/check/a.cc", '"planner/planner.h"')
        self.refused("planner/check/a.cc", '"planner/problem/bound.h"')
        self.refused("planner/check/a.h", '"planner/exact/packing.h"')
        self.accepted("planner/check/a.cc", '"planner/problem/problem.h"')
        self.accepted("planner/check/a.cc", '"planner/check/checker.h"')
        self.accepted("planner/explain/a.cc", '"planner/problem/bound.h"')

    def test_judges_do_not_know_what_they_judge(self):
        self.refused("analysis/access_trace.cc", '"analysis/safe_distances.h"')
        self.refused("analysis/access_program.h", '"ir/analysis/pointers.h"')
        self.refused("analysis/function_buffer.h", '"analysis/safe_distances.h"')
        self.refused("passes/memory/verify_plan.cc", '"passes/memory/overlap_relations.h"')
        self.refused("passes/memory/verify_plan.cc", '"ir/analysis/liveness.h"')
        self.refused("passes/memory/value_watch.cc", '"passes/memory/dying_pairs.h"')
        self.accepted("analysis/access_trace.cc", '"analysis/function_buffer.h"')
        self.accepted("analysis/safe_distances.cc", '"analysis/function_buffer.h"')
        self.accepted("passes/memory/a.cc", '"analysis/safe_distances.h"')

    def test_judges_do_not_reach_what_they_judge(self):
        files = {"passes/memory/verify_plan.cc": '#include "passes/pass.h"\n',
                 "passes/pass.h": '#include "ir/module.h"\n', "ir/module.h": '#include "ir/stmt.h"\n',
                 "ir/stmt.h": '#include "ir/module.h"\n'}
        self.assertEqual(findings(files, "includes"), [])
        files["ir/stmt.h"] = '#include "ir/analysis/liveness.h"\n'
        found = findings(files, "includes")
        self.assertEqual(found, ["passes/memory/verify_plan.cc:1: passes/memory/verify_plan.cc judges plans: its "
                                 "include passes/pass.h may not lead to ir/analysis/liveness.h"])

    def test_packages(self):
        self.refused("tools/a.cc", '"absl/strings/str_cat.h"')
        self.refused("tests/unit/ir/a_test.cc", '"absl/strings/str_cat.h"')
        self.refused("compile/a.cc", '"llvm/IR/Module.h"')
        self.refused("ir/a.h", "<iostream>")
        self.refused("ir/a.h", "<regex>")
        self.accepted("tools/a.cc", "<iostream>")
        self.accepted("lowering/llvm/a.cc", '"llvm/IR/Module.h"')
        self.accepted("ir/a.h", '"absl/container/flat_hash_map.h"')

    def test_relative_include(self):
        self.assertEqual(
            findings({"runtime/a.c": '#include "b.h"\n', "runtime/b.h": ""}, "includes"), [])
        found = findings({"ir/a.cc": '#include "b.h"\n', "ir/b.h": ""}, "includes")
        self.assertEqual(len(found), 1)

    def test_declared_dependencies(self):
        files = {
            "ir/CMakeLists.txt": "tenon_library(ir\n  SRCS a.cc  # the (only) one\n  PRIVATE fmt::fmt)\n",
            "ir/a.cc": '#include "support/check.h"\n',
            "support/CMakeLists.txt": "tenon_library(support SRCS check.cc)\n",
        }
        self.assertEqual(len(findings(files, "deps")), 1)
        files["ir/CMakeLists.txt"] = "tenon_library(ir SRCS a.cc DEPS support LINK absl::status)\n"
        self.assertEqual(findings(files, "deps"), [])
        files["ir/CMakeLists.txt"] = "tenon_library(ir SRCS a.cc DEPS support parser)\n"
        self.assertEqual(len(findings(files, "deps")), 1)


class Sizes(unittest.TestCase):

    def test_columns(self):
        self.assertEqual(findings({"ir/a.cc": "x" * 100 + "\n"}, "columns"), [])
        self.assertEqual(len(findings({"ir/a.cc": "x" * 101 + "\n"}, "columns")), 1)
        self.assertEqual(findings({"tests/unit/a.cc": "x" * 101 + "\n"}, "columns"), [])

    def test_file(self):
        self.assertEqual(findings({"ir/a.cc": "int a;\n" * 800}, "sizes"), [])
        self.assertEqual(len(findings({"ir/a.cc": "int a;\n" * 801}, "sizes")), 1)

    def test_function(self):
        body = "  f();\n" * 58
        short = "namespace tenon {\nint F(int a) {\n" + body + "}\n}\n"
        self.assertEqual(findings({"ir/a.cc": short}, "functions"), [])
        found = findings({"ir/a.cc": short.replace("int a", "int a,\n      int b")}, "functions")
        self.assertEqual(found, ["ir/a.cc:2: F: 61 lines; at most 60"])

    def test_what_is_no_function(self):
        body = "  {1, 2},\n" * 80
        files = {
            "ir/a.cc": "class A : public B<int(int)> {\n" + "  int f();\n" * 80 + "};\n",
            "ir/b.cc": "constexpr int kTable[] = {\n" + body + "};\n",
            "ir/c.cc": "namespace {\n" + "int a;\n" * 90 + "}\n",
        }
        self.assertEqual(findings(files, "functions"), [])

    def test_braces_in_text_and_comments_do_not_count(self):
        body = '  g("}{", \'{\', R"x({{{)x");  // {\n  /* } */ int c = 1\'000;\n' * 20
        found = list(check_layout.cxx_functions("void F() {\n" + body + "}\nvoid G() {\n}\n"))
        self.assertEqual([(f[1], f[2]) for f in found], [(42, "F"), (2, "G")])

    def test_methods_and_constructors(self):
        text = ("struct A {\n  A(int b) : b_{b}, c_(0) {\n" + "    f();\n" * 3 + "  }\n"
                "  template <class T>\n  bool Get() const {\n    return true;\n  }\n};\n")
        found = {name: length for _, length, name in check_layout.cxx_functions(text)}
        self.assertEqual(found["Get"], 4)

    def test_python(self):
        text = "def f():\n" + "    a = 1\n" * 60
        self.assertEqual(len(findings({"scripts/a.py": text}, "functions")), 1)
        self.assertEqual(findings({"tests/lit/a.py": text}, "functions"), [])


class Names(unittest.TestCase):

    def test_guard(self):
        good = "#ifndef TENON_IR_A_H_\n#define TENON_IR_A_H_\n#endif  // TENON_IR_A_H_\n"
        self.assertEqual(findings({"ir/a.h": good}, "guards"), [])
        self.assertEqual(len(findings({"ir/b.h": good}, "guards")), 1)
        self.assertEqual(len(findings({"ir/a.h": "#pragma once\n"}, "guards")), 1)

    def test_types_have_names_of_their_own(self):
        text = "namespace tenon {\nstruct A {\n};\nclass B;\n}  // namespace tenon\n"
        self.assertEqual(findings({"ir/a.h": text, "passes/b.h": text.replace("A", "C")}, "types"), [])
        self.assertEqual(findings({"ir/a.h": text, "passes/b.h": text}, "types"),
                         ["passes/b.h:2: tenon::A is also a type of ir/a.h"])
        hidden = text.replace("struct", "namespace {\nclass").replace("class B", "}  // namespace\nclass B")
        self.assertEqual(findings({"ir/a.h": text, "passes/b.cc": hidden}, "types"), [])

    def test_sources_are_listed(self):
        files = {"ir/CMakeLists.txt": "tenon_library(ir SRCS a.cc analysis/c.cc)", "ir/a.cc": ""}
        self.assertEqual(findings(files, "cmake"), [])
        self.assertEqual(findings({**files, "ir/analysis/c.cc": ""}, "cmake"), [])
        self.assertEqual(len(findings({**files, "ir/c.cc": ""}, "cmake")), 1)
        self.assertEqual(len(findings({**files, "passes/c.cc": ""}, "cmake")), 1)
        self.assertEqual(len(findings({"ir/CMakeLists.txt": "file(GLOB s *.cc)"}, "cmake")), 1)

    def test_counterparts(self):
        files = {
            "passes/pass_list.def": 'TENON_PASS(cleanup, "remove-no-op", RemoveNoOp)\n',
            "passes/cleanup/remove_no_op.h": "", "passes/cleanup/remove_no_op.cc": "",
            "tests/lit/passes/remove_no_op.py": "",
            "ir/nodes.def": "TENON_STMT(For)\n", "docs/ir.md": "## For\n",
            "support/diagnostic_kinds.def": 'TENON_DIAGNOSTIC(kLimit, "limit")\n',
            "tests/lit/parser/limit.py": "# expected-error@+1 {{too deep [limit]}}\n",
        }
        rules = ("passes", "nodes", "diagnostics")
        self.assertEqual(findings(files, *rules), [])
        for name in sorted(files):
            if not name.endswith(".def"):
                rest = {key: value for key, value in files.items() if key != name}
                self.assertEqual(len(findings(rest, *rules)), 1, f"without {name}")


class Words(unittest.TestCase):

    def test_left_open(self):
        self.assertEqual(len(findings({"ir/a.cc": "// TO" "DO: more\n"}, "words")), 1)
        self.assertEqual(len(findings({"ir/a.cc": '"not imple' 'mented"\n'}, "words")), 1)
        self.assertEqual(findings({"ir/a.cc": "int todos;\n"}, "words"), [])

    def test_private_paths(self):
        self.assertEqual(len(findings({"README.md": "see /wo" "rk/main\n"}, "words")), 1)
        self.assertEqual(len(findings({"a.sh": "cd /ho" "me/someone/x\n"}, "words")), 1)
        self.assertEqual(findings({"README.md": "see the frame/wo" "rk/plan\n"}, "words"), [])

    def test_language(self):
        self.assertEqual(len(findings({"ir/a.cc": "auto b = dynamic_cast<B*>(a);\n"}, "language")), 1)
        self.assertEqual(len(findings({"ir/a.cc": "throw 1;\n"}, "language")), 1)
        self.assertEqual(findings({"ir/a.cc": '// throw\nauto s = "throw";\n'}, "language"), [])


class English(unittest.TestCase):

    def found(self, text, path="docs/a.md"):
        return [finding.partition(": ")[2].partition(":")[0].strip("`")
                for finding in findings({path: text}, "english")]

    def test_every_phrase_is_refused(self):
        for bad in ("the byte behind it", "items parted by commas", "a mark is no number",
                    "marks are no numbers", "the value is none of these", "the file beside it",
                    "the bytes less the header", "an output, too.", "the same, too",
                    "buffers, those of which are dead", "the C that LLVM makes of it",
                    "a module that came planned", "all but for one", "the pool is to be large",
                    "a pass of one's own", "16 unless written", "What is wrong is reported.",
                    "sums likewise", "loops are made anew", "the linker complains",
                    "values have to be equal", "whoever calls it", "null when it is absent",
                    "it stops. What LiteRT refuses"):
            self.assertEqual(len(self.found(bad + "\n")), 1, bad)

    def test_plain_english_is_accepted(self):
        for good in ("there is no pool", "there are no more than 3", "the size is no longer known",
                     "there is none", "None is left", "it is too large.", "too short, too long",
                     "What is a pool?", "there are none but these for C", "the file next to it",
                     "false when in doubt", "a struct has to do with others"):
            self.assertEqual(self.found(good + "\n"), [], good)

    def test_phrases_reach_across_lines(self):
        self.assertEqual(findings({"ir/a.cc": "int a;\n// a mark that is\n// no number\n"}, "english"),
                         ['ir/a.cc:3: `is no n`: write "is not an X, are not X" (docs/style.md)'])
        self.assertEqual(self.found("the mark is\n\nno number\n"), [])
        self.assertEqual(self.found('Fail("a mark is "\n     "no number");\n', "tools/a.cc"),
                         ["is no n"])

    def test_comments_and_messages_are_read_and_code_is_not(self):
        for path, text in (("ir/a.h", "/// The byte behind it.\n"), ("ir/a.cc", "/* behind */\n"),
                           ("ir/a.def", 'ROW("behind it")\n'), ("a.py", "# behind\n"),
                           ("a.py", '"""The byte behind it."""\n'), ("a/CMakeLists.txt", "# behind\n"),
                           ("tests/lit/a.test", "A byte behind the pool.\n")):
            self.assertEqual(self.found(text, path), ["behind"], text)
        for path, text in (("ir/a.cc", "int behind = 1;\n"), ("ir/a.cc", 'f("behind");\n'),
                           ("ir/a.cc", "// the variable `behind`\n"), ("a.py", "behind = 1\n"),
                           ("docs/a.md", "```text\nbehind\n```\n"), ("a.json", '"behind it"\n'),
                           ("tests/lit/a.test", "RUN: cat behind\nCHECK-NEXT: behind it\n"),
                           ("tests/lit/a.py", "#--- behind.py\n# CHECK: behind it\n")):
            self.assertEqual(self.found(text, path), [], text)

    def test_the_style_page_lists_every_phrase(self):
        rows = "".join(f"| {phrase.shown} | {phrase.instead} |\n" for phrase in english.PHRASES)
        page = "# Style\n\n## Words\n\n" + rows + "\n## Help\n\nThe rest.\n"
        self.assertEqual(findings({"docs/style.md": page}, "english"), [])
        found = findings({"docs/style.md": page.replace("| beside |", "| besides |")}, "english")
        self.assertEqual(len(found), 1)
        self.assertIn("has no row `| beside |", found[0])
        found = findings({"docs/style.md": page.replace("The rest.", "The byte behind it.")}, "english")
        self.assertEqual(len(found), 1)


class Report(unittest.TestCase):

    def test_members_are_in_the_documents(self):
        files = {
            "report/report.h": 'void Members() {\n  list.Required(\n      "name", &A::name);\n}\n',
            "docs/tools.md": "| `size` |\n",
        }
        self.assertEqual(findings(files, "report"), [
            "report/report.h:3: the member `name` of a report is not in docs/tools.md"])
        files["docs/tools.md"] = "| `name` |\n"
        self.assertEqual(findings(files, "report"), [])


class Attributes(unittest.TestCase):

    ROW = ('TENON_ATTRIBUTE(PoolArgs, "pool_args", "function", "list",\n'
           '                "a pass", "lowerings",\n'
           '                "The pools that "\n                "the function takes.")\n')
    MARKS = "<!-- Made from ir/attributes.def by scripts/attribute_table.py. -->\n"
    TABLE = (MARKS + "\n| key | on | type | written by | read by | meaning |\n"
             "|---|---|---|---|---|---|\n"
             "| `pool_args` | function | list | a pass | lowerings | The pools that the function "
             "takes. |\n\n<!-- End of the table. -->\n")

    def check(self, **files):
        named = {"ir/attributes.def": self.ROW}
        named.update({name.replace("__", "/").replace("_dot_", "."): text
                      for name, text in files.items()})
        return findings(named, "attributes")

    def test_literal_keys_are_refused(self):
        found = self.check(passes__a_dot_cc='int a;\nauto b = f.FindAttr("pool_args");\n')
        self.assertEqual(found, ['passes/a.cc:2: "pool_args": write attr_key::kPoolArgs of '
                                 'ir/attributes.h'])

    def test_comments_tests_and_other_texts_may_name_keys(self):
        self.assertEqual(self.check(passes__a_dot_cc='// the "pool_args"\nauto b = "pool_arg";\n',
                                    tests__unit__a_dot_cc='auto b = "pool_args";\n'), [])

    def test_a_comment_mark_within_a_text_hides_nothing(self):
        found = self.check(passes__a_dot_cc='auto a = "//"; auto b = "pool_args";\n')
        self.assertEqual(len(found), 1)

    def test_the_table_of_the_documents(self):
        self.assertEqual(self.check(docs__ir_dot_md="# The IR\n\n" + self.TABLE), [])
        for stale in (self.TABLE.replace("lowerings", "reports"), "# The IR\n"):
            found = self.check(docs__ir_dot_md=stale)
            self.assertEqual(len(found), 1, stale)
            self.assertIn("scripts/attribute_table.py", found[0])


if __name__ == "__main__":
    unittest.main()

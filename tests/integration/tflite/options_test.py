#!/usr/bin/env python3
"""Every option that the reader of .tflite files reads is used, or refused.

Use: options_test.py --tenon-opt BIN

The table of options is that of frontends/tflite/options.cc. An option of an operator is used if another value
changes the module of some case of tflite_cases.py, and refused if another value is an error.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import tflite_cases
from tflite_writer import Scalar, Vector, text

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = 300
CONV_2D, BIAS = 3, 2
VALUES = {
    "kInt": [Scalar("i", value) for value in (1, 2, 3, 0, -1)],
    "kBool": [Scalar("?", value) for value in (True, False)],
    "kByte": [Scalar("b", value) for value in (1, 0)],
    "kFloat": [Scalar("f", value) for value in (0.5, 2.0)],
    "kPadding": [Scalar("b", value) for value in (0, 1)],
    "kActivation": [Scalar("b", value) for value in (1, 4, 0, 3)],
    "kIndexType": [Scalar("b", value) for value in (2, 4)],
    "kSumType": [Scalar("b", value) for value in (2, 4)],
    "kText": [text("other")],
    "kSubgraph": [Scalar("i", value) for value in range(5)],
    "kInts": [Vector("i", value) for value in ([0], [1, 1, 1], [7])],
}


def read_table():
    """(code, options type) of each operator, and its (field, type, name)."""
    source = (ROOT / "frontends/tflite/options.cc").read_text()
    lists = {name: re.findall(r'\{(\d+), (k\w+), "(\w+)"', body) for name, body in
             re.findall(r"constexpr OptionField (k\w+)\[\] = \{(.*?)\};", source, re.DOTALL)}
    rows = re.findall(r'\{(\d+), "\w+", (k\w+), (\d+)', source)
    return {(int(code), int(options)): lists[name] for code, name, options in rows}


def operators_of(case):
    """The code and the fields of each operator."""
    for fields in case.source.operators:
        index = int.from_bytes(fields[0].bytes, "little")
        yield case.source.codes[index][0], fields


class Judge:
    def __init__(self, tenon_opt, folder):
        self.tenon_opt, self.path = tenon_opt, folder / "model.tflite"

    def text(self, model):
        """The module, or None where it is refused."""
        self.path.write_bytes(model)
        done = subprocess.run([self.tenon_opt, str(self.path)], capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    def is_read(self, case, fields, number, options, kind):
        before = self.text(case.source.file(case.inputs_of_file, case.outputs_of_file))
        # The table of options is in one of two unions.
        kept = {key: fields.get(key) for key in ((11, 12) if 12 in fields else (3, 4))}
        of_type, table = kept
        try:
            for value in VALUES[kind]:
                fields |= {of_type: Scalar("B", options),
                           table: {**(kept[table] or {}), int(number): value}}
                if self.text(case.source.file(case.inputs_of_file, case.outputs_of_file)) != before:
                    return True
        finally:
            fields.update(kept)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon-opt", required=True)
    args = parser.parse_args()
    table = read_table()
    if len(table) < 20:
        sys.exit(f"options: expected a table of at least 20 operators, found {len(table)}")
    wanted = {(code, options, *entry) for (code, options), entries in table.items() for entry in entries}
    count = len(wanted)
    kinds_of = collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as name:
        judge = Judge(args.tenon_opt, pathlib.Path(name))
        for seed in range(CASES):
            codes = {one[0] for one in wanted}
            # After some seeds it is known which kinds have an operator.
            known = seed >= len(tflite_cases.KINDS)
            kinds = tflite_cases.KINDS if not known else set().union(*(kinds_of[code] for code in codes))
            for kind in kinds:
                case = tflite_cases.make_case(kind, seed)
                for code, fields in operators_of(case):
                    if code == CONV_2D and seed % 2:
                        # Files for microcontrollers leave out the bias; LiteRT's cases have one.
                        fields[1] = Vector("i", [*fields[1].items[:BIAS], -1])
                    kinds_of[code].add(kind)
                    wanted -= {one for one in wanted if one[0] == code
                               and judge.is_read(case, fields, one[2], one[1], one[3])}
    for code, _, _, _, option in sorted(wanted):
        print(f"operator {code}: `{option}` is read, and changes nothing in {CASES} cases")
    print(f"{count} options of {len(table)} operators, {len(wanted)} without use")
    return 1 if wanted else 0


if __name__ == "__main__":
    sys.exit(main())

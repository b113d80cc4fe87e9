"""Plans: every form of a problem, options, checks, and Ctrl-C."""

import csv
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import common
import tenon_compiler as tenon
from common import numpy

TENON = os.environ.get("TENON")
CSV = common.ROOT / "examples" / "buffers.csv"
TUPLES = [(0, 3, 4), (3, 9, 4), (0, 9, 4), (9, 21, 4), (0, 21, 4)]


def hard_problem():
    """Buffers for which the search does not end within a minute."""
    state = 1

    def number(most):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % most

    rows = []
    for _ in range(1000):
        lower = number(300)
        rows.append((lower, lower + 1 + number(100), 1 + number(5000)))
    return rows


class Problems(unittest.TestCase):
    def test_tuples(self):
        plan = tenon.plan(TUPLES)
        self.assertEqual(plan.peak, 12)
        self.assertEqual(plan.bound, 12)
        self.assertTrue(plan.optimal)
        self.assertEqual(len(plan.offsets), len(TUPLES))
        for i, (lower, upper, size) in enumerate(TUPLES):
            for j, (other_lower, other_upper, other) in enumerate(TUPLES[:i]):
                if lower < other_upper and other_lower < upper:
                    self.assertTrue(plan.offsets[i] + size <= plan.offsets[j] or
                                    plan.offsets[j] + other <= plan.offsets[i])

    def test_forms_of_one_problem(self):
        text = CSV.read_text(encoding="utf-8")
        from_file = tenon.plan(CSV)
        self.assertEqual(tenon.plan(text).to_csv(), from_file.to_csv())
        rows = list(csv.DictReader(io.StringIO(text)))
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        self.assertEqual(tenon.plan(columns).offsets, from_file.offsets)
        if TENON:
            done = subprocess.run([TENON, "plan", CSV, "-q"], check=True, stdout=subprocess.PIPE, text=True)
            self.assertEqual(from_file.to_csv(), done.stdout)

    @unittest.skipUnless(TENON, "needs the program")
    def test_plans_of_the_corpus_are_those_of_the_program(self):
        problems = sorted((common.CORPUS / "planning" / "minimalloc").glob("*.csv"))
        if not problems:
            self.skipTest("needs the corpus")
        for path in problems:
            with self.subTest(path.name):
                done = subprocess.run([TENON, "plan", path, "--capacity=1048576", "-q"], check=True,
                                      stdout=subprocess.PIPE, text=True)
                plan = tenon.plan(path, capacity=1048576)
                self.assertEqual(plan.to_csv(), done.stdout)
                self.assertIn("valid", tenon.check_plan(path, plan.offsets, capacity=1048576))

    def test_a_frame_of_columns(self):
        class Frame:
            """What the planner needs of a DataFrame of pandas."""

            def __init__(self, columns):
                self.data = columns
                self.columns = list(columns)

            def __iter__(self):
                return iter(self.columns)

            def __getitem__(self, name):
                return self.data[name]

        frame = Frame({"lower": [0, 3], "upper": [3, 9], "size": [4, 8], "alignment": [float("nan"), 4.0]})
        self.assertEqual(tenon.plan(frame).peak, 8)
        with self.assertRaisesRegex(tenon.Error, "columns of one length"):
            tenon.plan(Frame({"lower": [0], "upper": [3, 4], "size": [4, 8]}))

    @common.needs_numpy
    def test_numpy_columns(self):
        lower, upper, size = numpy.array(TUPLES).T
        self.assertEqual(tenon.plan({"lower": lower, "upper": upper, "size": size}).peak, 12)
        self.assertEqual(tenon.plan(numpy.array(TUPLES)).peak, 12)

    def test_options(self):
        self.assertEqual(tenon.plan(TUPLES, capacity=12).peak, 12)
        with self.assertRaisesRegex(tenon.Error, "12|smaller"):
            tenon.plan(TUPLES, capacity=11)
        self.assertEqual(tenon.plan(TUPLES, pools={"sram": "1K"}).pools, ["sram"] * 5)
        self.assertEqual(tenon.plan(TUPLES, algorithm="greedy_by_size").algorithm, "greedy_by_size")
        with self.assertRaisesRegex(tenon.Error, "plan\\(\\) has no option `capcity`; did you mean `capacity`"):
            tenon.plan(TUPLES, capcity=12)

    def test_wrong_problems(self):
        with self.assertRaisesRegex(tenon.Error, "as buffer 1, found 2 numbers"):
            tenon.plan([(0, 1, 4), (1, 2)])
        with self.assertRaises(tenon.Error) as caught:
            tenon.plan("id,lower,upper,size\na,0,3,x\n")
        self.assertEqual(caught.exception.diagnostics[0].line, 2)
        with self.assertRaisesRegex(tenon.Error, "found int"):
            tenon.plan(7)
        for problem in ("{", "[" * 100_000, '{"version": 1, "buffers": ' + "[" * 100_000, "id,lower,upper,size\n" + "a," * 100_000,
                        [(0, 2**70, 4)], [(3, 1, 4)], [(0, 1, -4)], {"lower": [0]}, [(0, 1, 2**62), (0, 1, 2**62), (0, 1, 2**62)]):
            with self.subTest(str(problem)[:40]), self.assertRaises(tenon.Error):
                tenon.plan(problem)


class Answers(unittest.TestCase):
    def test_certificate(self):
        plan = tenon.plan(TUPLES)
        self.assertEqual(plan.certificate["version"], 1)
        self.assertIn("proven", plan.check())
        self.assertGreaterEqual(len(plan.trace), 1)
        self.assertEqual(plan.trace[-1].best, plan.peak)
        self.assertIn("<svg", plan.to_svg())
        self.assertTrue(plan._repr_html_().startswith("<iframe"))

    def test_plans_of_others(self):
        self.assertIn("12", tenon.check_plan(TUPLES, [0, 0, 4, 0, 8]))
        with self.assertRaises(tenon.Error) as caught:
            tenon.check_plan(TUPLES, [0, 0, 2, 0, 8])
        self.assertIn("b", caught.exception.diagnostics[0].message)
        with self.assertRaisesRegex(tenon.Error, "expected 5 offsets.*found 4"):
            tenon.check_plan(TUPLES, [0, 0, 4, 0])

    def test_previous(self):
        def problem(*rows):
            return dict(zip(("id", "lower", "upper", "size"), zip(*rows)))
        before = tenon.plan(problem(("a", 0, 4, 64), ("b", 2, 6, 32), ("c", 3, 9, 16)))
        grown = problem(("d", 5, 9, 16), ("c", 3, 9, 16), ("b", 2, 6, 32), ("a", 0, 4, 64))
        for previous in (before, before.to_json(), before.to_csv()):
            after = tenon.plan(grown, previous=previous)
            self.assertEqual(after.certificate["previous"]["kept"], 3)
            self.assertEqual(after.certificate["previous"]["new"], 1)
            self.assertEqual(after.offsets[:0:-1], before.offsets)
            self.assertIn("proven optimal", after.check())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "before.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(before.to_csv())
            self.assertEqual(tenon.plan(grown, previous=path).offsets, after.offsets)
        with self.assertRaises(tenon.Error) as caught:
            tenon.plan(grown, previous="id,offset\na,x\n")
        self.assertEqual(caught.exception.diagnostics[0].line, 2)
        with self.assertRaisesRegex(tenon.Error, "expected a Plan, a path or text as `previous`, found int"):
            tenon.plan(grown, previous=1)

    def test_ctrl_c_gives_the_best_plan(self):
        script = (f"import sys; sys.path[:0] = {sys.path!r}\n"
                  "import tenon_compiler as tenon, test_plan\n"
                  "print('ready', flush=True)\n"
                  "plan = tenon.plan(test_plan.hard_problem(), time_limit=60)\n"
                  "print(plan.interrupted, plan.check() != '', plan.trace[-1].seconds < 30)\n")
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            time.sleep(1.5)
            self.assertIsNone(process.poll(), 'the search ended too early')
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out.strip()), (0, "True True True"))


class Nothing(unittest.TestCase):
    def test_nothing_is_printed(self):
        script = (f"import sys; sys.path[:0] = {sys.path!r}\n"
                  "import tenon_compiler as tenon, common\n"
                  "m = tenon.load(common.DIGITS / 'digits.tflite')\n"
                  "m.emit(); m.report(why=True); m.apply('simplify'); m.compile(); tenon.plan([(0, 1, 4)])\n"
                  "for bad in (lambda: m.emit(planner='x'), lambda: tenon.parse('('), lambda: m.report(why='x')):\n"
                  "    try: bad(); print('no error')\n"
                  "    except tenon.Error: pass\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_without_numpy(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "numpy.py"), "w", encoding="utf-8") as file:
                file.write("raise ImportError('hidden')\n")
            for name in ("test_load", "test_run"):
                done = subprocess.run([sys.executable, "-m", "unittest", name], capture_output=True, text=True,
                                      check=False, cwd=os.path.dirname(__file__),
                                      env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])})
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()

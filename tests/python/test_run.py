"""Running models: engines, arrays of all kinds, states, threads, and no growth."""

import gc
import os
import sys
import threading
import tracemalloc
import unittest

import common
import tenon_compiler as tenon
from common import numpy

ENGINES = tenon.engines


def resident_bytes():
    """The memory of this process that is in RAM."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def digits():
    return tenon.load(common.DIGITS / "digits.tflite")


class Engines(unittest.TestCase):
    def test_digits_on_each_engine(self):
        images = common.npy_rows(common.DIGITS / "heldout_images.npy")
        wanted = common.npy_rows(common.DIGITS / "tflite_logits.npy")
        self.assertEqual(len(images), len(wanted))
        module = digits()
        shape = list(module.inputs[0].shape)
        for engine in ENGINES:
            model = module.compile(engine)
            count = 20 if engine == "interp" else len(images)
            for image, logits in zip(images[:count], wanted[:count]):
                got = model(memoryview(image).cast("b").cast("B").cast("b", shape))
                self.assertEqual(memoryview(got).tobytes(), logits, engine)

    def test_constants_as_inputs(self):
        image = common.npy_rows(common.DIGITS / "heldout_images.npy")[0]
        logits = common.npy_rows(common.DIGITS / "tflite_logits.npy")[0]
        for engine in ENGINES:
            model = digits().compile(engine, link_params=False)
            self.assertEqual(len(model.inputs), 1)
            got = model(memoryview(image).cast("b", list(model.inputs[0].shape)))
            self.assertEqual(memoryview(got).tobytes(), logits, engine)

    def test_numbers(self):
        module = tenon.parse(common.SCALE)
        x = common.view([1, 2], "f", [2])
        for engine in ENGINES:
            model = module.compile(engine)
            self.assertEqual(common.flat(model(x, 3, 2.5)), [5.5, 8.0], engine)
            with self.assertRaisesRegex(tenon.Error, "expected int32\\[\\] for the input `n`, found 3.5"):
                model(x, 3.5, 1)
            with self.assertRaisesRegex(tenon.Error, "found 5000000000"):
                model(x, 5_000_000_000, 1)

    def test_tensors_without_dimensions(self):
        module = tenon.parse(common.HALF)
        for engine in ENGINES:
            self.assertEqual(common.flat(module.compile(engine)(3)), [1.5], engine)
            self.assertEqual(common.flat(module.compile(engine)(2.5)), [1.25], engine)

    def test_run_is_the_interpreter(self):
        module = tenon.parse(common.COUNTER)
        x = common.view([1, 2], "i", [2])
        self.assertEqual(common.flat(module.run(x)), [10, 20])
        self.assertEqual(common.flat(module.run(x)), [10, 20])
        with self.assertRaisesRegex(tenon.Error, "step"):
            module.run(x, max_steps=1)

    def test_unknown_engine(self):
        with self.assertRaisesRegex(tenon.Error, "expected one of interp, c, jit; found `gpu`"):
            digits().compile("gpu")

    def test_missing_compiler_is_an_error(self):
        with self.assertRaisesRegex(tenon.Error, "no-such-cc"):
            digits().compile("c", cc="no-such-cc")


class States(unittest.TestCase):
    def test_states_last_until_reset(self):
        x = common.view([1, 2], "i", [2])
        for engine in ENGINES:
            model = tenon.parse(common.COUNTER).compile(engine)
            self.assertEqual([t.name for t in model.states], ["s"])
            self.assertEqual(common.flat(model(x)), [10, 20], engine)
            self.assertEqual(common.flat(model(x)), [20, 40], engine)
            model.reset()
            self.assertEqual(common.flat(model(x)), [10, 20], engine)

    def test_two_models_have_their_own(self):
        x = common.view([1, 2], "i", [2])
        module = tenon.parse(common.COUNTER)
        one, two = module.compile(), module.compile()
        one(x)
        self.assertEqual(common.flat(one(x)), [20, 40])
        self.assertEqual(common.flat(two(x)), [10, 20])

    def test_tensors_in_pools(self):
        x = common.view([1, 2], "i", [2])
        for engine in ENGINES:
            model = tenon.parse(common.COUNTER).compile(engine, map_inputs=True, map_outputs=True)
            self.assertEqual(common.flat(model(x)), [10, 20], engine)
            self.assertEqual(common.flat(model(x)), [20, 40], engine)
            model.reset()
            self.assertEqual(common.flat(model(x)), [10, 20], engine)


class Arguments(unittest.TestCase):
    def setUp(self):
        self.a = common.view([1, 2, 3, 4, 5, 6], "f", [2, 3])
        self.b = common.view([1, 1, 1, 1, 1, 1], "f", [2, 3])
        self.model = tenon.parse(common.ADD).compile()

    def test_forms(self):
        for result in (self.model(self.a, self.b), self.model((self.a, self.b)), self.model([self.a, self.b])):
            self.assertIsInstance(result, tuple)
            self.assertEqual([common.flat(r) for r in result], [[2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5]])
        named = self.model({"b": self.b, "a": self.a})
        self.assertEqual(list(named), ["c", "d"])
        self.assertEqual(common.flat(named["d"]), [0, 1, 2, 3, 4, 5])

    def test_out(self):
        c, d = common.view([0] * 6, "f", [2, 3]), common.view([0] * 6, "f", [2, 3])
        result = self.model(self.a, self.b, out=(c, d))
        self.assertIs(result[0], c)
        self.assertEqual(common.flat(d), [0, 1, 2, 3, 4, 5])
        named = self.model({"a": self.a, "b": self.b}, out={"c": c, "d": d})
        self.assertIs(named["d"], d)

    def refused(self, pattern, *arguments, **named):
        with self.assertRaisesRegex(tenon.Error, pattern):
            self.model(*arguments, **named)

    def test_wrong_arrays(self):
        c, d = common.view([0] * 6, "f", [2, 3]), common.view([0] * 6, "f", [2, 3])
        self.refused("expected 2 inputs `a`, `b` .*found 1|expected 2 inputs", self.a)
        self.refused("expected float32\\[2, 3\\] for the input `a`, found shape \\(3, 2\\)",
                     common.view([0] * 6, "f", [3, 2]), self.b)
        self.refused("found float64", common.view([0] * 6, "d", [2, 3]), self.b)
        self.refused("found list", [1.0], self.b)
        self.refused("input `b` has no array", {"a": self.a})
        self.refused("expected 2 outputs", self.a, self.b, out=c)
        self.refused("read-only", self.a, self.b, out=(c, d.toreadonly()))
        self.refused("shares memory", self.a, self.b, out=(c, c))
        self.refused("shares memory", self.a, self.b, out=(self.a, d))

    def test_read_only_inputs(self):
        self.assertEqual(common.flat(self.model(self.a.toreadonly(), self.b)[1]), [0, 1, 2, 3, 4, 5])

    def test_strided_inputs_are_copied(self):
        wide = common.view(range(12), "f", [12])
        x = tenon.parse(common.COUNTER.replace("int32", "float32")).compile()
        self.assertEqual(common.flat(x(wide[4:8:2])), [40, 60])


@common.needs_numpy
class NumPy(unittest.TestCase):
    def setUp(self):
        self.model = tenon.parse(common.ADD).compile()
        self.a = numpy.arange(6, dtype="float32").reshape(2, 3)
        self.b = numpy.ones((2, 3), "float32")

    def test_results_are_arrays(self):
        c, d = self.model(self.a, self.b)
        numpy.testing.assert_array_equal(c, self.a + self.b)
        numpy.testing.assert_array_equal(d, self.a - self.b)

    def test_no_copy_of_outputs(self):
        c, d = numpy.empty((2, 3), "float32"), numpy.empty((2, 3), "float32")
        result = self.model(self.a, self.b, out=(c, d))
        self.assertIs(result[0], c)
        numpy.testing.assert_array_equal(c, self.a + self.b)

    def test_strides_and_byte_order(self):
        c, _ = self.model(numpy.asfortranarray(self.a), self.b[::1, ::-1])
        numpy.testing.assert_array_equal(c, self.a + self.b)
        with self.assertRaisesRegex(tenon.Error, "big-endian"):
            self.model(self.a.astype(">f4"), self.b)
        with self.assertRaisesRegex(tenon.Error, "not contiguous"):
            self.model(self.a, self.b, out=(numpy.empty((3, 2), "float32").T, self.b.copy()))
        with self.assertRaisesRegex(tenon.Error, "found int64"):
            self.model(self.a.astype("int64"), self.b)

    def test_arrays_without_dimensions(self):
        scale, half = tenon.parse(common.SCALE).compile(), tenon.parse(common.HALF).compile()
        x = numpy.array([1, 2], "float32")
        for number in (numpy.float32(2.5), numpy.float64(2.5), numpy.array(2.5, "float32")):
            self.assertEqual(scale(x, numpy.int32(3), number).tolist(), [5.5, 8.0])
            self.assertEqual(half(number).tolist(), 1.25)
        out = numpy.zeros((), "float32")
        self.assertIs(half(x[1], out=out), out)
        self.assertEqual(out.tolist(), 1.0)
        with self.assertRaisesRegex(tenon.Error, "expected float32\\[\\] for the input `x`, found shape \\(1\\)"):
            half(x[:1])
        with self.assertRaisesRegex(tenon.Error, "found float64"):
            half(numpy.array(2.5))

    def test_unaligned_inputs_are_copied(self):
        raw = numpy.zeros(25, "uint8")[1:].view("float32").reshape(2, 3)
        raw[...] = self.a
        numpy.testing.assert_array_equal(self.model(raw, self.b)[0], self.a + self.b)

    def test_dlpack(self):
        class Exporter:
            """Has DLPack, and no buffer protocol."""

            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        numpy.testing.assert_array_equal(self.model(Exporter(self.a), Exporter(self.b.T.copy().T))[0], self.a + self.b)
        with self.assertRaisesRegex(tenon.Error, "found float64"):
            self.model(Exporter(self.a.astype("float64")), self.b)
        c, d = numpy.empty((2, 3), "float32"), numpy.empty((2, 3), "float32")
        self.model(self.a, self.b, out=(Exporter(c), d))
        numpy.testing.assert_array_equal(c, self.a + self.b)
        c.flags.writeable = False
        Exporter.__dlpack__ = lambda self, **options: self.array.__dlpack__(**options)
        with self.assertRaisesRegex(tenon.Error, "for the output `c`, found Exporter that is read-only"):
            self.model(self.a, self.b, out=(Exporter(c), d))
        numpy.testing.assert_array_equal(self.model(Exporter(c), self.b)[0], c + self.b)

        def unknown(self):
            raise ValueError("a device that DLPack does not have")
        for device in (lambda self: (2, 0), unknown):
            Exporter.__dlpack_device__ = device
            with self.assertRaisesRegex(tenon.Error, "another device"):
                self.model(Exporter(self.a), self.b)

    def test_results_outlive_the_model(self):
        c, _ = self.model(self.a, self.b)
        del self.model
        gc.collect()
        numpy.testing.assert_array_equal(c, self.a + self.b)



class Growth(unittest.TestCase):
    """Calls leave nothing: no reference, no block of Python's memory, no memory of the process."""

    def test_no_growth(self):
        a, b = common.view(range(600_000), "f", [2, 300_000]), common.view([2] * 600_000, "f", [2, 300_000])
        module = tenon.parse(common.ADD.replace("(2, 3)", "(2, 300000)").replace("T.grid(2, 3)", "T.grid(2, 300000)"))
        model = module.compile(cflags="-std=c99 -O2")
        small = tenon.parse(common.ADD).compile()
        c, d = common.view(range(6), "f", [2, 3]), common.view([2] * 6, "f", [2, 3])

        def calls(count):
            for i in range(count):
                small(c, d)
                small({"a": c, "b": d})
                if i % 100 == 0:
                    # 9.6 MB of inputs and results.
                    model(a, b)
                    with self.assertRaises(tenon.Error):
                        model(a, c)

        def references():
            return [sys.getrefcount(x) for x in (a, b, c, d, model, small, None, float)]

        calls(200)
        gc.collect()
        before, memory = references(), resident_bytes()
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        calls(10_000)
        gc.collect()
        traced = tracemalloc.get_traced_memory()[0]
        self.assertLess(max(x - y for x, y in zip(references(), before)), 50)
        self.assertLess(traced, 100_000)
        # One result of `model` has 4.8 MB, and there were 100.
        self.assertLess(resident_bytes() - memory, 40e6)

    def test_loading_leaves_nothing(self):
        path = common.DIGITS / "digits.tflite"

        def load():
            module = tenon.load(path)
            module.report()
            module.emit("c")
            module.compile("interp")
            tenon.plan([(0, 3, 4), (3, 9, 4)]).check()

        load()
        gc.collect()
        memory = resident_bytes()
        for _ in range(10):
            load()
        gc.collect()
        self.assertLess(resident_bytes() - memory, 30e6)


class Threads(unittest.TestCase):
    def test_threads_share_a_model_or_not(self):
        module = tenon.parse(common.ADD)
        a, b = common.view(range(6), "f", [2, 3]), common.view([2] * 6, "f", [2, 3])
        shared = module.compile()
        wrong = []

        def work(model):
            for _ in range(500):
                if common.flat(model(a, b)[0]) != [2, 3, 4, 5, 6, 7]:
                    wrong.append(model)

        workers = [threading.Thread(target=work, args=(m,)) for m in (shared, shared, module.compile())]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()

"""The code generator `cuda` in the process of Python, with stand-ins for NVIDIA's libraries."""

import unittest

import common
import tenon_compiler as tenon


class Cuda(unittest.TestCase):
    def test_results_of_the_interpreter(self):
        module = tenon.load(common.DIGITS / "digits.tflite")
        shape = list(module.inputs[0].shape)
        image = memoryview(common.npy_rows(common.DIGITS / "heldout_images.npy")[0]).cast("b").cast("B").cast("b", shape)
        wanted = memoryview(module.compile("interp")(image)).tobytes()
        for engine in tenon.engines:
            if engine == "interp":
                continue
            model = module.compile(engine, targets="cuda")
            for _ in range(2):
                self.assertEqual(memoryview(model(image)).tobytes(), wanted, engine)

    def test_second_gpu_is_refused(self):
        module = tenon.load(common.DIGITS / "digits.tflite")
        with self.assertRaisesRegex(tenon.Error, "programs use one GPU"):
            module.emit("c", targets="cuda:1")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Small networks of benchmarks/networks.py with all passes of fusion.

Use: networks_test.py --tenon BIN --source DIR [--engine E]... [--network NAME]...
Each engine gives the bits that the interpreter gives for the network as written: the interpreter,
gcc and clang at -O3 with both forms of vectors, and LLVM's JIT at -O3. The workspace is not larger
than without the passes, and every plan is proven.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import Checks, engine_ways  # noqa: E402


class Test(Checks):
    def __init__(self, networks, tenon, engines, folder):
        super().__init__()
        self.networks, self.tenon, self.engines, self.folder = networks, tenon, engines, folder

    def output(self, module, values, flags):
        out = self.folder / "out.npy"
        command = [self.tenon, "run", module, "--input", values, "--output", out, *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.expect(done.returncode == 0, f"{module.stem} {flags}: {done.stderr}")
        return out.read_bytes() if done.returncode == 0 else b""

    def check(self, name):
        module, values = self.networks.write(name, "small", self.folder)
        bin_dir = pathlib.Path(self.tenon).parent
        workspace = {}
        for passes in self.networks.PASSES:
            pools, workspace[passes] = self.networks.memory(bin_dir, module, passes)
            for pool, facts in pools.items():
                self.expect(facts["proven_optimal"], f"{name} {passes}: {pool} is not proven")
        print(f"{name}: {workspace}", flush=True)
        self.expect(workspace["on"] <= workspace["off"], f"{name}: a larger workspace")
        want = self.output(module, values, ["--engine=interp"])
        for flags in engine_ways(self.engines, "-O3 -ffp-contract=off",
                                 {"loops": ["off"], "gnu": ["on"]}):
            got = self.output(module, values, [*flags, *self.networks.PASSES["on"]])
            self.expect(got == want, f"{name} {flags}: other bits than the network as written")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--engine", action="append", default=[])
    parser.add_argument("--network", action="append", default=[])
    args = parser.parse_args()
    sys.path.insert(0, str(args.source / "benchmarks"))
    import networks
    with tempfile.TemporaryDirectory() as folder:
        test = Test(networks, args.tenon, args.engine or ["interp", "c"], pathlib.Path(folder))
        for name in args.network or networks.NETWORKS:
            test.check(name)
    return test.finish()


if __name__ == "__main__":
    sys.exit(main())

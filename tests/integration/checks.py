"""What integration tests share: counted checks, and the engines with their flags."""

import itertools
import shutil


class Checks:
    """Counts what was looked at, and remembers what was wrong."""

    def __init__(self):
        self.count = 0
        self.failures = []

    def expect(self, good, text):
        self.count += 1
        if not good:
            self.failures.append(text)
            print(f"FAILED: {text}", flush=True)

    def finish(self):
        """Says what was counted; the exit code."""
        print(f"{self.count} checks, {len(self.failures)} failed")
        return 1 if self.failures or self.count == 0 else 0


def engine_ways(engines, cflags, optimize):
    """Flags of `tenon run` for each engine: C by gcc and clang with both forms of vectors, each with
    the values of --optimize that `optimize` has for the form."""
    for engine in engines:
        if engine == "interp":
            yield ["--engine=interp", "--planner=optimal"]
        elif engine == "jit":
            yield ["--engine=jit", "-O3"]
            yield ["--engine=jit", "-O3", "--optimize=off"]
        else:
            for cc, vectors in itertools.product(("gcc", "clang"), ("loops", "gnu")):
                for value in optimize[vectors] if shutil.which(cc) is not None else ():
                    yield ["--engine=c", f"--cc={cc}", f"--cflags={cflags}",
                           f"--c-vectors={vectors}", f"--optimize={value}"]

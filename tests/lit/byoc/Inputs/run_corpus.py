"""Runs the models of a corpus with targets, and compares external functions with their bodies.

Use: run_corpus.py CORPUS ENGINE TARGETS [FLAG]...
"""

import pathlib
import subprocess
import sys


def main():
    corpus, engine, targets, *flags = sys.argv[1:]
    failed = 0
    for folder in sorted((pathlib.Path(corpus) / "models").iterdir()):
        for module in (folder / "module.py", folder / "module_llvm.py"):
            words = ["tenon", "run", str(module), f"--targets={targets}", f"--engine={engine}",
                     "--externals=both", *flags]
            for value in sorted(folder.glob("input*.npy")):
                words += ["--input", str(value)]
            for value in sorted(folder.glob("expected*.npy")):
                words += ["--expect", str(value)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            name = f"{folder.name}/{module.name}"
            print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}: {done.stderr.strip()}")
            failed += done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

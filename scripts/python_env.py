#!/usr/bin/env python3
"""Makes build/python_env, an environment with the packages that the Python module is built and tested with.

Use: scripts/python_env.py
Prints the options for CMake: with the environment, those that build the module; without Python's headers or a
package index, those that leave it out, and the reason to stderr. An environment that is there needs no network.
"""

import pathlib
import subprocess
import sys
import sysconfig
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "build" / "python_env"
# Versions are fixed, so that builds are reproducible. Tests run without NumPy and mypy too.
NEEDED = ["nanobind==3.1.0"]
FOR_TESTS = ["numpy", "mypy"]


def leave_out(reason):
    print(f"python_env: the Python module is neither built nor tested: {reason}", file=sys.stderr)
    print("-DTENON_PYTHON=OFF")
    return 0


def install(python, packages):
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr.strip().splitlines()[-1:] if done.returncode else None


def main():
    python = ENVIRONMENT / "bin" / "python"
    stamp = ENVIRONMENT / "requirements.txt"
    wanted = "\n".join([sys.version, *NEEDED, *FOR_TESTS])
    if not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        return leave_out("there is no Python.h; on Debian, install python3-dev")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        try:
            venv.create(ENVIRONMENT, clear=True, with_pip=True)
        except subprocess.CalledProcessError:
            return leave_out("venv failed; on Debian, install python3-venv")
        problem = install(python, NEEDED)
        if problem is not None:
            return leave_out(f"nanobind could not be installed: {' '.join(problem)}")
        # Tests that need these are skipped without them.
        if install(python, FOR_TESTS) is None:
            stamp.write_text(wanted, encoding="utf-8")
    print(f"-DTENON_PYTHON=ON -DPython_EXECUTABLE={python}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

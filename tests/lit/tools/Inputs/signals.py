"""signals.py TENON MODULE FOLDER run|compile: ends `tenon` by signals while its compiler runs.

The compiler is a script that starts a program of its own, writes the number of its process, and waits.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

TENON, MODULE, FOLDER, COMMAND = sys.argv[1:]
folder = pathlib.Path(FOLDER)
started = folder / "started"
compiler = folder / "slow_cc"
compiler.write_text(f"#!/bin/sh\nsleep 100 &\necho $! > {started}.tmp\nmv {started}.tmp {started}\nwait\n",
                    encoding="utf-8")
compiler.chmod(0o755)


def wait_until(done, what):
    for _ in range(600):
        if done():
            return
        time.sleep(0.05)
    sys.exit(f"waited too long until {what}")


def is_running(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def arguments():
    if COMMAND == "run":
        return [TENON, "run", MODULE, "--input=x=zeros.npy", "--engine=c", f"--cc={compiler}"]
    return [TENON, "compile", MODULE, "--emit=shared", f"--cc={compiler}", "-o", "model.so"]


def main():
    header = b"{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    npy = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(4)
    (folder / "zeros.npy").write_bytes(npy)
    temporary = folder / "tmp"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # lit's processes ignore SIGINT, and `tenon` inherits ignored signals.
        signal.signal(number, signal.SIG_DFL)
        started.unlink(missing_ok=True)
        environment = dict(os.environ, TMPDIR=str(temporary))
        with subprocess.Popen(arguments(), cwd=folder, env=environment) as process:
            wait_until(started.exists, "the compiler runs")
            assert list(temporary.iterdir()), "there is no temporary folder to remove"
            process.send_signal(number)
            process.wait(timeout=30)
        assert process.returncode == -number, (number, process.returncode)
        assert not list(temporary.iterdir()), (number, list(temporary.iterdir()))
        program = int(started.read_text(encoding="utf-8"))
        wait_until(lambda: not is_running(program), f"what the compiler started ends ({number})")


main()

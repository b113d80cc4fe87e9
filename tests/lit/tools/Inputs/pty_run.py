"""pty_run.py COMMAND...: runs a command on a terminal of its own and prints what it wrote there."""

import os
import pty
import sys

os.environ.setdefault("TERM", "xterm")
text = b""


def read(descriptor):
    global text
    text += (data := os.read(descriptor, 4096))
    return data


pty.spawn(sys.argv[1:], read, lambda descriptor: b"")

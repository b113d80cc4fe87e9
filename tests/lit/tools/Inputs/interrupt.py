"""interrupt.py TENON FOLDER: stops searches for the plan of a hard problem in every way."""

import json
import random
import signal
import subprocess
import sys
import time

TENON, FOLDER = sys.argv[1:]
PROBLEM = f"{FOLDER}/hard.csv"
COUNT = 1200


def write_problem():
    """A rectangle of time and bytes, cut to pieces: whatever is put together again without loss."""
    draw = random.Random(1)
    pieces = [(0, 10000, 1 << 24)]
    while len(pieces) < COUNT:
        pieces.sort(key=lambda piece: (piece[1] - piece[0]) * piece[2])
        begin, end, size = pieces.pop()
        part = draw.uniform(0.2, 0.8)
        if draw.random() < 0.5:
            middle = begin + int(part * (end - begin))
            pieces += [(begin, middle, size), (middle, end, size)]
        else:
            pieces += [(begin, end, int(part * size)), (begin, end, size - int(part * size))]
    with open(PROBLEM, "w", encoding="utf-8") as out:
        out.write("id,lower,upper,size\n")
        for number, (begin, end, size) in enumerate(pieces):
            out.write(f"b{number},{begin},{end},{size}\n")


def check(text):
    plan = json.loads(text)
    assert len(plan["buffers"]) == COUNT, plan
    assert not plan["proven_optimal"], "the problem is not hard"
    assert plan["peak_bytes"] > plan["lower_bound_bytes"] > 0
    assert 0 < plan["gap_percent"] < 60
    return [buffer["offset"] for buffer in plan["buffers"]]


def interrupted(number, after):
    """What the process wrote, or None if the signal came before it listened."""
    with subprocess.Popen([TENON, "plan", PROBLEM, "--json", "--time-limit=300"],
                          stdout=subprocess.PIPE, text=True) as process:
        time.sleep(after)
        process.send_signal(number)
        text = process.communicate(timeout=60)[0]
    if process.returncode == -number:
        return None
    assert process.returncode == 0, process.returncode
    return text


def limited(*options):
    command = [TENON, "plan", PROBLEM, "--json", *options]
    return check(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)


write_problem()
for stop in (signal.SIGINT, signal.SIGTERM):
    check(next(text for text in (interrupted(stop, after) for after in (0.5, 2, 8, 30)) if text))
limited("--time-limit=0.2")
assert limited("--node-limit=5000") == limited("--node-limit=5000")

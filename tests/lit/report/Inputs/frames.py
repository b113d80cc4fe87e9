"""Compares the frames of a report with what the functions of an assembly text push and subtract."""
import json
import re
import sys

frames = json.load(open(sys.argv[1]))["stack"]["frames"]
text = open(sys.argv[2]).read()
sizes, name = {}, None
for line in text.splitlines():
    if label := re.match(r"([A-Za-z_]\w*):", line):
        name = label[1]
        sizes[name] = 8 if "%rsp" in text else 0
    elif pushed := re.match(r"\s+push(?:\.w)?\s+\{(.*)\}", line):
        sizes[name] += 4 * len(pushed[1].split(","))
    elif re.match(r"\s+pushq\s", line):
        sizes[name] += 8
    elif taken := re.match(r"\s+sub(?:\.w|q)?\s+(?:sp.*#(\d+)|\$(\d+), %rsp)", line):
        sizes[name] += int(taken[1] or taken[2])
    elif aligned := re.match(r"\s+bfc\s+r\d+, #0, #(\d+)", line):
        sizes[name] += (1 << int(aligned[1])) - 8  # the most that this skips
for frame in frames:
    is_right = frame["bytes"] == sizes[frame["function"]]
    print(frame["function"], frame["bytes"], "right" if is_right else f"wrong: {sizes[frame['function']]}")

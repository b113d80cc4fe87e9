"""Prints what a report says of ways to count and of overlaps, and whether it is true of the buffers."""
import json
import sys

report = json.load(open(sys.argv[1]))
for name in ("accountings", "stack"):
    print(name, json.dumps(report[name]))
for name, pool in report["pools"].items():
    print(name, pool["size_bytes"], pool["proven_optimal"], pool["peak"]["live_bytes"])
buffers = report["buffers"]
right = True
for overlap in report["overlaps"]:
    print(json.dumps(overlap))
    a, b = buffers[overlap["dying"]], buffers[overlap["begun"]]
    end = lambda x: x["offset"] + x["size_bytes"]
    right &= overlap["shared_bytes"] == min(end(a), end(b)) - max(a["offset"], b["offset"])
    right &= overlap["distance"] == b["offset"] - a["offset"]
    right &= any((first is None or first <= overlap["distance"]) and
                 (last is None or overlap["distance"] <= last) for first, last in overlap["allowed"])
print("the buffers share as many bytes as it says:", right)

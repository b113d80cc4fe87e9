"""The pools of a report have the sizes of those of a plan."""
import json
import sys

report, plan = (json.load(open(name)) for name in sys.argv[1:3])
sizes = {p["name"]: p["peak_bytes"] for p in plan["pools"]}
seen = {name: pool["size_bytes"] for name, pool in report["pools"].items()}
assert seen and all(sizes[name] == size for name, size in seen.items()), (sizes, seen)

"""summary.py FILE [OPTION]...: what `tenon report` says of FILE under every planner, a line each: pools with
their sizes, the most bytes that are live, and on request (--buffers) every buffer's place."""

import json
import subprocess
import sys

PLANNERS = ["greedy_by_size", "greedy_by_conflicts", "hill_climb", "first_fit"]

options = [o for o in sys.argv[2:] if o != "--buffers"]
for planner in PLANNERS:
    command = ["tenon", "report", sys.argv[1], "--planner=" + planner, "--json", "--fuse=off",
               "--narrow=off", "--overlap=off", "--allow-truncated-constants", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(planner, "refused:", done.stderr.splitlines()[-1])
        continue
    report = json.loads(done.stdout)
    pools = [f"{name} {pool['size_bytes']}" for name, pool in sorted(report["pools"].items())]
    live = max((pool["peak"]["live_bytes"] for pool in report["pools"].values() if "peak" in pool), default=0)
    placed = [b for b in report["buffers"] if b["pool"] is not None]
    by = "" if report["algorithm"] == planner else f", by {report['algorithm']} instead"
    print(f"{planner}: {', '.join(pools)}; live {live}; {len(placed)} buffers{by}")
    if "--buffers" in sys.argv:
        for b in sorted(placed, key=lambda b: b["name"]):
            print(f"{planner}: {b['name']} {b['size_bytes']} {b['pool']}@{b['offset']}")

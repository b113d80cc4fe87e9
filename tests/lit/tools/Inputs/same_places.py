"""same_places.py MODULE PLANNED [OPTION]...: are workspace buffers of a planned module where, and live when,
the report says they are for the module that was planned?"""

import json
import subprocess
import sys


def report(*args):
    plain = ["--fuse=off", "--narrow=off", "--overlap=off"]
    done = subprocess.run(["tenon", "report", "--json", *plain, *args], stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)


def places(found):
    rows = [b for b in found["buffers"] if b["kind"] == "workspace"]
    assert all(b["pool"] for b in rows), rows
    # An address instead of an allocation is also a statement: the same order, maybe other ticks.
    ticks = sorted({tick for b in rows for live in b["live"] for tick in live})
    order = {tick: at for at, tick in enumerate(ticks)}
    return sorted((b["name"], b["size_bytes"], b["offset"], [[order[t] for t in live] for live in b["live"]])
                  for b in rows)


before = report(sys.argv[1], *sys.argv[3:])
after = report(sys.argv[2])
for left, right in zip(places(before), places(after)):
    assert left == right, (left, right)
assert len(places(before)) == len(places(after))
print(len(places(after)), "buffers at the same places")
pool = after["pools"]["global_workspace"]
print(pool["peak"]["live_bytes"], "bytes live at the peak, pool", pool["size_bytes"])
assert pool["peak"]["live_bytes"] == before["pools"]["global_workspace"]["peak"]["live_bytes"]

"""Damages a plan in every way and demands that `tenon plan --check` finds each damage.

damage_plan.py FOLDER PROBLEM PLAN [plan options]: every member, element and cell of the file PLAN
is changed, dropped and doubled in turn. By day every third damage is tried, with TENON_NIGHTLY=1 all.
"""
import copy
import json
import os
import subprocess
import sys

folder, problem, plan, *options = sys.argv[1:]
is_json = plan.endswith(".json")
damaged = f"{folder}/damaged.{'json' if is_json else 'csv'}"
count = 0


def check(text, what, problem=problem):
    """`text` must be refused, at a place."""
    global count
    count += 1
    if count % 3 != 1 and not os.environ.get("TENON_NIGHTLY"):
        return
    with open(damaged, "w") as f:
        f.write(text)
    run = subprocess.run(["tenon", "plan", problem, f"--check={damaged}", *options],
                         capture_output=True, text=True)
    if run.returncode != 1 or "error: " not in run.stderr or run.stdout:
        sys.exit(f"{what}: {run.returncode} {run.stdout}{run.stderr}\n{text}")
    first = run.stderr.splitlines()[0]
    if damaged not in first and problem not in first:
        sys.exit(f"{what}: no place in: {first}")


def others(key, value):
    """Values that are wrong in the place of `value`."""
    if key in ("seconds",):
        return [-1, "x", None]
    if key in ("nodes", "node_limit", "time_limit_seconds"):  # where a plan comes from is not checked
        return [-1, "x", []]
    if key == "program":
        return [None, 3]
    if key == "time" and value is not None:  # without one, or a little later, it may also be right
        at_any = value == -(2**63)  # constants are always live
        return [2**70, "x", [value]] + ([] if at_any else [10**9, -(10**9)])
    if key == "searched":  # how long a search took cannot be checked
        return [-1, "x"] + ([0] if value else [1])
    if isinstance(value, bool):
        return [not value, None, 1]
    if isinstance(value, (int, float)):
        return [value + 1, value - 1, -1 if value != -1 else -2, 2**62, 2**70, str(value), None,
                [value]]
    if isinstance(value, str):
        return [value + "x", "", None, 17]
    if value is None:  # no capacity, no time
        return ["x"] if key == "time" else [5, "x"]
    return [None, 3, "x"]


def damage_json():
    with open(plan) as f:
        good = json.load(f)

    def walk(value, path):
        yield path, value
        items = []
        if isinstance(value, (dict, list)):
            items = list(value.items() if isinstance(value, dict) else enumerate(value))
        for key, item in items:
            yield from walk(item, path + [key])

    def at(root, path):
        for key in path:
            root = root[key]
        return root

    for path, value in walk(good, []):
        if not path:
            continue
        name = next((k for k in reversed(path) if isinstance(k, str)), "")
        for other in others(name, value):
            bad = copy.deepcopy(good)
            at(bad, path[:-1])[path[-1]] = other
            check(json.dumps(bad, indent=1), f"{path} = {other!r}")
        bad = copy.deepcopy(good)
        holder = at(bad, path[:-1])
        del holder[path[-1]]
        if path[-1] not in ("previous", "found_by", "provenance"):  # what plans may have
            check(json.dumps(bad, indent=1), f"{path} is dropped")
        if isinstance(holder, list):
            bad = copy.deepcopy(good)
            at(bad, path[:-1]).append(copy.deepcopy(value))
            check(json.dumps(bad, indent=1), f"{path} is doubled")
        if isinstance(value, dict):
            bad = copy.deepcopy(good)
            at(bad, path)["colour"] = 1
            check(json.dumps(bad, indent=1), f"{path} has a member more")
            # A duplicate key, which JSON libraries merge.
            bad = copy.deepcopy(good)
            key = next(iter(value))
            at(bad, path)["colour"] = value[key]
            text = json.dumps(bad, indent=1).replace('"colour"', json.dumps(key))
            check(text, f"{path}: twice {key}")

    # A buffer that is not live joins the witness.
    ids = [b["id"] for b in good["buffers"]]
    for p, pool in enumerate(good["pools"]):
        for name in ids:
            if pool["witness"]["kind"] == "live" and name not in pool["witness"]["live"]:
                bad = copy.deepcopy(good)
                bad["pools"][p]["witness"]["live"].append(name)
                check(json.dumps(bad), f"{name} joins the witness")
    for i in range(len(ids)):
        for j in range(i):
            bad = copy.deepcopy(good)
            a, b = bad["buffers"][i], bad["buffers"][j]
            if a["size"] != b["size"]:
                a["id"], b["id"] = b["id"], a["id"]
                check(json.dumps(bad), f"{a['id']} and {b['id']} change names")
    # A lower peak, in all places.
    text = json.dumps(good)
    peak = str(good["peak_bytes"])
    check(text.replace(f": {peak}", f": {int(peak) - 1}"), "a peak that is too low")
    for end in range(0, len(text), 7):
        check(text[:end], f"cut at {end}")


def damage_csv():
    with open(plan) as f:
        lines = f.read().splitlines()
    header, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]

    def text(header, rows):
        return "\n".join(",".join(r) for r in [header, *rows]) + "\n"

    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            wrong = [cell + "x", "-7"]
            if cell.isdigit():
                wrong += [str(int(cell) + 1), str(2**62), str(2**70)]
            for other in wrong:
                bad = copy.deepcopy(rows)
                bad[i][j] = other
                check(text(header, bad), f"row {i}, {header[j]} = {other}")
        check(text(header, rows[:i] + rows[i + 1:]), f"row {i} is dropped")
        check(text(header, rows + [row]), f"row {i} is doubled")
        check(text(header, rows + [["more"] + row[1:]]), f"a row more, like {i}")
        check(text(header, rows[:i] + [row + ["1"]] + rows[i + 1:]), f"row {i} has a field more")
        check(text(header, rows[:i] + [row[:-1]] + rows[i + 1:]), f"row {i} has a field less")
    for name in ("id", "offset"):
        at = header.index(name)
        check(text(header[:at] + header[at + 1:], [r[:at] + r[at + 1:] for r in rows]), f"no {name}")
    check(text(header + ["colour"], [r + ["1"] for r in rows]), "an unknown column")
    check(text(header + ["offset"], [r + ["1"] for r in rows]), "a column twice")
    check("", "an empty file")


damage_json() if is_json else damage_csv()
print(f"{count} damages found")

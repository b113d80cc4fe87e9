"""Reads the files of boards with Python's own JSON reader: names, kinds, ranges, and the table of --list-boards."""

import json
import pathlib
import sys

folder, table = sys.argv[1:]
UNITS = {"K": 1 << 10, "M": 1 << 20}


def number(value):
    if isinstance(value, int):
        return value
    return int(value[:-1]) * UNITS[value[-1]] if value[-1] in UNITS else int(value, 0)


rows = {line.split()[0]: line.split()[1] for line in pathlib.Path(table).read_text().splitlines()[1:]}
files = sorted(pathlib.Path(folder).glob("*.json"))
assert len(files) >= 10 and set(rows) == {file.stem for file in files}
for file in files:
    board = json.loads(file.read_text())
    assert file.stem == board["name"].lower().replace(" ", "-"), file
    assert rows[file.stem] == board["processor"], file
    assert board["source"].startswith("https://"), file
    assert set(board) <= {"name", "vendor", "chip", "processor", "memories", "note", "source"}, file
    kinds = [memory["kind"] for memory in board["memories"]]
    assert set(kinds) == {"flash", "ram"}, file
    ranges = []
    for memory in board["memories"]:
        begin, size = number(memory["address"]), number(memory["size"])
        assert 1 << 10 <= size <= 64 << 20 and begin % 1024 == 0 and begin + size <= 1 << 32, file
        assert number(memory.get("reserve", 0)) < size, file
        assert memory["section"].startswith(".rodata." if memory["kind"] == "flash" else ".bss."), file
        ranges.append((begin, begin + size))
    ranges.sort()
    assert all(first[1] <= second[0] for first, second in zip(ranges, ranges[1:])), file
print(len(files), "boards")

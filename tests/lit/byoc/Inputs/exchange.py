"""Compares the blocks of docs/guide/generators.md with files of a real exchange.

exchange.py DOCUMENT module              prints the block of the module
exchange.py DOCUMENT generator FILE      the block is the file
exchange.py DOCUMENT "WORDS" FILE        the JSON of the block is that of the file

In JSON, the string "..." stands for any value, and at the end of a string for any rest.
"""
import json
import re
import sys


def differences(shown, real, place=""):
    if shown == "...":
        return
    if isinstance(shown, str) and isinstance(real, str) and shown.endswith("..."):
        if not real.startswith(shown[:-3]):
            yield f"{place}: {shown!r} is not the beginning of {real!r}"
    elif isinstance(shown, dict) and isinstance(real, dict) and shown.keys() == real.keys():
        for key in shown:
            yield from differences(shown[key], real[key], f"{place}.{key}")
    elif isinstance(shown, list) and isinstance(real, list) and len(shown) == len(real):
        for i, pair in enumerate(zip(shown, real)):
            yield from differences(*pair, f"{place}[{i}]")
    elif shown != real:
        yield f"{place}: the document has {shown!r}, the exchange {real!r}"


document, words = sys.argv[1:3]
with open(document, encoding="utf-8") as file:
    text = file.read()
language = "python" if words in ("module", "generator") else "json"
block = re.search(rf"^```{language} {words}\n(.*?)^```$", text, re.S | re.M)[1]
if words == "module":
    sys.stdout.write(block)
    sys.exit()
with open(sys.argv[3], encoding="utf-8") as file:
    real = file.read()
found = ["the program differs"] * (block != real) if words == "generator" else \
    list(differences(json.loads(block), json.loads(real)))
print("\n".join(found) or f"{words}: as in the document")
sys.exit(bool(found))

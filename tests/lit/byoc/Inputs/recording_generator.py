"""The generator of docs/generators.md, which also writes its requests to a folder."""
import io
import json
import os
import runpy
import sys

records = sys.argv[1]
text = sys.stdin.read()
action = json.loads(text)["action"]
os.makedirs(records, exist_ok=True)
number = sum(name.startswith(action) for name in os.listdir(records))
with open(os.path.join(records, f"{action}-{number}.json"), "w", encoding="utf-8") as file:
    file.write(text)
sys.stdin = io.StringIO(text)
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..")
runpy.run_path(os.path.join(root, "examples", "generator", "generator.py"))

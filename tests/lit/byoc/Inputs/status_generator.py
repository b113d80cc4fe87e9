"""A code generator whose functions write zeros, and end as the argument says: with a status, or without one (`void`)."""
import json
import sys

ends = sys.argv[1]
request = json.load(sys.stdin)
answer = {"tenon_generator": 1}
if request["action"] == "supports":
    answer["operators"] = [True for _ in request["operators"]]
else:
    answer["functions"], texts = [], []
    for function in request["functions"]:
        params = ", ".join(f"void* p{i}" for i in range(len(function["parameters"])))
        kind, last = ("void", "") if ends == "void" else ("int", f" return {ends};")
        signature = f"{kind} {function['symbol']}({params})"
        texts.append(f"{signature};\n{signature} {{{last} }}\n")
        answer["functions"].append({"symbol": function["symbol"], "may_fail": ends != "void"})
    answer["sources"] = [{"name": "status.c", "text": "".join(texts)}]
json.dump(answer, sys.stdout)

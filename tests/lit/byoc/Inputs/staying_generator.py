"""A generator that stays alive and counts its requests. `fault` says what goes wrong at the second request."""
import json
import os
import sys

fault = sys.argv[1]


def answer(request, count):
    if request["action"] == "supports":
        return {"operators": [True] * len(request["operators"])}
    functions = [{"symbol": each["symbol"]} for each in request["functions"]]
    text = "".join(f"int {each['symbol']}(int* x, int* y) {{ for (int i = 0; i < 4; ++i) y[i] = x[i] + 1; return 0; }}\n"
                   for each in request["functions"])
    return {"functions": functions, "sources": [{"name": "all.c", "text": f"/* request {count} */\n{text}"}]}


def give(request, count):
    print(json.dumps({"tenon_generator": 2, "stays": True, **answer(request, count)}), flush=True)


give(json.load(sys.stdin), 1)
with open(os.environ["TENON_REQUESTS"], encoding="utf-8") as requests:
    for count, line in enumerate(requests, 2):
        message = json.loads(line)
        assert os.path.isdir(message["folder"])
        if fault == "exit":
            sys.exit("the licence server does not answer")
        if fault == "hang":
            requests.readline()
        if fault == "text":
            print("this is not JSON", flush=True)
            sys.exit(0)
        give(message["request"], count)
print("ended by itself", file=open(sys.argv[2], "w", encoding="utf-8")) if len(sys.argv) > 3 else None

"""control_bytes.py FOLDER: writes texts with control characters, which editors would not keep."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
module = (pathlib.Path(__file__).parent / "scale.py").read_text(encoding="utf-8")
red = "\x1b[31m"
(folder / "stray.py").write_text(module.replace("i // 2", "i \x1b 2", 1), encoding="utf-8")
(folder / "pools.csv").write_text(f"id,lower,upper,size,pools\na,0,1,5,b{red}\n", encoding="utf-8")
(folder / "small.csv").write_text(f"id,lower,upper,size\nc{red}d\u009b31m,0,1,5\n",
                                  encoding="utf-8")

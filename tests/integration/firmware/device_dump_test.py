#!/usr/bin/env python3
"""Runs an image that writes its tensors on an emulated Cortex-M4, and checks that `tenon verify --device-dump` agrees with a
right image and names the operator of one weight that was changed in the image.

Use: device_dump_test.py --tenon=BIN
Exit code 77 (skipped) without the board's tools.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import firmware  # noqa: E402


def plant(source):
    """Negates a weight of the largest constant, which the fifth operator reads."""
    text = source.read_text()
    block = max(re.finditer(r"\{\n([-0-9, \n]*)\}", text), key=lambda match: match.end() - match.start())
    weight = re.compile(r"-?[1-9]\d*").search(text, block.start())
    source.write_text(text[:weight.start()] + str(-int(weight[0]) % 128) + text[weight.end():])


def dump_of(tenon, folder, is_wrong):
    """What the image prints."""
    board, run, generate = firmware.BOARDS["cortex-m"], firmware.Runner(), firmware.generate

    def changed(*words):
        parts = generate(*words)
        if is_wrong:
            plant(folder / "image" / "tvmgen_digits.c")
        return parts

    firmware.generate = changed
    try:
        image, _ = firmware.build(run, board, tenon, "digits", "gcc -Os", folder / "image", options=["--debug-tensors"],
                                  extra=["-DMODEL_HASH=TVMGEN_DIGITS_MODEL_HASH", firmware.EXAMPLES / "cortex-m" / "debug_tensors.c"])
    finally:
        firmware.generate = generate
    # A wrong image ends with the exit code 1.
    said = subprocess.run([*board.emulator, "-display", "none", "-monitor", "none", "-serial", "none",
                           "-semihosting-config", "enable=on,target=native,chardev=said",
                           "-chardev", "stdio,id=said", "-icount", "shift=0", "-kernel", image],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=firmware.RUN_SECONDS)
    return said.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    tenon = parser.parse_args().tenon
    missing = firmware.missing_tools(firmware.BOARDS["cortex-m"])
    if missing:
        print(f"skipped: {', '.join(missing)} not found; scripts/setup.sh cortex-m installs it")
        return firmware.SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for is_wrong, wanted in ((False, "7 tensors of the device as on the host"),
                                 (True, "operator 5, `tvmgen_digits_fused_conv2d_add_requantize_clip_1`, is the first that differs")):
            (folder / "dump.txt").write_text(dump_of(tenon, folder, is_wrong))
            answer = subprocess.run([tenon, "verify", firmware.EXAMPLES / "digits" / "digits.py", f"--device-dump={folder / 'dump.txt'}",
                                     f"--pools={firmware.EXAMPLES / 'cortex-m' / 'pools.json'}", "--target=cortex-m4"],
                                    capture_output=True, text=True, check=False)
            said = answer.stdout + answer.stderr
            print(said)
            if wanted not in said or (answer.returncode == 0) == is_wrong:
                print(f"expected `{wanted}`")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

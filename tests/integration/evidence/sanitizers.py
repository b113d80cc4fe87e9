#!/usr/bin/env python3
"""Runs the C of models under AddressSanitizer and UndefinedBehaviorSanitizer, and compares the outputs.

Use: sanitizers.py --tenon=BIN [--cc=CC] MODEL...
A model is named as for scripts/firmware.py. Its C is made in four ways, among them with two pools of the caller that are
exactly as large as the header says, so that every access outside of them is seen. Exit code 77 (skipped) without the
sanitizers, or without the corpus.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import firmware  # noqa: E402

FLAGS = ["-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# Options of `tenon compile`, by what they show.
WAYS = {"default": [], "cortex-m4": ["--target=cortex-m4"], "pools of the caller": ["--workspace-pools=ram"],
        "rows": ["--stream=max", "--use-workspace-io"]}
# The memory of tensors and pools is from malloc, whose ends AddressSanitizer guards.
MAIN = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include HEADER

static unsigned char* read_file(const char* name, long skip, size_t bytes) {
  unsigned char* data = malloc(bytes);
  FILE* file = fopen(name, "rb");
  if (file == NULL || data == NULL || fseek(file, skip, SEEK_SET) != 0 || fread(data, 1, bytes, file) != bytes) abort();
  fclose(file);
  return data;
}

int main(void) {
  unsigned char* given = read_file(INPUT_FILE, INPUT_HEADER, INPUT_SIZE);
  unsigned char* expected = read_file(EXPECTED_FILE, EXPECTED_HEADER, OUTPUT_SIZE);
  int32_t status;
  unsigned char* got;
#ifdef WORKSPACE_IO
  struct PASTE(MODEL, _inputs) inputs = PASTE(MODEL, _map_inputs)();
  struct PASTE(MODEL, _outputs) outputs = PASTE(MODEL, _map_outputs)();
  void* place;
  memcpy(&place, &inputs, sizeof(place));
  memcpy(place, given, INPUT_SIZE);
  status = PASTE(MODEL, _run)();
  memcpy(&place, &outputs, sizeof(place));
  got = place;
#else
  struct PASTE(MODEL, _inputs) inputs = {given};
  struct PASTE(MODEL, _outputs) outputs = {NULL};
  got = malloc(OUTPUT_SIZE);
  memcpy(&outputs, &got, sizeof(got));
#ifdef POOL_SIZE
  unsigned char* ram = aligned_alloc(POOL_ALIGNMENT, (POOL_SIZE + POOL_ALIGNMENT - 1) / POOL_ALIGNMENT * POOL_ALIGNMENT);
  struct PASTE(MODEL, _workspace_pools) pools = {ram};
  status = PASTE(MODEL, _run)(&inputs, &outputs, &pools);
#else
  status = PASTE(MODEL, _run)(&inputs, &outputs);
#endif
#endif
  status |= memcmp(got, expected, OUTPUT_SIZE) != 0;
  if (status != 0) puts("another output than expected");
#ifndef WORKSPACE_IO
  free(got);
#ifdef POOL_SIZE
  free(ram);
#endif
#endif
  free(given);
  free(expected);
  return status != 0;
}
"""


def has_sanitizers(cc, folder):
    source = folder / "probe.c"
    source.write_text("int main(void) { return 0; }\n")
    try:
        subprocess.run([cc, *FLAGS, source, "-o", folder / "probe"], check=True, capture_output=True)
        return subprocess.run([folder / "probe"], check=False).returncode == 0
    except (OSError, subprocess.CalledProcessError):
        return False


def check(run, tenon, cc, model, options, out):
    out.mkdir()
    found = firmware.find_model(model, out, tenon)
    run(tenon, "compile", found.file, f"--module-name={found.name}", "--constant-storage=c-array", *options, "-q", "-o", out)
    header = (out / f"tvmgen_{found.name}.h").read_text()
    input_macro, output_macro = firmware.io_macros(header)
    pool = re.search(r"#define (\w*_RAM\w*)_ALIGNMENT", header)
    (out / "main.c").write_text("#define PASTE_(a, b) a##b\n#define PASTE(a, b) PASTE_(a, b)\n" + MAIN)
    program = out / "program"
    run(cc, *FLAGS, f"-I{out}", f"-DMODEL=tvmgen_{found.name}", f'-DHEADER="tvmgen_{found.name}.h"',
        f"-DINPUT_SIZE={input_macro}", f"-DOUTPUT_SIZE={output_macro}",
        f'-DINPUT_FILE="{found.given}"', f"-DINPUT_HEADER={firmware.header_bytes(found.given)}",
        f'-DEXPECTED_FILE="{found.expected}"', f"-DEXPECTED_HEADER={firmware.header_bytes(found.expected)}",
        *(["-DWORKSPACE_IO"] if "_map_inputs(void)" in header else []),
        *([f"-DPOOL_SIZE={pool[1]}_SIZE", f"-DPOOL_ALIGNMENT={pool[1]}_ALIGNMENT"] if pool else []),
        *sorted(out.glob("*.c")), "-lm", "-o", program)
    run(program)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("models", nargs="+")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if not has_sanitizers(given.cc, folder):
            print(f"skipped: {given.cc} has no sanitizers")
            return firmware.SKIPPED
        models = [model for model in given.models if firmware.is_there(model)]
        if not models:
            print("skipped: the corpus is not there")
            return firmware.SKIPPED
        failures = 0
        for model in models:
            for number, (way, options) in enumerate(WAYS.items()):
                try:
                    check(firmware.Runner(), given.tenon, given.cc, model, options, folder / f"{model}.{number}")
                    print(f"{model}, {way}: as expected")
                except firmware.Failed as failed:
                    print(f"{model}, {way}: FAILED: {failed}")
                    failures += 1
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Tests the packages of a folder: each is installed, used and removed in a separate root folder.

Use: scripts/test_packages.py build/package
A root folder contains the C library, and for wheels Python with its standard library, but no
compiler, no shell and no other package. The test prints what it isolates. It needs root, or a
kernel that lets users map themselves to root (unshare). The model is kws_int8 of the corpus
(TENON_CORPUS_DIR), or else the digits classifier of examples/.
"""

import argparse
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

TREE = pathlib.Path(__file__).resolve().parent.parent
MOST_WHEEL_BYTES = 12_000_000
MOST_IMPORT_SECONDS = 0.1
MOST_SECONDS = 10
# System libraries that programs may need.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
                    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "cmake", "ninja", "make", "ld", "as")


def program(name):
    """The path of a program, also searching the folders that only root has in PATH."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") or name


def in_root(folder, *command):
    """The command to run with `folder` as its root, and with /proc, in a separate mount
    namespace."""
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    script = f'{program("mount")} --rbind /proc "$0/proc" && exec {program("chroot")} "$0" "$@"'
    return [program("unshare"), *as_root, "--mount", program("sh"), "-c", script, folder, *command]


class Failure(Exception):
    """A package does not have the expected properties."""


def output_of(command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise Failure(f"exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def model():
    corpus = pathlib.Path(os.environ.get("TENON_CORPUS_DIR") or TREE.parent / "shared" / "corpus")
    kws = corpus / "models" / "kws_int8" / "module.py"
    return kws if kws.is_file() else TREE / "examples" / "digits" / "digits.tflite"


class Root:
    """A folder that is the root of the file system for programs that run in it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("tmp", "dev", "root", "proc"):
            (self.folder / name).mkdir()
        (self.folder / "dev/null").touch()

    def place(self, path):
        return self.folder / str(path).lstrip("/")

    def copy(self, path):
        target = self.place(path)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)

    def copy_libraries(self, program):
        """Copies the shared libraries that a program needs to the paths where it looks for them."""
        done = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
        for path in re.findall(r"(/\S+) \(0x", done.stdout):
            self.copy(path)

    def add_python(self):
        """Copies Python and its standard library; returns the path of the program."""
        python = os.path.realpath(sys._base_executable)
        library = pathlib.Path(sysconfig.get_path("stdlib"))
        skipped = shutil.ignore_patterns("test", "tests", "idlelib", "site-packages", "config-*",
                                         "__pycache__", "tkinter", "dist-packages")
        shutil.copytree(library, self.place(library), ignore=skipped)
        self.copy(python)
        self.copy_libraries(python)
        for extension in (library / "lib-dynload").glob("*.so"):
            self.copy_libraries(extension)
        return python

    def run(self, *command, path="/usr/bin"):
        return output_of(in_root(self.folder, *command),
                         env={"PATH": path, "HOME": "/root", "TMPDIR": "/tmp"})

    def has_compiler(self):
        return any(entry.name in COMPILERS for entry in self.folder.rglob("*") if entry.is_file())

    def files(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                if "dpkg" not in path.parts and "__pycache__" not in path.parts}


def can_isolate():
    try:
        output_of(in_root("/", "/bin/true"))
    except (Failure, FileNotFoundError):
        return False
    return True


def check_programs(root, programs):
    """Checks that the programs only need the C library."""
    for program in programs:
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", output_of(["readelf", "-d", root.place(program)])))
        if needed - SYSTEM_LIBRARIES:
            raise Failure(f"{program} needs {', '.join(sorted(needed - SYSTEM_LIBRARIES))}")


BUILT = TREE / "build" / "package_tree" / "bin" / "tenon"


def check_compiled(root, folder):
    """Checks that the model's code equals the output of the build tree's programs."""
    names = sorted(path.name for path in root.place(folder).iterdir())
    if not any(name.endswith(".c") for name in names):
        raise Failure(f"no C in {folder}: {names}")
    if BUILT.exists():
        with tempfile.TemporaryDirectory() as scratch:
            output_of([BUILT, "compile", root.place("/model"), "--emit=c", "-o", scratch])
            for name in names:
                if not filecmp.cmp(root.place(folder) / name, pathlib.Path(scratch) / name, False):
                    raise Failure(f"{name} is not what {BUILT} writes")
    return f"{len(names)} files"


# Uses the installed module without a C compiler and without NumPy: load, compile, call, report, emit, plan. Prints the
# seconds of the import.
MODULE_TEST = """
import sys, time
start = time.perf_counter()
import tenon_compiler as tenon
seconds = time.perf_counter() - start
from tenon_compiler.tensors import array_maker
module = tenon.load("/model")
model = module.compile("interp")
zeros = [array_maker(each.dtype, each.shape)() for each in model.inputs]
result = model(*zeros)
assert memoryview(result).shape == model.outputs[0].shape, result
assert memoryview(module.run(*zeros)).tobytes() == memoryview(result).tobytes()
assert module.report().peak > 0
files = module.emit("c").files
assert any(name.endswith(".c") for name in files), files.keys()
assert tenon.plan([(0, 2, 4), (1, 3, 4)]).peak == 8
assert "numpy" not in sys.modules
try:
    tenon.parse("(")
except tenon.Error:
    print(f"{seconds:.3f}")
"""


def check_tags(wheel):
    """Checks that the wheel with the module is for this Python, and from Python 3.12 also for all newer ones: its name,
    its metadata, and the name of the module in it, which old versions of CMake choose wrongly."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = "cp312-abi3" if sys.version_info >= (3, 12) else f"{version}-{version}"
    if f"-{tags}-" not in wheel.name:
        raise Failure(f"expected a wheel with the tags {tags}")
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/WHEEL")]
        if f"Tag: {tags}-" not in archive.read(metadata).decode():
            raise Failure(f"{metadata} does not have the tags of its name")
        (native,) = [name for name in archive.namelist() if re.search(r"/_native\..*\.so$", name)]
    suffix = ".abi3.so" if sys.version_info >= (3, 12) else sysconfig.get_config_var("EXT_SUFFIX")
    if not native.endswith("/_native" + suffix):
        raise Failure(f"expected the suffix {suffix} for this Python, found {native}")


def check_module(root, wheel):
    """Checks the Python module of the wheel: its tags, and that it works. Returns a text about it."""
    check_tags(wheel)
    (native,) = root.place("/venv/lib").glob("python3*/site-packages/tenon_compiler/_native.*.so")
    check_programs(root, ["/" + str(native.relative_to(root.folder))])
    for name in ("py.typed", "_native.pyi"):
        if not (native.parent / name).exists():
            raise Failure(f"the module has no {name}")
    seconds = min(float(root.run("/venv/bin/python", "-c", MODULE_TEST)) for _ in range(3))
    if seconds > MOST_IMPORT_SECONDS:
        raise Failure(f"the import took {seconds} s, more than {MOST_IMPORT_SECONDS}")
    return f"; the module ({native.stat().st_size:,} B) is imported in {seconds} s"


def test_wheel(wheel, folder):
    size = wheel.stat().st_size
    has_llvm = "_llvm-" in wheel.name
    if size > MOST_WHEEL_BYTES and not has_llvm:
        raise Failure(f"{size:,} B, more than {MOST_WHEEL_BYTES:,}")
    root = Root(folder)
    python = root.add_python()
    root.run(python, "-m", "venv", "/venv")
    shutil.copy(wheel, root.place("/" + wheel.name))
    shutil.copy(model(), root.place("/model"))
    if root.has_compiler():
        raise Failure("there is a compiler in the root")
    before = root.files()
    start = time.monotonic()
    root.run("/venv/bin/python", "-m", "pip", "install", "--no-index", "--quiet", f"/{wheel.name}")
    log = root.run("/venv/bin/tenon", "compile", "/model", "--emit=c", "-o", "/model_c")
    seconds = time.monotonic() - start
    check_programs(root, ["/venv/bin/tenon", "/venv/bin/tenon-opt"])
    root.run("/venv/bin/tenon-opt", "/model", "-o", "/model_again.py")
    files = check_compiled(root, "/model_c")
    module = check_module(root, wheel) if "-none-" not in wheel.name else ""
    if has_llvm:
        root.run("/venv/bin/tenon", "compile", "/model", "--emit=obj", "-o", "/model.o")
    for name in ("share/man/man1/tenon-compile.1.gz", "share/doc/tenon/THIRD_PARTY_LICENSES.txt",
                 "share/bash-completion/completions/tenon", "include/tenon/runtime/tenon_runtime.h"):
        if not root.place(f"/venv/{name}").exists():
            raise Failure(f"no {name}")
    if seconds > MOST_SECONDS:
        raise Failure(f"two commands took {seconds:.1f} s")
    root.run("/venv/bin/python", "-m", "pip", "uninstall", "--yes", "--quiet",
             wheel.name.split("-")[0])
    left = {name for name in root.files() - before if name.startswith("venv/")}
    left = {name for name in left if root.place("/" + name).is_file()}
    if left:
        raise Failure(f"left after removal: {sorted(left)}")
    return (f"installed, {model().parent.name} became C ({files}) by two commands in {seconds:.1f} s, "
            f"removed{module}\n    {log.strip().splitlines()[-1]}")


def register(root, names):
    """Tells the dpkg of `root` that packages are installed, as on this system."""
    admin = root.place("/var/lib/dpkg")
    for name in ("info", "updates", "triggers"):
        (admin / name).mkdir(parents=True)
    stanzas = [output_of(["dpkg-query", "-s", name]).strip() + "\n" for name in names]
    (admin / "status").write_text("\n".join(stanzas), encoding="utf-8")
    for name in ("available", "diversions", "statoverride", "triggers/File", "triggers/Unincorp"):
        (admin / name).touch()


def test_deb(deb, folder):
    root = Root(folder)
    depends = output_of(["dpkg-deb", "-f", deb, "Depends"]).strip()
    names = re.findall(r"(?:^|, )([a-z0-9.+-]+)", depends)
    register(root, names)
    unpacked = root.folder / "unpacked"
    output_of(["dpkg-deb", "-x", deb, unpacked])
    for program in (unpacked / "usr/bin").iterdir():
        root.copy_libraries(program)
    shutil.rmtree(unpacked)
    shutil.copy(model(), root.place("/model"))
    before = root.files()
    dpkg = ["dpkg", f"--root={folder}", "--force-not-root", "--force-script-chrootless"]
    if os.geteuid() != 0:
        dpkg = ["fakeroot", *dpkg]
    output_of([*dpkg, "-i", deb])
    check_programs(root, ["/usr/bin/tenon", "/usr/bin/tenon-opt"])
    log = root.run("/usr/bin/tenon", "compile", "/model", "--emit=c", "-o", "/model_c")
    files = check_compiled(root, "/model_c")
    shutil.rmtree(root.place("/model_c"))
    for name in ("share/man/man1/tenon.1.gz", "share/doc/tenon/LICENSE",
                 "share/fish/vendor_completions.d/tenon.fish"):
        if not root.place(f"/usr/{name}").exists():
            raise Failure(f"no /usr/{name}")
    output_of([*dpkg, "--purge", "tenon"])
    left = {name for name in root.files() - before if root.place("/" + name).is_file()}
    left -= {name for name in left if name.startswith("var/")}
    if left:
        raise Failure(f"left after removal: {sorted(left)}")
    return (f"depends on {depends}; installed, {model().parent.name} became C ({files}), removed\n"
            f"    {log.strip().splitlines()[-1]}")


def test_all(out):
    """Tests all packages of a folder; returns the exit code."""
    if not can_isolate():
        print("packages: not tested: neither root nor unshare works here")
        return 0
    print("packages: each is tested in a root of its own (chroot) with the C library, and for wheels "
          "with Python's\n  standard library: no compiler, no shell, no package index. Not isolated: "
          "kernel, /proc, network.")
    code = 0
    for package in sorted([*out.glob("*.whl"), *out.glob("*.deb")]):
        test = test_wheel if package.suffix == ".whl" else test_deb
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"  {package.name} ({package.stat().st_size:,} B): {test(package, folder)}")
            except Failure as failure:
                print(f"  {package.name}: FAILED: {failure}")
                code = 1
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    return test_all(parser.parse_args().folder)


if __name__ == "__main__":
    sys.exit(main())

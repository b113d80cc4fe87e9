#!/usr/bin/env python3
"""Builds the packages into a folder and tests them: two wheels, and a .deb if dpkg is available.

Use: scripts/package.py [--out build/package] [--llvm] [--jobs N] [--test-only]
One wheel has the Python module for the Python that runs this script. The other has only the programs, for all
versions of Python. With --llvm, also builds the wheel with LLVM. scripts/test_packages.py contains the tests.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import venv

import test_packages

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "package_tree"
ENVIRONMENT = ROOT / "build" / "package_env"
ABSEIL = ROOT / "build" / "abseil"
PROGRAMS = ("tenon", "tenon-opt", "tenon-llvm")
# The packages that build wheels. Versions are fixed, so that builds are reproducible.
REQUIREMENTS = ["scikit-build-core==1.1.2", "wheel==0.48.0", "nanobind==3.1.0"]
if sys.version_info >= (3, 12):
    # The stable ABI needs CMake 3.26; Debian 12 has 3.25.
    REQUIREMENTS.append("cmake==4.4.5")
# The settings of the wheel without the module.
PROGRAMS_ONLY = ("wheel.py-api=py3", "install.components=programs", "build.targets=tenon;tenon-opt;tenon-pages",
                 "cmake.define.TENON_PYTHON=OFF")


def run(command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"package: failed: {' '.join(str(part) for part in command)}\n{done.stdout}")
    return done.stdout


def environment():
    """The Python of an environment that has REQUIREMENTS."""
    python = ENVIRONMENT / "bin" / "python"
    wanted = "\n".join([sys.version, *REQUIREMENTS])
    stamp = ENVIRONMENT / "requirements.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        try:
            venv.create(ENVIRONMENT, clear=True, with_pip=True)
        except subprocess.CalledProcessError:
            sys.exit("package: cannot make a virtual environment; on Debian, install python3-venv")
        run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS])
        stamp.write_text(wanted, encoding="utf-8")
    return python


def platform_tag(programs):
    """manylinux_2_X_<machine>: the newest version of the C library that the programs need."""
    newest = (2, 17)
    for program in programs:
        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run(["readelf", "-V", program])):
            newest = max(newest, (int(major), int(minor)))
    return f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"


def abseil_source():
    """The folder with the source of the installed package libabsl-dev, whose static libraries cannot be part of a shared
    object. Debian's package index has it."""
    version = run(["dpkg-query", "--show", "--showformat=${source:Version}", "libabsl-dev"])
    folder = ABSEIL / version
    if not folder.exists():
        shutil.rmtree(ABSEIL, ignore_errors=True)
        for name in ("lists/partial", "cache/archives/partial", "unpacked"):
            (ABSEIL / name).mkdir(parents=True)
        # The archives of this system, for sources in place of binaries. apt's own lists stay as they are.
        archives = run(["apt-get", "indextargets", "--format", "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)",
                        "Created-By: Packages"])
        sources = ABSEIL / "sources.list"
        sources.write_text("".join(sorted(set(archives.splitlines(keepends=True)))), encoding="utf-8")
        apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", f"Dir::State::Lists={ABSEIL / 'lists'}", "-o", f"Dir::Cache={ABSEIL / 'cache'}"]
        run([*apt, "update"])
        run([*apt, "source", f"abseil={version}"], cwd=ABSEIL / "unpacked")
        (unpacked,) = (path for path in (ABSEIL / "unpacked").iterdir() if path.is_dir())
        unpacked.rename(folder)
    return folder


def build_wheel(project, out, jobs, settings=()):
    """Builds the wheel of a project folder; returns its path."""
    python = environment()
    scratch = out / "untagged"
    shutil.rmtree(scratch, ignore_errors=True)
    run([python, "-m", "pip", "wheel", project, "--no-deps", "--no-build-isolation", "-w", scratch,
         *(f"--config-settings={setting}" for setting in settings)],
        cwd=ROOT,
        env={"CC": "cc", "CXX": "c++", **os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs)})
    (wheel,) = scratch.glob("*.whl")
    programs = [TREE / "bin" / name for name in PROGRAMS if (TREE / "bin" / name).exists()]
    modules = [*(TREE / "python").glob("tenon_compiler/_native.*.so")]
    run([python, "-m", "wheel", "tags", "--remove", "--platform-tag", platform_tag([*programs, *modules]), wheel])
    (tagged,) = scratch.glob("*.whl")
    result = out / tagged.name
    tagged.replace(result)
    scratch.rmdir()
    return result


def has_headers():
    """Whether this Python can build modules."""
    found = (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists()
    if not found:
        print("package: no Python.h here (python3-dev), so no wheel with the module")
    return found


def build_deb(out):
    """Builds the .deb from the tree of the wheel; returns its path, or None without dpkg."""
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        print("package: no dpkg here, so no .deb")
        return None
    scratch = out / "cpack"
    run(["cpack", "-G", "DEB", "--config", TREE / "CPackConfig.cmake", "-B", scratch])
    (deb,) = scratch.glob("*.deb")
    result = out / deb.name
    deb.replace(result)
    shutil.rmtree(scratch)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "package")
    parser.add_argument("--llvm", action="store_true", help="also the wheel with LLVM")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in [*out.glob("*.whl"), *out.glob("*.deb")]:
        old.unlink()
    packages = [build_wheel(ROOT, out, args.jobs, PROGRAMS_ONLY)]
    if has_headers():
        packages.append(build_wheel(ROOT, out, args.jobs, [f"cmake.define.TENON_ABSEIL_SOURCE={abseil_source()}"]))
    packages.append(build_deb(out))
    if args.llvm:
        packages.append(build_wheel(ROOT / "packaging" / "llvm", out, args.jobs))
    for package in packages:
        if package:
            print(f"package: {package.stat().st_size:,} B {os.path.relpath(package, os.getcwd())}")
    return test_packages.test_all(out)


if __name__ == "__main__":
    sys.exit(main())

"""lit's configuration: what a behavior test may use.

Tools on PATH: everything in <build>/bin (tenon-opt, tenon), FileCheck, not, split-file.
Substitutions besides lit's own (%s, %S, %t, %T): %plain, %corpus, %fault, %source, %python, %same, %cc, %cxx.
Features: `corpus` (the folder of real models exists), `clang`, `blas`, `onednn`,
`llvm` (this build has them), `node`, `measurable`.
"""

import ctypes.util
import os
import shutil

import lit.formats

if not hasattr(config, "tenon_binary_dir"):
    # Started on the source folder: continue with the build that tenon-lit belongs to.
    site = os.environ.get("TENON_LIT_SITE")
    if not site:
        lit_config.fatal("run lit through <build>/bin/tenon-lit, or ctest -L lit")
    lit_config.load_config(config, site)
    raise SystemExit

config.name = "Tenon"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".py", ".test", ".csv", ".sh"]
config.excludes = ["Inputs", "lit.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.tenon_source_dir, "tests", "lit")
config.test_exec_root = config.tenon_exec_root

config.environment["PATH"] = os.pathsep.join([
    config.tenon_judges_dir,
    # Its `cc` compiles the C of models with UndefinedBehaviorSanitizer; %cc is the plain compiler.
    *([config.tenon_sanitized_cc] if config.tenon_sanitized_cc else []),
    os.path.join(config.tenon_binary_dir, "bin"),
    os.environ.get("PATH", ""),
])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE", "CCACHE_DIR", "TENON_NIGHTLY"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

corpus = os.path.abspath(os.environ.get("TENON_CORPUS_DIR") or config.tenon_corpus_dir)
if os.path.isdir(os.path.join(corpus, "models")):
    config.available_features.add("corpus")
    config.environment["TENON_CORPUS_DIR"] = corpus
else:
    lit_config.note(f"no corpus at {corpus}: the tests that need it are skipped")
if shutil.which("clang"):
    config.available_features.add("clang")
if os.path.exists(os.path.join(config.tenon_binary_dir, "bin", "tenon-llvm")):
    config.available_features.add("llvm")
else:
    lit_config.note("built without LLVM: the tests that need it are skipped")
if any(ctypes.util.find_library(name) for name in ("openblas", "blis", "cblas")):
    config.available_features.add("blas")
else:
    lit_config.note("no library has CBLAS: the tests that need one are skipped")
if os.path.exists(os.path.join(config.tenon_binary_dir, "bin", "tenon-onednn")):
    config.available_features.add("onednn")
else:
    lit_config.note("built without oneDNN (scripts/setup.sh byoc): the tests that need it are skipped")
if shutil.which("node"):
    config.available_features.add("node")
# Programs without optimisation, with sanitizers or with counters take more time and memory.
if (not config.tenon_sanitize and getattr(config, "tenon_coverage", "") != "ON"
        and getattr(config, "tenon_build_type", "") != "Debug"):
    config.available_features.add("measurable")

config.substitutions.extend([
    # For tests that do not test these passes: the module is compiled as written.
    ("%plain", "--fuse=off --narrow=off --overlap=off"),
    ("%corpus", corpus),
    # Sanitizers answer faults themselves.
    ("%fault", "ABRT" if config.tenon_sanitize else "SEGV"),
    ("%source", config.tenon_source_dir),
    ("%python", config.tenon_python),
    # As `diff`, for generated files, without the comment on the model and the options.
    ("%same", f"{config.tenon_python} {os.path.join(config.tenon_source_dir, 'tests', 'lit', 'Inputs', 'same_code.py')}"),
    # The stand-ins for NVIDIA's libraries (tests/cuda_host).
    ("%cuda_host", f"env LD_LIBRARY_PATH={os.path.join(config.tenon_binary_dir, 'cuda_host')} TENON_CUDA_ARCH=90 "
                   f"'TENON_CUDA_HOST_CXX={config.tenon_cxx_compiler} -O1'"),
    ("%cc", config.tenon_c_compiler),
    ("%cxx", config.tenon_cxx_compiler),
])

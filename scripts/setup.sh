#!/usr/bin/env bash
# Installs the packages for building and testing on Debian and Ubuntu. Does nothing, silently, if
# all are installed. Prints the missing packages if it cannot install them.
# Use: scripts/setup.sh [cortex-m] [riscv] [byoc] [python] [browser] [site]
# With names of boards, also installs the tools that build and run images for them
# (scripts/firmware.py). With byoc, also installs the libraries that external code generators call; with
# python, what the Python module is built with; with browser, the one that tests look at pages with; with
# site, what the site of the documents is built with.
# Tests that need a missing package are skipped.
set -euo pipefail

# One line per package: a command or a header that proves that it is installed, then its name.
needs='
c++                                   build-essential
make                                  build-essential
cmake                                 cmake
ninja                                 ninja-build
ccache                                ccache
pkg-config                            pkg-config
ld.lld                                lld
clang++                               clang
python3                               python3
fmt/format.h                          libfmt-dev
absl/container/flat_hash_map.h        libabsl-dev
gtest/gtest.h                         libgtest-dev
gmock/gmock.h                         libgmock-dev
CLI/CLI.hpp                           libcli11-dev
nlohmann/json.hpp                     nlohmann-json3-dev
xxhash.h                              libxxhash-dev
zstd.h                                libzstd-dev
lz4.h                                 liblz4-dev
benchmark/benchmark.h                 libbenchmark-dev
cppcheck                              cppcheck
'

# The same for boards: a compiler, its C library, and the emulator.
cortex_m_needs='
arm-none-eabi-gcc                             gcc-arm-none-eabi
/usr/lib/arm-none-eabi/newlib/nano.specs      libnewlib-arm-none-eabi
qemu-system-arm                               qemu-system-arm
'
riscv_needs='
riscv64-unknown-elf-gcc                       gcc-riscv64-unknown-elf
/usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs  picolibc-riscv64-unknown-elf
qemu-system-riscv32                           qemu-system-riscv|qemu-system-misc
'

# The libraries of external code generators.
byoc_needs='
openblas_config.h                             libopenblas-dev
oneapi/dnnl/dnnl.h                            libdnnl-dev
'

# The headers of Python, and virtual environments.
python_needs='
python3-config                                python3-dev
python:ensurepip                              python3-venv
'

# The browser that tests look at pages with.
browser_needs='
chromium                                      chromium
'

# The reference of the headers, for the site of the documents.
site_needs='
doxygen                                       doxygen
python:ensurepip                              python3-venv
'

is_there() {
  case $1 in
    python:*) python3 -c "import ${1#python:}" > /dev/null 2>&1 ;;
    /*) [ -e "$1" ] ;;
    *.h | *.hpp)
      local prefix
      for prefix in /usr/include /usr/local/include "/usr/include/$(uname -m)-linux-gnu"; do
        if [ -e "$prefix/$1" ]; then return 0; fi
      done
      return 1
      ;;
    *) command -v "$1" > /dev/null 2>&1 ;;
  esac
}

# FileCheck, not, split-file and lit; all of these versions are suitable for the tests.
llvm_versions='22 21 20 19 18 17 16 15 14'

have_filecheck() {
  local version
  for version in $llvm_versions; do
    if [ -x "/usr/lib/llvm-$version/bin/FileCheck" ]; then return 0; fi
  done
  return 1
}

# libFuzzer is in a separate package from clang 15 on.
have_libfuzzer() {
  local archive
  archive=$(clang++ -print-file-name="libclang_rt.fuzzer-$(uname -m).a" 2> /dev/null || true)
  [ -e "$archive" ] || ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a > /dev/null 2>&1
}

# lowering/llvm is built if the headers of one of these versions are installed; everything else
# builds without.
code_versions='22 21 20 19'

have_llvm() {
  local version
  for version in $code_versions; do
    if [ -e "/usr/lib/llvm-$version/lib/cmake/llvm/LLVMConfig.cmake" ]; then return 0; fi
  done
  ! command -v apt-get > /dev/null 2>&1
}

look_for() {
  local probe package
  missing=()
  while read -r probe package; do
    if [ -n "$probe" ] && ! is_there "$probe"; then missing+=("$package"); fi
  done <<< "$1"
}

# Boards with missing packages.
boards=()
for board in "$@"; do
  case $board in
    cortex-m) look_for "$cortex_m_needs" ;;
    riscv) look_for "$riscv_needs" ;;
    byoc) look_for "$byoc_needs" ;;
    python) look_for "$python_needs" ;;
    browser) look_for "$browser_needs" ;;
    site) look_for "$site_needs" ;;
    *)
      echo "setup: no '$board'; there are cortex-m, riscv, byoc, python, browser and site"
      exit 1
      ;;
  esac
  if [ ${#missing[@]} -gt 0 ]; then boards+=("$board"); fi
done

for_boards=${boards[*]:+, and what ${boards[*]} needs (scripts/setup.sh)}
look_for "$needs"
if [ ${#boards[@]} -eq 0 ] && [ ${#missing[@]} -eq 0 ] && have_filecheck && have_libfuzzer && have_llvm; then
  exit 0
fi

if ! command -v apt-get > /dev/null 2>&1; then
  echo "setup: no apt-get here; please install the equivalents of: ${missing[*]} llvm-tools (FileCheck)$for_boards"
  exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo > /dev/null 2>&1 && sudo -n true 2> /dev/null; then
  as_root=(sudo -n)
elif command -v sudo > /dev/null 2>&1 && [ -t 0 ]; then
  as_root=(sudo)
else
  echo "setup: neither root nor sudo; please install: ${missing[*]} llvm-19-tools$for_boards"
  exit 0
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 "$@" > /dev/null
}

echo "setup: installing packages (${missing[*]:-tools}${boards[*]:+ for ${boards[*]}})"
apt update || echo "setup: apt-get update failed; trying with the lists that are here"
if [ ${#missing[@]} -gt 0 ]; then
  # Only the named packages: recommendations would double the download.
  apt install -y --no-install-recommends "${missing[@]}"
fi
if ! have_filecheck; then
  for version in $llvm_versions; do
    if [ -n "$(apt-cache madison "llvm-$version-tools" 2> /dev/null)" ]; then
      apt install -y --no-install-recommends "llvm-$version-tools"
      break
    fi
  done
fi
if ! have_libfuzzer; then
  version=$(clang++ -dumpversion 2> /dev/null | cut -d. -f1 || true)
  package="libclang-rt-$version-dev"
  if [ -n "$(apt-cache madison "$package" 2> /dev/null)" ]; then
    apt install -y --no-install-recommends "$package"
  fi
fi
if ! have_llvm; then
  for version in 19 20 21 22; do
    if [ -n "$(apt-cache madison "llvm-$version-dev" 2> /dev/null)" ]; then
      apt install -y --no-install-recommends "llvm-$version-dev"
      break
    fi
  done
fi

# The first of a|b|c that is available on this system.
available() {
  local name
  for name in ${1//|/ }; do
    if [ -n "$(apt-cache madison "$name" 2> /dev/null)" ]; then
      echo "$name"
      return
    fi
  done
  echo "${1%%|*}"
}

for board in "${boards[@]}"; do
  case $board in
    cortex-m) look_for "$cortex_m_needs" ;;
    riscv) look_for "$riscv_needs" ;;
    byoc) look_for "$byoc_needs" ;;
    python) look_for "$python_needs" ;;
    browser) look_for "$browser_needs" ;;
    site) look_for "$site_needs" ;;
  esac
  packages=()
  for package in "${missing[@]}"; do packages+=("$(available "$package")"); done
  apt install -y --no-install-recommends "${packages[@]}" ||
    echo "setup: no ${packages[*]}: what needs it for $board is neither built nor tested"
done

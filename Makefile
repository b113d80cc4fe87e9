# Short names for what people do most. CMake does the building: see CMakePresets.json.
SHELL := /bin/bash
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Measured and installed, and tested: the same build with assertions.
PRESET ?= release
TEST_PRESET ?= check
BUILD := build/$(PRESET)
TEST_BUILD := build/$(TEST_PRESET)
FUZZ_SECONDS ?= 60
CORE ?= m4
COUNT ?= 1000
FIRST ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup boards byoc python browser configure configure-tests build demo package cortex-m riscv test nightly fuzz random coverage judges bench \
  format tidy reference docs docs-site clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  variables: PRESET=$(PRESET) TEST_PRESET=$(TEST_PRESET) JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) COUNT=$(COUNT) FIRST=$(FIRST)"

setup: ## install missing packages (Debian, Ubuntu); nothing when all are there
	@scripts/setup.sh

boards:
	@scripts/setup.sh cortex-m riscv

byoc:
	@scripts/setup.sh byoc

python:
	@scripts/setup.sh python

browser:
	@scripts/setup.sh browser

configure: setup
	@cmake --preset $(PRESET) --log-level=WARNING > /dev/null

configure-tests: setup
	@cmake --preset $(TEST_PRESET) --log-level=WARNING $$(scripts/python_env.py) > /dev/null

build: configure ## build everything into build/release
	@cmake --build --preset $(PRESET) -j $(JOBS)

demo: configure ## the digits classifier: text to C to an accuracy on held-out digits
	@cmake --build --preset $(PRESET) -j $(JOBS) --target tenon
	@scripts/demo.sh $(BUILD)

package: setup ## a wheel and a .deb in build/package, each tested in a root of its own; LLVM=1: also with LLVM
	@scripts/package.py --jobs $(JOBS) $(if $(LLVM),--llvm)

cortex-m: configure ## models as images for a Cortex-M4, run on QEMU's: sizes, stack, bit-exact; CORE=m0plus, m3, m7, m55, all
	@scripts/setup.sh cortex-m
	@cmake --build --preset $(PRESET) -j $(JOBS) --target programs
	@scripts/firmware.py --board=cortex-m --core=$(CORE) --tenon=$(BUILD)/bin/tenon --out=build/cortex-m

riscv: configure ## the same for a 32-bit RISC-V
	@scripts/setup.sh riscv
	@cmake --build --preset $(PRESET) -j $(JOBS) --target programs
	@scripts/firmware.py --board=riscv --tenon=$(BUILD)/bin/tenon --out=build/riscv

# The fuzz targets are built while tests run, where these leave a processor idle.
test: boards byoc python browser configure-tests ## unit, lit, integration and documentation tests, then a minute of fuzzing
	@cmake --build --preset $(TEST_PRESET) -j $(JOBS)
	@mkdir -p build
	@FUZZ_BUILD_ONLY=1 nice -n 19 scripts/fuzz.sh $(FUZZ_SECONDS) 1 > build/fuzz_build.log 2>&1 & \
	  status=0; scripts/run_tests.sh $(TEST_BUILD) $(JOBS) || status=1; \
	  wait $$! || { tail -n 60 build/fuzz_build.log; status=1; }; exit $$status
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(JOBS)

nightly: boards byoc ## all that takes too long for `make test`, some hours; STEPS="asan fuzz" for some of it
	@scripts/nightly.sh $(JOBS) $(STEPS)

fuzz: setup ## a minute of fuzzing; FUZZ_SECONDS=1200 for a long run
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(JOBS)

random: configure-tests ## random modules: interpreter == C == JIT; COUNT=20000 FIRST=1 for a long run
	@cmake --build --preset $(TEST_PRESET) -j $(JOBS) --target random_test random_jit_test
	@scripts/random_modules.py --bin $(TEST_BUILD)/bin --first $(FIRST) --count $(COUNT) --jobs $(JOBS)

coverage: boards byoc ## the lines that tests run, by folder
	@scripts/coverage.py --jobs $(JOBS)

judges: configure ## TVM 0.25 to 0.27 and LiteRT, installed apart, about what Tenon reads, prints and runs
	@cmake --build --preset $(PRESET) -j $(JOBS) --target programs
	@status=0; scripts/judges.sh $(BUILD) || status=1; scripts/judges/litert.sh $(BUILD) || status=1; scripts/judges/onnx.sh $(BUILD) || status=1; exit $$status

bench: setup ## the figures, each next to its peer's
	@cmake --preset $(PRESET) --log-level=WARNING -DTENON_BUILD_BENCHMARKS=ON > /dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target programs benchmarks
	@benchmarks/run.sh $(BUILD)

format: ## clang-format over every source file of ours
	@git ls-files '*.cc' '*.h' '*.c' | xargs clang-format -i

# A build folder of its own: clang-tidy takes one source at a time, and can't read another compiler's
# precompiled headers.
tidy: setup ## clang-tidy with the list in .clang-tidy
	@cmake --preset dev -B build/tidy -DTENON_USE_PCH=OFF -DTENON_UNITY=0 --log-level=WARNING > /dev/null
	@git ls-files '*.cc' ':!tests/integration' ':!tests/fuzz' | \
	  xargs -P $(JOBS) -n 4 clang-tidy -p build/tidy --quiet

reference: configure ## write docs/reference/pass_reference.md, passes/*.md and options.md from the headers of passes and the programs' help
	@cmake --build --preset $(PRESET) -j $(JOBS) --target tenon tenon-opt
	@python3 scripts/pass_reference.py --bin $(BUILD)/bin
	@python3 scripts/option_reference.py --bin $(BUILD)/bin

docs: build ## run every example that the documents show
	@python3 scripts/check_docs.py --bin $(BUILD)/bin docs
	@python3 scripts/check_readme.py --bin $(BUILD)/bin README.md docs

docs-site: configure ## README, documents, headers and pages of models as one site in build/site; needs the network
	@scripts/setup.sh site
	@cmake --build --preset $(PRESET) -j $(JOBS) --target tenon
	@scripts/docs_site.py --bin $(BUILD)/bin

clean: ## remove everything that was built
	@rm -rf build

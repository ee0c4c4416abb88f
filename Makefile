# Everything a fresh machine needs, behind two commands: `make demo` and `make test`.
# What was done once leaves a stamp in .make/ and is not done again. Taken for granted: git, make,
# Python with venv. Debian's packages are installed by root; others get the line to run.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= demo-out
# Tests start hundreds of processes: what they import is compiled once, whatever the machine's habit.
unexport PYTHONDONTWRITEBYTECODE
PAGES := $(shell find frontend -name node_modules -prune -o -type f -print)

.PHONY: help demo teach test test-chosen test-all lint types imports web unit unit-chosen unit-all fuzz soak fresh wheel \
	release-check bench bench-more browser \
	adbd frontend docs site pictures images audit locks proto clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

demo: .make/python .make/browser ## Run the whole loop on the built-in phone and write demo-out/report.html
	$(BIN)/tapwright demo --out $(OUT)

teach: .make/dev .make/browser ## Teach a small model on recordings of the phone, and measure it beside controls
	$(BIN)/python examples/teach_a_model.py

# Two at a time, of what is installed and of what is checked.
TOGETHER = @$(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=line)
READY := .make/dev .make/browser .make/frontend .make/programs

test: ## Run the checks: style, types, imports, pages, all but slow tests; ROOM=store: what that room can break
	$(TOGETHER) $(READY) lint types imports $(if $(ROOM),,web .make/compiled)
	@$(MAKE) --no-print-directory unit

test-chosen: ## Run the slow tests that a change can break, and a third of the rest, in turns; BASE=REV measures the change from there
	$(TOGETHER) $(HERE)
	@$(BIN)/python scripts/choose_tests.py --environments $(if $(BASE),--base $(BASE)) >.make/wanted
	$(TOGETHER) .make/dev $$(cat .make/wanted)
	@$(MAKE) --no-print-directory unit-chosen

test-all: ## Run the checks with every test, the slow ones too
	$(TOGETHER) $(SLOW) lint types imports web
	@$(MAKE) --no-print-directory unit-all

lint: .make/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .make/dev
	$(BIN)/mypy

imports: .make/dev
	$(BIN)/lint-imports

web: .make/frontend ## Check the web app's pages: types, lint, logic
	$(BIN)/python scripts/frontend.py check test

# One more than cores, as tests of pages wait; two at least, so that none leans on one that ran before it.
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); n=$$((n + 1)); [ $$n -gt 8 ] && n=8; echo $$n)
# Slow tests wait most of their time: for pages, limits, other processes.
SLOW_WORKERS ?= $(shell echo $$(($(WORKERS) + 1)))
# A test that fails is asked again, alone; what then passes is told as unsteady and refuses nothing.
PYTEST := $(BIN)/python scripts/ask_again.py
SHARED := -n $(WORKERS) --dist worksteal

unit: $(READY)
	$(PYTEST) --in-memory $(SHARED) -m "not slow" $(if $(ROOM),--room $(ROOM))

# Where pages, devices and clusters are watched as they change: one at a time, so that a test that
# fails has seen a defect, and not its neighbours.
LIVE := tests/devices tests/jobs tests/record tests/web
SUITES := $(patsubst locks/suites/%.txt,.make/suites/%/tried,$(wildcard locks/suites/*.txt))
FACES := $(patsubst locks/faces/%.txt,.make/faces/%/tried,$(wildcard locks/faces/*.txt))
HERE := $(READY) .make/docs .make/office .make/sites .make/appium
SLOW := $(HERE) $(SUITES) $(FACES)

unit-chosen: $(HERE)
	$(PYTEST) --in-memory -n $(SLOW_WORKERS) --dist worksteal --durations=15 -m slow --choose $(if $(BASE),--base $(BASE))

unit-all: export TAPWRIGHT_ALL := 1
unit-all: $(SLOW)
	$(PYTEST) $(SHARED) --hypothesis-profile=all $(addprefix --ignore=,$(LIVE))
	$(PYTEST) -n 1 --hypothesis-profile=all $(LIVE)
	@$(BIN)/python scripts/ask_again.py --table
	@echo "every test ran, the slow ones too, with all examples"

# The seed of the day, unless one is given to repeat what it found.
FUZZ_S ?= 600
SOAK_S ?= 600
FUZZ_SEED ?= $(shell date +%F)

fuzz: .make/dev ## Damage inputs of every reader for FUZZ_S seconds (600), with the seed FUZZ_SEED (the day)
	$(BIN)/python -m tests.hostile.campaign $(FUZZ_SEED) --seconds $(FUZZ_S)

soak: .make/dev .make/frontend ## Use one server for SOAK_S seconds (600): 20 recordings, lists, edits, removals and exports at once
	$(BIN)/python bench/soak.py --seconds $(SOAK_S)

fresh: ## Do demo, test and the wheel alone in an empty Debian, bookworm and trixie; needs root
	scripts/fresh_debian.sh --release bookworm
	scripts/fresh_debian.sh --release trixie

wheel: .make/frontend ## Build the wheel, with the web app's pages in it, and the source archive into dist/
	@rm -rf dist
	$(BIN)/hatchling build --directory dist

release-check: wheel ## Build the wheel, and say what a release still lacks; TAG=v0.2.0 of this tag
	$(BIN)/python scripts/release_check.py $(if $(TAG),--tag $(TAG))

bench: .make/dev .make/browser .make/frontend ## Measure speed: bench-out/bench.html and .json, beside the last release, else the run before
	$(BIN)/python bench/run.py $(if $(RELEASE),--release $(RELEASE))

# Those that print and have no place on the page.
bench-more: .make/dev .make/browser .make/frontend
	$(BIN)/python bench/bench_eval.py --faults 0.1
	$(BIN)/python bench/bench_replay.py
	$(BIN)/python bench/bench_tasks.py
	$(BIN)/python bench/bench_milestones.py
	$(BIN)/python bench/bench_webdriver.py
	$(BIN)/python bench/bench_web_device.py
	$(BIN)/python bench/bench_suites.py

browser: .make/browser ## Find Chromium, or install it

adbd: .make/dev .make/programs ## Compare the phone on the wire with Debian's adbd; needs root, and 295 MB once
	@sh scripts/adbd_conformance.sh $(BIN)/python $(CURDIR)/.make/adbd-root

frontend: .make/frontend ## Build the web app's pages, with Node from the machine or from PyPI

# Wheels of locks/ alone, each checked against its hash; nothing is built but tapwright itself.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
LOCKED = $(PIP) --require-hashes --only-binary :all:

.make/python: pyproject.toml locks/core.txt locks/build.txt
	@echo "==> Python packages into $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tapwright needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(LOCKED) -r locks/core.txt -r locks/build.txt
	@HATCH_BUILD_NO_HOOKS=true $(PIP) --no-build-isolation -e .
	@mkdir -p .make && touch $@

# What is imported is compiled then; most of it never is. PyPI's torch for Linux brings CUDA, gigabytes that no test uses.
.make/dev: .make/python locks/dev.txt locks/torch-cpu.txt locks/torch.txt
	@echo "==> What the tests need"
	@$(LOCKED) --no-compile -r locks/dev.txt
	@$(LOCKED) --no-compile -r locks/torch-cpu.txt 2>/dev/null || { echo "    pip finds no CPU build of torch; with CUDA, 3 GB" \
		&& $(LOCKED) -r locks/torch.txt; }
	@mkdir -p .make && touch $@

# Once, as each worker would compile all that it imports, beside the others that do the same.
.make/compiled: .make/dev
	@$(BIN)/python -m pytest --collect-only -q -m "not slow" >/dev/null 2>&1 || true
	@mkdir -p .make && touch $@

.make/docs: .make/dev locks/docs.txt
	@echo "==> What writes the documentation's site"
	@$(LOCKED) --no-compile -r locks/docs.txt
	@mkdir -p .make && touch $@

.make/browser: .make/python locks/browser.txt scripts/install_browser.sh scripts/debian_packages.sh
	@echo "==> Chromium for the built-in phone"
	@sh scripts/install_browser.sh $(BIN)
	@mkdir -p .make && touch $@

# The smallest; the tests of the others run where somebody has installed them.
.make/sites: .make/python src/tapwright/sites/locks/trac.txt
	@echo "==> A site for the tests of sites: Trac"
	@$(BIN)/tapwright sites install trac >/dev/null || echo "    note: the tests that need it are skipped"
	@mkdir -p .make && touch $@

.make/programs: .make/dev scripts/install_programs.sh scripts/debian_packages.sh | .make/browser
	@echo "==> Programs that the tests start: adb, Playwright's driver, PostgreSQL, nginx, Caddy, chromedriver"
	@sh scripts/install_programs.sh $(BIN)
	@mkdir -p .make && touch $@

# 400 MB, which only slow tests use: the tasks of the desktop.
.make/office: .make/programs scripts/install_office.sh scripts/debian_packages.sh
	@echo "==> LibreOffice for slow tests"
	@sh scripts/install_office.sh
	@mkdir -p .make && touch $@

# Apart, for slow tests: the code of published suites, and what trainers and agents of others are made with,
# 2 GB, each in an environment of its own, on the Pythons that its lock has wheels for.
.make/%/tried: locks/%.txt .make/python
	@echo "==> $* for slow tests"
	@rm -rf $(@D) && mkdir -p $(@D)
	@last=$$(sed -n 's/^# Wheels for CPython 3.11 to 3\.\([0-9]*\) .*/\1/p' $<); \
	if $(BIN)/python -c "import sys; sys.exit(sys.version_info[:2] > (3, $$last))"; then \
		$(BIN)/python -m venv --without-pip $(@D) && PIP_PYTHON=$(@D)/bin/python $(LOCKED) --no-compile -r $<; \
	else echo "    note: the tests that need it are skipped; its wheels are for Python 3.11 to 3.$$last"; fi
	@touch $@

.make/appium: .make/node scripts/install_appium.sh tests/devices/webdriver/appium/package-lock.json
	@echo "==> Appium for slow tests"
	@sh scripts/install_appium.sh $(BIN)
	@mkdir -p .make && touch $@

.make/node: .make/python locks/node.txt
	@$(BIN)/python scripts/frontend.py node || { echo "==> Node for the web app's pages" \
		&& $(LOCKED) -r locks/node.txt; }
	@mkdir -p .make && touch $@

.make/frontend: .make/node scripts/frontend.py $(PAGES)
	@echo "==> The web app's pages"
	@$(BIN)/python scripts/frontend.py
	@mkdir -p .make && touch $@

docs: .make/dev ## Write docs/reference.md, what is listed, docs/openapi.json and the frontend's types out of the code, notebooks out of pages
	$(BIN)/python scripts/write_reference.py
	$(BIN)/python scripts/write_architecture.py
	$(BIN)/python scripts/write_openapi.py
	$(BIN)/python scripts/write_notebooks.py
	$(BIN)/python scripts/frontend.py types

site: .make/docs .make/node ## Write the documentation's site to site/: English and Chinese, from a file, too
	$(BIN)/python scripts/write_site.py

pictures: .make/dev .make/browser .make/frontend ## Draw every page and state on sheets in pictures/, to be looked at; ONLY=1024-zh draws some
	$(BIN)/python -m tests.web.acceptance.pictures --only "$(ONLY)"

images: .make/dev .make/browser .make/frontend ## Draw docs/images again: the phone, the record page, the report
	$(BIN)/python scripts/write_pictures.py

audit: .make/dev ## Compare locks/ with the known advisories; UPDATE=FILE merges a downloaded OSV dump first
	$(BIN)/python scripts/audit.py $(if $(UPDATE),--update $(UPDATE))

locks: .make/dev ## Write locks/ again, with the versions that it has; UPGRADE=NAME, or all, takes newer ones; needs uv
	$(BIN)/python scripts/write_locks.py $(if $(UPGRADE),--upgrade $(filter-out all,$(UPGRADE)))

# Apart from the rest: its output runs under this protobuf (5.29) and every later one.
proto: ## Write the _pb2 files out of the .proto files
	@test -x .make/protoc/bin/python || $(PYTHON) -m venv .make/protoc
	@.make/protoc/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r locks/proto.txt
	.make/protoc/bin/python -W ignore -m grpc_tools.protoc -Isrc --python_out=src --pyi_out=src src/tapwright/tasks/task.proto src/tapwright/formats/importers/records.proto

clean: ## Remove what was built, installed and written here
	rm -rf $(VENV) .make frontend/node_modules src/tapwright/web/static demo-out site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

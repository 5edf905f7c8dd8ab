# Every command of the project. CI calls only these; each sets up what it needs.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Compiled kernels are kept between runs.
export LIMEN_CACHE_DIR := $(CURDIR)/.kernels
# Tests that start Spark, or programs that do.
ON_SPARK := tests/spark tests/chaos tests/servers tests/test_examples.py
# Folders of kernels: every line of them is run uncompiled.
COVERED := $(foreach folder,$(shell find src lab/limen_lab -name kernels -type d),--cov=$(folder))
# Tests that need kernels both as Python and with checked array bounds.
KERNEL_TESTS := tests/kernels tests/regions tests/queries tests/runtime/kernels tests/runtime/test_ids.py tests/simulate/kernels lab/tests/rivals lab/tests/bench/answer/kernels

.PHONY: help setup java demo demo-console test beside-spark checks lint types contracts tests tests-on-spark kernels-uncompiled kernels-checked indexes-checked chaos test-cluster test-ui soak bench bench-answer bench-transition bench-spark bench-console walk docs wheel clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 22

setup: $(READY) ## create .venv with everything that development needs

$(READY): pyproject.toml lab/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "setup: expected Python 3.11 or newer, got $$($(PYTHON) --version). Hint: make setup PYTHON=python3.12"; exit 1; }
	@scripts/java.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]' --editable lab
	@touch $@

java: ## check that Spark's Java is there; install it where possible
	@scripts/java.sh

demo: setup ## a simulated market through Spark: events on screen, on disk and in a picture
	$(BIN)/limen demo

demo-console: setup ## a simulated city, live through Spark, in a web page; Ctrl-C ends it
	$(BIN)/limen demo --console

# The tests on Spark wait a good deal, so all else is done beside them. What needs no compiled kernels comes first: they are
# compiled meanwhile, on all cores.
test: setup ## everything CI checks
	$(MAKE) --no-print-directory --jobs=3 tests-on-spark beside-spark checks

beside-spark: setup
	@$(call quietly,kernels-uncompiled tests)

checks: setup
	@$(call quietly,lint types contracts docs kernels-checked)

# Run some of the commands, and show what they say only if one fails.
quietly = $(MAKE) --no-print-directory $(1) > $(VENV)/$@.log 2>&1 || { cat $(VENV)/$@.log; exit 1; }; \
	grep -E "passed|failed|coverage|kept" $(VENV)/$@.log | sed 's/^/$@: /'

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

tests: setup
	$(BIN)/pytest $(ON_SPARK:%=--ignore=%)

# Java's second compiler is for programs that run longer than these, and takes a core from the tests beside.
tests-on-spark: setup
	$(BIN)/limen warm
	SPARK_SUBMIT_OPTS=-XX:TieredStopAtLevel=1 $(BIN)/pytest $(ON_SPARK)

kernels-uncompiled: setup
	LIMEN_PROFILE=again NUMBA_DISABLE_JIT=1 $(BIN)/pytest $(COVERED) --cov-report=term-missing:skip-covered --cov-fail-under=100 $(KERNEL_TESTS)

# What is checked need not be fast. Indexes with checked bounds are compiled for minutes, which is for `make soak`.
CHECKED := LIMEN_PROFILE=again NUMBA_BOUNDSCHECK=1 NUMBA_OPT=1 $(BIN)/pytest
kernels-checked: setup
	$(CHECKED) $(wildcard tests/kernels tests/*/kernels tests/queries/*/kernels lab/tests/rivals/kernels lab/tests/bench/answer/kernels)

indexes-checked: setup ## indexes with checked array bounds
	$(CHECKED) $(KERNEL_TESTS)

chaos: setup ## kill drivers and workers at random, thirty times and more; the events must be those of a quiet run
	$(BIN)/pytest -m soak -o log_cli=true -o log_cli_level=INFO tests/chaos
	$(BIN)/pytest -m soak tests/spark tests/servers

test-cluster: setup ## a standalone Spark cluster on this machine, a job on it, a worker killed
	$(BIN)/pytest -m soak tests/cluster

test-ui: setup ## the console in a real browser; installs Chromium where possible, and makes the pictures of docs/console.md
	@scripts/chromium.sh
	$(BIN)/pytest -m "ui or not ui" tests/ui

soak: setup indexes-checked ## minutes of steady and of bursty input, with a report in build/soak; then many random examples
	$(BIN)/pytest -m soak tests/soak
	LIMEN_PROFILE=soak $(BIN)/pytest -m "not soak and not ui"

bench: setup ## measure; FILE=… keeps the records
	$(BIN)/limen bench border $(if $(FILE),--json $(FILE))

bench-answer: setup ## measure answers in a city's traffic; FILE=… keeps the records
	$(BIN)/limen bench answer $(if $(FILE),--json $(FILE))

bench-transition: setup ## measure transitions in a city of a million vehicles; FILE=… keeps the records
	$(BIN)/limen bench transition $(if $(FILE),--json $(FILE))

bench-spark: setup ## measure the pipeline on Spark; FILE=… keeps the records
	$(BIN)/limen bench spark $(if $(FILE),--json $(FILE))

bench-console: setup ## measure a job with a console and three browsers beside one without; FILE=… keeps the records
	$(BIN)/limen bench console $(if $(FILE),--json $(FILE))

walk: setup ## count the functions, files and switches between files that one tuple of a border query passes
	$(BIN)/python scripts/walk.py

docs: setup ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

wheel: setup ## build all wheels; try each in an empty environment: the README's first example, then the lab's commands
	rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist .
	$(BIN)/python -m build --quiet --outdir dist lab
	$(BIN)/python scripts/platform_wheel.py dist/limen-*-py3-none-any.whl
	trial=$$(mktemp -d); trap 'rm -rf "$$trial"' EXIT; \
	$(PYTHON) -m venv "$$trial/venv"; \
	pip="$$trial/venv/bin/pip install --quiet --disable-pip-version-check --find-links $(CURDIR)/dist"; \
	cp README.md scripts/run_readme.py "$$trial"; \
	$$pip dist/limen-*-py3-none-any.whl; \
	( cd "$$trial"; unset PYTHONPATH; \
	  venv/bin/python run_readme.py README.md; \
	  ! venv/bin/python -c 'import limen_lab' 2> /dev/null || { echo "wheel: limen's wheel has limen_lab"; exit 1; }; \
	  code=0; venv/bin/limen bench 2> said || code=$$?; \
	  grep -q 'pip install limen-lab' said && [ $$code = 2 ] \
	      || { echo "wheel: expected a hint and exit code 2, got $$code and: $$(cat said)"; exit 1; } ); \
	$$pip dist/limen_lab-*.whl; \
	( cd "$$trial"; unset PYTHONPATH; venv/bin/limen bench --help; venv/bin/limen reproduce --help ) > /dev/null; \
	$$pip --force-reinstall --no-deps dist/limen-*-linux_x86_64.whl; \
	( cd "$$trial"; unset PYTHONPATH; mkdir kernels; LIMEN_CACHE_DIR=kernels venv/bin/python run_readme.py README.md; \
	  [ -z "$$(ls kernels)" ] || { echo "wheel: the platform wheel had to compile: $$(ls kernels/*)"; exit 1; } ); \
	ls dist

clean: ## remove what the commands made
	rm -rf $(VENV) .kernels .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything happens in .venv, made on first use. PYTHON chooses another interpreter of 3.11 or later.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN = $(VENV)/bin
# The tests are the same on any number of workers.
WORKERS ?= auto
# Each worker would rewrite every assert first, which takes longer than most tests: variables are shown where one fails.
PLAIN ?= --assert=plain --showlocals

.DEFAULT_GOAL := help
.PHONY: help demo test system test-slow test-all lint type fmt bench calibration docs all clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "ropewalk needs Python 3.11 or later; set PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# One stamp per set of extras: pip runs again only when pyproject.toml changed. It compiles what it installs, except the
# package itself, which stays where it is: without the last line, every start would where Python may write no bytecode.
define install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.$(1)'
	@$(BIN)/python -m compileall -q src
	@touch $@
endef

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	$(call install,[$*])

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(call install)

demo: $(VENV)/.installed  ## compare two classifiers on the bundled predictions, write ropewalk-demo.html
	$(BIN)/ropewalk demo

# In the order in which they stand: what failed once fails again. The slow tests are shuffled, to find those that lean
# on another.
test: $(VENV)/.installed-dev system  ## run the tests
	ROPEWALK_REQUIRE_ALL_DEPS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -p no:randomly -m "not slow" $(PLAIN)

# The tests use a real browser, a real database server and a real Spark, which needs Java: system packages.
system:
	@tests/install-system.sh

test-slow: $(VENV)/.installed-dev system  ## run the calibration, the long examples of the pages and other long tests
	ROPEWALK_REQUIRE_ALL_DEPS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -m "slow or hypothesis" --hypothesis-profile long

test-all:  ## run the tests on every Python from 3.11 to 3.13 that is here
	@for v in 3.11 3.12 3.13; do \
		if command -v python$$v >/dev/null 2>&1 && python$$v -c '' 2>/dev/null; then \
			echo "== Python $$v"; $(MAKE) test PYTHON=python$$v VENV=.venv-$$v || exit 1; \
		else echo "== Python $$v is not here"; fi; done

lint: $(VENV)/.installed-dev  ## check style and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

type: $(VENV)/.installed-dev  ## check types
	$(BIN)/mypy

fmt: $(VENV)/.installed-dev  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-bench  ## measure speed and memory against the papers' way and the peers
	$(BIN)/python benchmarks/run.py

calibration: $(VENV)/.installed-dev  ## print how often intervals hold the truth in the settings chosen to break us, now and before
	$(BIN)/python tests/cases.py 500

docs: $(VENV)/.installed-docs  ## build the documentation into site/
	$(BIN)/mkdocs build --strict

all: lint type test docs  ## everything that a change must pass

clean:  ## remove what the targets made
	rm -rf .venv .venv-3.* site ropewalk-demo.html .pytest_cache .mypy_cache .ruff_cache .hypothesis

# `make` prints the targets. Everything happens in .venv, which is made when it is missing and brought up to date
# when pyproject.toml or the front-end bundles change. Needs Python 3.11 or newer; no Node, no git, no Graphviz.

.DEFAULT_GOAL := help
.PHONY: help lab test check docs bench accept clean oracle format lint types layers unit notebooks programs rest engine views
SHELL := /bin/sh

# The first of these that really runs (a version manager's shim may be there and yet refuse).
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo "$$p"; break; }; done)

VENV ?= .venv
BIN := $(VENV)/bin
STATE := $(shell cat pyproject.toml jaxnb/_labextension/package.json 2>/dev/null | cksum | cut -d' ' -f1)
PYTEST := $(BIN)/python -m pytest -q
ORACLE ?= .oracle
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

export JAXNB_ORACLE_PYTHON ?= $(abspath $(ORACLE))/bin/python
export JUPYTER_PREFER_ENV_PATH := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

help:
	@echo "make lab      open JupyterLab on the first notebook"
	@echo "make test     every test; what could not run is listed at the end"
	@echo "make check    format, lint, types, layers, unit and golden tests: under a minute"
	@echo "make docs     build the pages under docs/ into docs/_build"
	@echo "make bench    time jaxnb against real jax of the same jaxlib (needs .oracle)"
	@echo "make accept   write the golden texts anew; review them as a diff"

# ---- the environment

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found; name one: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab-$(STATE): | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[lab]'
	@touch $@

$(VENV)/.test-$(STATE): | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.lab-$(STATE)

$(VENV)/.docs-$(STATE): | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

# real jax of the same jaxlib, in an environment of its own: the oracle of the tests and of the bench
$(ORACLE)/bin/python: | $(VENV)/.lab-$(STATE)
	$(BIN)/python -m venv $(ORACLE)
	$(ORACLE)/bin/python -m pip install --quiet \
		"jax==$$($(BIN)/python -c 'import jaxlib.version as v; print(".".join(v.__version__.split(".")[:3]))').*" \
		"jaxlib==$$($(BIN)/python -c 'import jaxlib.version as v; print(v.__version__)')" rich

oracle: $(ORACLE)/bin/python

# ---- the targets

lab: $(VENV)/.lab-$(STATE)
	$(BIN)/python -m jupyterlab $(AS_ROOT) $(LAB_FLAGS) notebooks/00_first_cell.ipynb

check: $(VENV)/.test-$(STATE)
	@begin=$$(date +%s); \
	$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target format lint types layers unit || exit 1; \
	echo "make check: $$(( $$(date +%s) - begin )) s"

test: check
	@$(MAKE) --no-print-directory notebooks
	@$(MAKE) --no-print-directory programs
	@$(MAKE) --no-print-directory rest

accept: $(VENV)/.test-$(STATE)
	$(PYTEST) tests/golden --accept

docs: $(VENV)/.docs-$(STATE)
	$(BIN)/python -m sphinx -W -q -b html docs docs/_build

bench: $(VENV)/.test-$(STATE) $(ORACLE)/bin/python
	$(BIN)/python -m bench $(BENCH_FLAGS)

clean:
	rm -rf $(VENV) $(ORACLE) docs/_build bench/out tests/browser/out .pytest_cache .ruff_cache .hypothesis

# ---- the parts of check and test

format: $(VENV)/.test-$(STATE)
	$(BIN)/ruff format --check --quiet .

lint: $(VENV)/.test-$(STATE)
	$(BIN)/ruff check --quiet .

types: $(VENV)/.test-$(STATE)
	$(BIN)/pyright

layers: $(VENV)/.test-$(STATE)
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/.test-$(STATE)
	$(PYTEST) tests/unit tests/golden

notebooks: $(VENV)/.test-$(STATE)
	$(PYTEST) --nbval --nbval-current-env --nbval-sanitize-with tests/notebooks/nbval.cfg notebooks

# A few thousand programs, each shown to the oracle too: two at a time. Without an oracle the list of what was not run
# would stay with the workers.
PROGRAMS := tests/differential tests/ops
SIDE_BY_SIDE := -n 2 --maxschedchunk=8
programs: $(VENV)/.test-$(STATE)
	if [ -x "$(JAXNB_ORACLE_PYTHON)" ]; then $(PYTEST) $(SIDE_BY_SIDE) $(PROGRAMS); else $(PYTEST) $(PROGRAMS); fi

engine: programs unit
	$(PYTEST) tests/property tests/runtime tests/examples tests/cases

views: notebooks
	$(PYTEST) tests/explorer tests/notebooks

rest: $(VENV)/.test-$(STATE)
	$(PYTEST) tests --ignore=tests/unit --ignore=tests/golden $(PROGRAMS:%=--ignore=%)

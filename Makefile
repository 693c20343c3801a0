# Everything this repository needs is installed by these rules, into .venv.
VENV := .venv
# On Windows: bash (that of Git for Windows) runs these rules, and a virtual environment has another folder for programs.
ifeq ($(OS),Windows_NT)
SHELL := bash
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif
BASE := $(VENV)/.base
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
export MPLBACKEND ?= Agg
# The tests run on two processes; linear algebra must not start threads of its own beside them. What they start must
# find compiled sources, also where the environment keeps Python from storing them: half of the time of a short process.
TESTS := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

# The revision that `make changelog` compares with.
SINCE ?= main

.PHONY: help install demo test quick lint coverage changelog bench validation pictures architecture notebooks fuzz docs browser clean

help:
	@echo "make demo    a geared arm simulated, what approximations get wrong, and the report of an arm sized for a task"
	@echo "make test    everything: lint, types, tests, docs"
	@echo "make quick   the tests for daily work"
	@echo "make coverage   which lines the quick tests run; make changelog: does a change of src have its line?"
	@echo "make browser   a Chromium for the studio's tests, which are skipped without one"
	@echo "make bench   speed against the peers; make fuzz: broken files and hostile names; make docs: the manual"
	@echo "make validation   how closely outside references are met; make pictures: what the manual shows"
	@echo "make notebooks   the examples as notebooks; make architecture: the picture of the layers and the list of packages"

# What a user needs.
$(BASE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --editable .
	touch $(BASE)

# And what the tests, the linters, the manual and the benchmarks need.
$(READY): $(BASE)
	$(PIP) --editable . --group dev
	touch $(READY)

install: $(READY)

demo: $(BASE)
	$(BIN)/gearwright demo --folder demo

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	GEARWRIGHT_PROFILE=full $(TESTS)

quick: $(READY)
	$(TESTS) -m "not slow" -q

# The floor is in pyproject.toml.
coverage: $(READY)
	$(TESTS) -m "not slow" -q --cov --cov-report=term:skip-covered

changelog:
	$(PYTHON) tools/changelog.py $(SINCE)

# Each runs even if a line of another is missed; the rule then fails at its end.
BENCHMARKS := trains closed_loops identification simulation events planning control design studio large
bench: $(READY)
	@missed=""; $(BIN)/gearwright bench || missed=" peers"; \
	for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py || missed="$$missed $$name"; done; \
	if [ -n "$$missed" ]; then echo "Lines were missed by:$$missed"; exit 1; fi

# How closely outside references are met; the manual shows it.
validation: $(READY)
	$(BIN)/python tools/validation.py

# Pictures of gears, and what the examples print and draw; the manual shows them.
pictures: $(READY)
	$(BIN)/python tools/pictures.py

# The picture of the layers and the list of packages in CONTRIBUTING.md, from the sources.
architecture: $(READY)
	$(BIN)/python tools/architecture.py

notebooks: $(READY)
	$(BIN)/python tools/notebooks.py

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz
	$(BIN)/python -m tests.fuzz_hostile_files
	$(BIN)/python -m tests.fuzz_other_files
	$(BIN)/python -m tests.fuzz_writers

# `make test` runs the studio's tests in a browser when there is one, else it says by name that they were skipped.
browser: $(READY)
	$(BIN)/python tools/browser.py

docs: $(READY)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf $(VENV) build dist docs/_build demo .pytest_cache .mypy_cache .ruff_cache .coverage

# Every target sets up what it needs in .venv by itself. System needs: Python >= 3.11 and a C++17 g++.
#   make demo    emits kernels, runs them (GPU if there is one, else the emulator), checks each against float64
#   make test    the tests, seeded, in under ten minutes on two cores
#   make check   style, types, spelling, generated files, the rules of this repository
#   make matrix  every committed kernel through nvcc and NVRTC for every architecture
#   make slow    long property runs and the installed wheel
#   make bench   times; never part of a test
# Variables: PYTHON=/path/to/python3.12, CXX=/path/to/g++, JOBS=2, ARGS="more arguments for the tool".

SHELL := /bin/bash
JOBS ?= 2
ARGS ?=
RUN := .venv/bin/python -m
export PYTHON CXX

.PHONY: help demo test check matrix slow bench regen format clean
help:
	@sed -n 's/^#   //p' Makefile

demo:
	@.ci/setup.sh base
	$(RUN) gemmgen demo $(ARGS)

test:
	@.ci/setup.sh test
	$(RUN) pytest -n $(JOBS) $(ARGS)

check:
	@.ci/setup.sh dev
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) codespell_lib
	$(RUN) gemmgen regen --check
	$(RUN) pytest -n 0 -q tests/meta $(ARGS)

matrix:
	@.ci/setup.sh dev
	$(RUN) pytest -n $(JOBS) -m compile_matrix $(ARGS)

slow:
	@.ci/setup.sh dev
	$(RUN) pytest -n $(JOBS) -m slow $(ARGS)

bench:
	@.ci/setup.sh test
	@for benchmark in tests/benchmarks/*.py; do echo "== $$benchmark"; .venv/bin/python "$$benchmark" $(ARGS) || exit 1; done

regen:
	@.ci/setup.sh test
	$(RUN) gemmgen regen
	$(RUN) gemmgen emit examples/call_from_cpp/sgemm.py -o examples/call_from_cpp/sgemm.cu --force
	-$(RUN) pytest -q -n 0 tests/golden --update-golden

format:
	@.ci/setup.sh dev
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

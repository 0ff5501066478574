# make test      runs the test suite in two processes; ARGS="-n 0 -x" chooses
# make figures   regenerates every figure and table; ARGS="boosted_distance.table2 --scale paper" chooses
#                the real data sets are in REFIMPL_DATA; without them, or a network, the tests that need them are skipped
# Each sets up .venv first (Python >= 3.11 and a C++ compiler are all it needs) and builds the Cython kernels.

PYTHON ?= python3
VENV := .venv
BUILT := $(VENV)/built
ARGS ?=

.PHONY: figures test lint benchmarks fuzz clean

figures: $(BUILT)
	$(VENV)/bin/python -m paper_figures --kernels fast $(ARGS)

test: $(BUILT)
	$(VENV)/bin/python -m pytest -n 2 $(ARGS)

benchmarks: $(BUILT)
	$(VENV)/bin/python -m pytest tests/benchmarks --benchmark-only -s $(ARGS)

fuzz: $(BUILT)
	$(VENV)/bin/python -m tests.fuzz $(ARGS)

lint: $(BUILT)
	$(VENV)/bin/python -m pip install --quiet --group lint
	$(VENV)/bin/ruff check .
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint refimpl_fast

$(BUILT): pyproject.toml setup.py $(wildcard refimpl_fast/*.pyx refimpl_fast/*.pxd refimpl_fast/*.h)
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --editable '.[figures,test]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info refimpl_fast/*.so refimpl_fast/*.cpp

# make test        run the test suite in two processes; ARGS="-n 0 -x" are options of pytest
# make figures     make every figure and table; ARGS="boosted_distance.table2 --scale paper" chooses
# make coverage    measure the branch coverage of refimpl; fails below 95 %
# make lint        check style and types
# make benchmarks  measure the speed of the kernels
# make fuzz        run both twins on hard numbers and on wrong arguments
# make versions    run the core of the suite on every Python on the PATH, with the oldest libraries
#                  and the newest: some ten minutes for each Python on two idle processors;
#                  ARGS="python3.12 --sets oldest" chooses
# make clean       remove .venv and everything that was built
#
# Each target but `versions` first sets up .venv and builds the Cython kernels; Python >= 3.11 and a
# C++ compiler are all it needs. REFIMPL_DATA is the folder of the real data sets. Tests that need
# them are skipped where neither the folder nor a network is there.

PYTHON ?= python3
VENV := .venv
BUILT := $(VENV)/built
ARGS ?=

# Tests that reach over 95 % of refimpl; left out are slow tests that reach little more.
COVERED := tests/shared tests/rivals tests/boosted_distance tests/boostmap tests/ftune tests/lmnn \
	tests/search_forest tests/estimators \
	-k "not check_estimator and not scikit_learns_checks and not test_memory"

.PHONY: figures test coverage lint benchmarks fuzz versions clean

figures: $(BUILT)
	$(VENV)/bin/python -m paper_figures --kernels fast $(ARGS)

test: $(BUILT)
	$(VENV)/bin/python -m pytest -n 2 $(ARGS)

coverage: $(BUILT)
	$(VENV)/bin/python -m pytest -q -n 2 --cov --cov-report=term $(COVERED) $(ARGS)

benchmarks: $(BUILT)
	$(VENV)/bin/python -m pytest tests/benchmarks --benchmark-only -s $(ARGS)

fuzz: $(BUILT)
	$(VENV)/bin/python -m tests.fuzz $(ARGS)

versions: # it makes environments of its own
	$(PYTHON) -m tests.versions $(ARGS)

lint: $(BUILT)
	$(VENV)/bin/python -m pip install --quiet --group lint
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint refimpl_fast

$(BUILT): pyproject.toml setup.py $(wildcard refimpl_fast/*.pyx refimpl_fast/*.pxd refimpl_fast/*.h)
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --editable '.[figures,test]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info refimpl_fast/*.so refimpl_fast/*.cpp

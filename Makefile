# make test        run the test suite in two processes, some minutes; its summary says what was skipped.
#                  ARGS="--all" runs all cases of tests of memory, tracing and browsers, too; other
#                  ARGS are options of pytest, such as ARGS="-n 0 -x"
# make figures     make every figure and table; ARGS="boosted_distance.table2 --scale paper" chooses
# make coverage    measure the branch coverage of refimpl; fails below 95 %
# make lint        check style and types; `make style` needs no build: ruff, cython-lint
# make gate        say what moved of claims, records, trainings, names, demos and made-up pages, in some seconds;
#                  ARGS=rows compares every row of the papers' figures at the small scale, in a minute
# make probes      compute a few small cells of each study again, in half a minute: other numbers need
#                  another version of the study; ARGS=--write writes those of new versions
# make vectors     make the vectors of refimpl.check, in half a minute; ARGS=--check compares them with
#                  the committed ones
# make benchmarks  measure the speed of every kernel and training beside others, for hours; goes on where
#                  it was stopped; ARGS="kernels/best_stump" measures one again
# make fuzz        run both twins on hard numbers and on wrong arguments; ARGS="--trainings" on
#                  whole trainings
# make site        write the site in site/: a reader for each paper, the API reference, the figures;
#                  about a minute on two idle processors
# make sanitize    run what reaches the kernels under sanitizers, in about 8 minutes; KIND=thread
#                  looks for races
# make mutants     change refimpl in one place at a time with mutmut and see whether a test fails; ARGS
#                  chooses, such as ARGS="refimpl.boosted_distance.algorithm*"; hours for all of it.
#                  `python -m tests.mutants` makes the changes chosen by hand, in about 15 minutes
# make others      ask other libraries the vectors, each in an environment of its own, and write what
#                  the site's page "Other implementations" says: some ten minutes, the first time more;
#                  ARGS="--only faiss --envs DIR --out FILE" chooses
# make builds      build the kernels as other machines do, in about 5 minutes; ARGS="aarch64 wheel"
#                  chooses
# make wheel       make the sdist and this machine's wheel in dist/
# make clean       remove .venv and everything that was built
#
# Each target first sets up .venv and builds the Cython kernels. Python >= 3.11 and a
# C++ compiler are all that most need; `builds` and `sanitize` need Debian and GCC,
# and `mutants` a system that forks. REFIMPL_DATA is the folder of the real data sets. Tests that need
# them are skipped where neither the folder nor a network is there.

PYTHON ?= python3
VENV := .venv
BUILT := $(VENV)/built
ARGS ?=
KIND ?= address,undefined

.PHONY: figures gate probes vectors test coverage lint style site benchmarks fuzz sanitize builds wheel \
	mutants others clean

figures: $(BUILT)
	$(VENV)/bin/python -m paper_figures --kernels fast $(ARGS)

test: $(BUILT)
	$(VENV)/bin/python -m pytest -n 2 --dist worksteal $(ARGS)

gate: $(BUILT)
	OPENBLAS_CORETYPE=Haswell $(VENV)/bin/python -m tests.gate $(ARGS)

probes: $(BUILT)
	$(VENV)/bin/python -W ignore -m tests.probes $(ARGS)

vectors: $(BUILT)
	OPENBLAS_CORETYPE=Haswell $(VENV)/bin/python -m tests.vectors $(ARGS)

coverage: $(BUILT)
	$(VENV)/bin/python -m pytest -q -n 2 --dist worksteal --part traced --cov --cov-report=term $(ARGS)

site: $(BUILT)
	$(VENV)/bin/python -m pip install --quiet --group site
	$(VENV)/bin/python -m paper_figures.site $(ARGS)

benchmarks: $(BUILT)
	$(VENV)/bin/python -m pip install --quiet --group peers
	$(VENV)/bin/python -m tests.benchmarks.map $(ARGS)

fuzz: $(BUILT)
	$(VENV)/bin/python -m tests.fuzz $(ARGS)

sanitize: $(BUILT)
	$(VENV)/bin/python -m pip install --quiet 'cython>=3.2.1' 'setuptools>=77'
	.ci/sanitize $(CURDIR)/$(VENV)/bin/python $(KIND)

mutants: $(BUILT)
	$(VENV)/bin/python -m pip install --quiet --group mutants
	nice $(VENV)/bin/mutmut run $(ARGS)

others: $(BUILT)
	nice $(VENV)/bin/python -m tests.others $(ARGS)

builds: $(BUILT)
	PYTHON=$(CURDIR)/$(VENV)/bin/python tests/builds/run $(ARGS)

wheel: $(BUILT)
	$(VENV)/bin/python -m build
	$(VENV)/bin/python tests/builds/wheel.py dist/refimpl-*.whl

style: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --group lint
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint refimpl_fast

lint: style $(BUILT)
	$(VENV)/bin/mypy

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip

$(BUILT): pyproject.toml setup.py $(wildcard refimpl_fast/*.pyx refimpl_fast/*.pxd refimpl_fast/*.h)
	$(MAKE) --no-print-directory $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --editable '.[figures,test]'
	touch $@

clean:
	rm -rf $(VENV) build dist site *.egg-info refimpl_fast/*.so refimpl_fast/*.c refimpl_fast/*.cpp

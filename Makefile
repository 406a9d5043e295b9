# `make run` starts everything, `make test` tests everything; both need only Python 3.11 or newer.
# The distribution's Python is optimized; one that a version manager has compiled is often a tenth slower.
SYSTEM_PYTHON := /usr/bin/python3
PYTHON ?= $(shell $(SYSTEM_PYTHON) -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' \
  2>/dev/null && echo $(SYSTEM_PYTHON) || echo python3)
VENV ?= .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes
# The suite starts hundreds of processes: each would compile all that it imports.
export PYTHONDONTWRITEBYTECODE :=
RUN_STAMP := $(VENV)/.requirements
DEV_STAMP := $(VENV)/.requirements-dev
BENCH_STAMP := $(VENV)/.requirements-bench

.DEFAULT_GOAL := help
.PHONY: help install lock run stop status reset logs test test-kernel test-pages test-changed test-long check schema bench chaos tools lint types

help:  ## lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name it: make PYTHON=/path/to/python3 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "The virtual environment could not be made. On Debian: apt-get install python3-venv"; exit 1; }

# The lock files pin every package with version and hashes; requirements*.txt list the direct imports of the product.
# uv, which one of them pins, installs the others in a tenth of pip's time; where it fails, pip goes on. Neither
# compiles, because most modules are never imported: `make run` compiles the others.
define install
	@awk '/^[^ #]/ {found = /^uv==/} found' requirements-dev.lock > $(VENV)/uv.lock
	@$(PIP) --no-compile --no-deps -r $(VENV)/uv.lock && $(PY) -m uv pip install --quiet --python $(PY) --require-hashes -r $< \
	  || $(PIP) --no-compile -r $<
endef

$(RUN_STAMP): requirements.lock | $(PY)
	@echo "Installing the requirements ..."
	$(install)
	@$(PY) -m wedsql_site.supervisor.bytecode || true
	@touch $@

$(DEV_STAMP): requirements-dev.lock | $(PY)
	@echo "Installing the requirements of the tests ..."
	$(install)
	@touch $@ $(RUN_STAMP)

$(BENCH_STAMP): requirements-bench.txt | $(DEV_STAMP)
	@echo "Installing the peers that the bench measures against ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-bench.txt
	@touch $@

install: $(RUN_STAMP)  ## creates the virtual environment with the requirements of the product

run: $(RUN_STAMP)  ## starts database, web, workers, reaper and demo; Ctrl-C stops them all
	@exec $(PY) manage.py wedsql up

stop: $(RUN_STAMP)  ## stops what `make run` started, from another terminal
	@$(PY) manage.py wedsql stop

status: $(RUN_STAMP)  ## shows what is installed, running, outdated
	@$(PY) manage.py wedsql status

reset: $(RUN_STAMP)  ## stops everything and deletes this checkout's database and secrets
	@$(PY) manage.py wedsql reset

logs: $(RUN_STAMP)  ## follows the logs of every process
	@$(PY) manage.py wedsql logs

lock: $(DEV_STAMP)  ## resolves requirements*.txt into the lock files with hashes
	@for part in requirements requirements-dev; do \
	  $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	    --custom-compile-command "make lock" $$part.txt -o $$part.lock; done

lint: $(DEV_STAMP)
	@$(PY) -m ruff check .
	@$(PY) -m tests.wording
	@$(PY) -m compileall -q -x '/(\.venv|var)/' .

types: $(DEV_STAMP)
	@$(PY) -m mypy .

tools:  ## installs what the tests need besides Python, where it is allowed to
	@sh .ci/tools

check: $(DEV_STAMP)  ## runs the linters and the quick tests
	@$(PY) -m tests.suite static check

test:  ## runs the linters and all tests
	@$(MAKE) --no-print-directory --jobs=2 tools $(DEV_STAMP)
	@$(PY) -m tests.suite

test-kernel: tools $(DEV_STAMP)  ## runs the tests of the kernel
	@$(PY) -m tests.suite kernel elsewhere

test-pages: $(DEV_STAMP)  ## runs the tests of pages and commands
	@$(PY) -m tests.suite pages

test-changed: $(DEV_STAMP)  ## runs the tests of what differs from HEAD, or from BASE=main~3
	@$(PY) -m tests.suite.changed $(BASE)

test-long: tools $(DEV_STAMP)  ## runs every test in every mode on both servers, before a release; ARGS=--resume goes on
	@$(PY) -m tests.suite --long $(ARGS)

schema: $(DEV_STAMP)  ## writes flows/schema.sql and flows/tests/schema.txt from what the kernel installs
	@WEDSQL_WRITE_SCHEMA=1 $(PY) -m pytest -q flows/tests/test_install.py -k schema

bench: $(BENCH_STAMP)  ## measures throughput and latency beside the peers, 15 minutes; ARGS="--quick"
	@$(PY) -m bench $(ARGS)

chaos: $(DEV_STAMP)  ## injects faults under load and checks that nothing is lost, 20 minutes; ARGS="--quick --seed 1"
	@$(PY) -m chaos $(ARGS)
	@$(PY) -m chaos.mutate

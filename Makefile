# The whole vocabulary: make demo, make test, make test-slow, make check, make bench, make fuzz, make install, make clean.
# Everything lives in .venv of this folder; nothing outside it is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_DIR ?= .goldrank-demo
IN_PARALLEL := --numprocesses 3 --dist loadfile --no-loadscope-reorder
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo install test test-slow check bench fuzz clean

demo: $(VENV)/.installed-demo
	$(BIN)/python examples/support_bot/run.py --directory $(DEMO_DIR)
	$(BIN)/goldrank ingest --directory $(DEMO_DIR)
	GOLDRANK_VERSION=2.3.1 $(BIN)/goldrank up --directory $(DEMO_DIR) --app examples.support_bot.app:answer

install: $(VENV)/.installed-dev

# Modules are compiled once, also where the shell says otherwise: the tests start hundreds of programs.
test test-slow: export PYTHONDONTWRITEBYTECODE =

# For every change: each room, each page, each command, a person at the browser. Three processes, because some wait.
test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests -m "not slow" $(IN_PARALLEL)
	@echo "Left out: the tests that take longest, one by one. make test-slow runs them, and so does CI."

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests -m slow $(IN_PARALLEL)

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev
	$(BIN)/python tests/benchmarks/run.py

# Hours: spans in any order, doubled, cut, spoilt, and OTLP bytes with holes, GOLDRANK_FUZZ examples a test.
fuzz: $(VENV)/.installed-dev
	GOLDRANK_FUZZ=$${GOLDRANK_FUZZ:-100000} $(BIN)/python -m pytest tests/captures/test_any_order.py --numprocesses 2 --timeout 0

clean:
	rm -rf $(VENV) build dist goldrank.egg-info $(DEMO_DIR)

# A stamp is written last, so that an interrupted installation is done again; pip then only adds what is missing.
$(VENV)/.installed-demo: pyproject.toml constraints.txt | $(VENV)/.created
	$(PIP_INSTALL) --editable '.[all,example]'
	touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/.created
	$(PIP_INSTALL) --editable '.[dev]'
	mkdir -p build/types && ln -sfn ../.. build/types/goldrank
	touch $@ $(VENV)/.installed-demo

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "goldrank needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python's venv module is missing. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

# Everything a person or CI runs. `make run` and `make test` do all the set-up that they need.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test check bench clean

run: .venv/installed
	$(BIN)/loopglass

test: .venv/installed-test
	@if command -v node >/dev/null; then node --test tests/viewer/*.test.js; \
	elif [ -n "$$LOOPGLASS_REQUIRE_ALL" ]; then echo "node is missing: the viewer's tests cannot run" >&2; exit 1; \
	else echo "node is missing: the viewer's own tests are skipped"; fi
	$(BIN)/python -m pytest

check: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/installed-test
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.teaching

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Loopglass needs Python 3.11 or newer; name one with make PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	@echo "Installing Loopglass and its libraries into .venv (a few minutes the first time)"
	$(PIP) install -c constraints.txt -e .
	@touch $@

.venv/installed-test: .venv/installed
	$(PIP) install -c constraints.txt -e '.[test]'
	@touch $@

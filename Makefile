# SPDX-License-Identifier: Apache-2.0
# make demo and make test need python3 (3.11 or later), make and a C++ compiler; the rest goes into .venv.

PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed
# As many as the cores: each reads all tests first, which takes as long as a third one gains.
JOBS ?= 2
# The slow tests are so many shards (tests/shards.py); make test-slow SHARD=3 runs one of them, without SHARD all.
SHARDS ?= 96
SHARD ?=
# Constraints for pip: make setup LOCK=requirements.lock installs the versions with which the tests passed.
LOCK ?=

# Tests start hundreds of processes; each would compile all sources of the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test check test-slow bench site clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "modeloom needs Python 3.11 or later" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --editable '.[test,demo,site]' $(if $(LOCK),--constraint $(LOCK))
	touch $(STAMP)

demo: $(STAMP)
	$(VENV)/bin/python demo/disk_image.py

test: $(STAMP)
	$(VENV)/bin/ruff check src tests tools bench demo
	$(VENV)/bin/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -q

# The types of all sources are checked, and the figures in the documents are compared with what the commands give today.
check: $(STAMP)
	$(VENV)/bin/python -m pytest -n 2 --dist loadfile -q --slow tests/test_types.py tests/docs/test_generated.py

test-slow: $(STAMP)
	$(VENV)/bin/python -m pytest -n $(JOBS) --dist worksteal -q --shard $(if $(SHARD),$(SHARD)/$(SHARDS),1/1)

bench: $(STAMP)
	$(VENV)/bin/python bench/compile_time.py
	$(VENV)/bin/python bench/simulation_speed.py

# The pages of docs/ as a site. A link that leads nowhere stops it. NO_MKDOCS_2_WARNING silences an advertisement of Material.
site: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict --site-dir build/site

clean:
	rm -rf $(VENV) build

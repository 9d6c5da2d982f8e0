# `make run` and `make test` are all you need; both first install what is missing or out of date.

PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup run test lint types format check-learning check-quality check-scale documents pictures bench bench-quick test-reliability

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1	/' | expand -t 22

setup:  ## create .venv, install the dependencies and Qt's system libraries
	@sh scripts/setup.sh

run: setup  ## open the window; without a display, train in the terminal
	@$(PYTHON) -m scripts.run

test: lint types  ## run every check: ruff, mypy, pytest (window offscreen, and one under Xvfb)
	$(PYTHON) -m pytest -n auto --maxprocesses 4 --dist worksteal

lint: setup
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: setup
	$(PYTHON) -m mypy

format: setup  ## format the source with ruff
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

# Slow targets, run by hand; each is one recipe `name: setup  ## what it does` below this line.

test-reliability: setup  ## try every case of docs/reliability.md and print how many were lost (36 minutes on 2 cores)
	$(PYTHON) -m pytest tests/reliability --full --timeout 1800 -n auto --maxprocesses 4 --dist worksteal

check-learning: setup  ## check that presets and window reach what README promises (35 minutes)
	$(PYTHON) -m benchmarks.check_learning
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.window_cost
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.start_up
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.long_run

check-quality: setup  ## train on the real corpora in DATA=folder and write docs/quality.md (two hours; ONLY=name, MAX_MINUTES=n)
	$(PYTHON) -m benchmarks.check_quality $(if $(DATA),"$(DATA)") $(if $(ONLY),--only "$(ONLY)") $(if $(MAX_MINUTES),--max-minutes $(MAX_MINUTES))

check-scale: setup  ## prepare five million pairs from DATA=folder and train on them: time and memory (3 minutes)
	$(PYTHON) -m benchmarks.scale $(if $(DATA),"$(DATA)")

documents: setup  ## repeat the experiments of five tutorials and write docs/documents.md (an hour)
	$(PYTHON) -m benchmarks.documents $(ONLY)

pictures: setup  ## take the pictures of README and docs
	$(PYTHON) -m scripts.pictures

bench: setup  ## compare training and decoding speed with other implementations and the chip's limit (8 minutes)
	$(PYTHON) -m benchmarks.speed $(PARTS)

bench-quick: setup  ## compare speed with the recorded ratios to the textbook: has it become slower? (1 minute)
	$(PYTHON) -m benchmarks.speed.quick

# `make run` and `make test` are the two commands needed; both set up first, and only where something changed.

PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup run test lint types format check-learning check-quality check-scale documents pictures bench bench-quick test-reliability

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1	/' | expand -t 22

setup:  ## make .venv, install what pyproject.toml names, bring Qt's system libraries
	@sh scripts/setup.sh

run: setup  ## open the window; without a display, do the main job in the terminal
	@$(PYTHON) -m scripts.run

test: lint types  ## every check: ruff, mypy, pytest (window offscreen, and one under Xvfb)
	$(PYTHON) -m pytest -n auto --maxprocesses 4 --dist worksteal

lint: setup
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: setup
	$(PYTHON) -m mypy

format: setup  ## rewrite the source as ruff wants it
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

# Slow ones, run by hand: each is one recipe `name: setup  ## what it does` below this line.

test-reliability: setup  ## try every case of docs/reliability.md, and print how many were lost (36 minutes on 2 cores)
	$(PYTHON) -m pytest tests/reliability --full --timeout 1800 -n auto --maxprocesses 4 --dist worksteal

check-learning: setup  ## show that the presets learn what README says, and what the window costs (35 minutes)
	$(PYTHON) -m benchmarks.check_learning
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.window_cost
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.start_up
	QT_QPA_PLATFORM=offscreen $(PYTHON) -m benchmarks.long_run

check-quality: setup  ## train on real corpora in DATA=folder, and write docs/quality.md (two hours; ONLY=name, MAX_MINUTES=n)
	$(PYTHON) -m benchmarks.check_quality $(DATA) $(if $(ONLY),--only "$(ONLY)") $(if $(MAX_MINUTES),--max-minutes $(MAX_MINUTES))

check-scale: setup  ## prepare five million pairs made of DATA=folder, and train on them: time and memory (3 minutes)
	$(PYTHON) -m benchmarks.scale $(DATA)

documents: setup  ## run the five documents' experiments and write docs/documents.md (an hour)
	$(PYTHON) -m benchmarks.documents $(ONLY)

pictures: setup  ## take the pictures of README and docs
	$(PYTHON) -m scripts.pictures

bench: setup  ## how fast we train and decode beside others and beside the chip's limit (8 minutes; docs/performance.md)
	$(PYTHON) -m benchmarks.speed $(PARTS)

bench-quick: setup  ## has it become slower? ratios to the textbook beside those recorded (1 minute)
	$(PYTHON) -m benchmarks.speed.quick

# make demo   the main job on a private PostgreSQL and a simulated Apple, in under two minutes
# make test   formatter, build with warnings as errors, all tests
# make bench  the benchmarks, one JSON object each
# make release  the stripped binary, Swift runtime linked in: .build/release/nudged.stripped

SHELL := /bin/bash
SWIFT ?= swift
# The runtime is linked in, so that the binary runs where no Swift is installed.
RELEASE := -c release --static-swift-stdlib
BIN := .build/release

.PHONY: demo test bench release build lint format dependencies clean

dependencies:
	@scripts/dependencies

build: dependencies
	$(SWIFT) build

release: dependencies
	$(SWIFT) build $(RELEASE) --product nudged
	strip -o $(BIN)/nudged.stripped $(BIN)/nudged

demo: dependencies
	$(SWIFT) build $(RELEASE) --product nudged
	$(BIN)/nudged demo

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

test: dependencies lint
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build

bench: dependencies
	$(SWIFT) build $(RELEASE) --product nudged-bench
	scripts/bench $(BIN)/nudged-bench

clean:
	rm -rf .build

# make demo   the main job on a private PostgreSQL and a simulated Apple, in under two minutes
# make test   formatter, the app's library for other platforms, build with warnings as errors, all tests, the service on a real systemd, a minute of chaos, half a minute of each fuzzer
# make bench  the benchmarks, one JSON object each, about a quarter of an hour; BENCH_LONG=1 adds the ten millions and the ten minutes
# make fuzz   libFuzzer on answers, frames and zone files, FUZZ_SECONDS each (scripts/fuzz)
# make sanitize  the sender's and simulator's tests under AddressSanitizer and ThreadSanitizer (scripts/sanitize)
# make chaos  the sender against a service that fails at random, CHAOS_SECONDS long, both sides' books compared
# make faults every fault of docs/TESTING.md on real daemons, up to an hour; the table goes to FAULTS_TABLE (FAULTS_SEED repeats one; FAULTS_OLDER: a nudged of an earlier version)
# make release  the stripped binary, Swift runtime linked in: .build/release/nudged.stripped

SHELL := /bin/bash
SWIFT ?= swift
FUZZ_SECONDS ?= 600
CHAOS_SECONDS ?= 3600
CHAOS_RATE ?= 1000
# So many tests at once (where the toolchain can be told): hundreds side by side starve each other of the pool's few threads, and wait past their deadlines.
TEST_WIDTH ?= 8
WIDTH := $(shell $(SWIFT) test --help-hidden 2>/dev/null | grep -q maximum-parallelization && echo --experimental-maximum-parallelization-width $(TEST_WIDTH))
FAULTS_TABLE ?= .build/faults.md
# The runtime is linked in, so that the binary runs where no Swift is installed.
RELEASE := -c release --static-swift-stdlib
BIN := .build/release

.PHONY: demo test bench fuzz sanitize chaos faults release build lint format dependencies clean

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
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Fuzz

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Fuzz

test: dependencies lint
	scripts/try-platforms
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build $(WIDTH)
	scripts/try-service
	scripts/endurance

fuzz: dependencies
	scripts/fuzz $(FUZZ_SECONDS)

sanitize: dependencies
	scripts/sanitize

chaos: dependencies
	$(SWIFT) build $(RELEASE) --product nudged-bench
	$(BIN)/nudged-bench chaos --seconds $(CHAOS_SECONDS) --rate $(CHAOS_RATE) $(if $(CHAOS_SEED),--seed $(CHAOS_SEED))

# A debug build: no other has fail points.
faults: dependencies
	$(SWIFT) build
	.build/debug/nudged-bench faults --nudged .build/debug/nudged --markdown $(FAULTS_TABLE) $(if $(FAULTS_SEED),--seed $(FAULTS_SEED)) $(if $(FAULTS_OLDER),--older $(FAULTS_OLDER))

bench: dependencies
	$(SWIFT) build $(RELEASE) --product nudged-bench
	scripts/bench $(BIN)/nudged-bench

clean:
	rm -rf .build

# make demo   the main job on a private PostgreSQL and a simulated Apple, in under two minutes
# make model  the model of ownership, checked by spin: every property holds, and without any one guard a property fails (docs/model)
# make test   formatter, imports as Package.swift declares them, the app's library for other platforms, build with warnings as errors, all tests, the model of ownership, alerts and dashboard, the service on a real systemd, a minute of chaos, half a minute
#             of each fuzzer, and the Debian package, made and tried in a fresh Debian
# make bench  the benchmarks, one JSON object each, about a quarter of an hour; BENCH_LONG=1 adds the ten millions and the ten minutes
# make fuzz   libFuzzer on answers, frames and zone files, FUZZ_SECONDS each (scripts/fuzz)
# make sanitize  the sender's and simulator's tests under AddressSanitizer and ThreadSanitizer (scripts/sanitize)
# make chaos  the sender against a service that fails at random, CHAOS_SECONDS long, both sides' books compared
# make faults every fault of docs/TESTING.md on real daemons, up to an hour; the table goes to FAULTS_TABLE (FAULTS_SEED repeats one)
# make release  the stripped binary, Swift runtime linked in: .build/release/nudged.stripped
# make deb    the Debian package, in .build/deb
# make nightly  what is too long for make test: the package made twice, every fault, half an hour of chaos, the benchmarks; hours
# make docs   docs/CONFIGURATION.md, from the code

SHELL := /bin/bash
SWIFT ?= swift
FUZZ_SECONDS ?= 600
CHAOS_SECONDS ?= 3600
CHAOS_RATE ?= 1000
# So many tests at once, or one where the toolchain can't be told: hundreds side by side, each with its server's sessions and daemons, wait past their deadlines.
TEST_WIDTH ?= 8
WIDTH := $(shell $(SWIFT) test --help-hidden 2>/dev/null | grep -q maximum-parallelization && echo --experimental-maximum-parallelization-width $(TEST_WIDTH) || echo --no-parallel)
# An import that no target declares fails, where the toolchain can tell.
IMPORTS := $(shell $(SWIFT) build --help 2>/dev/null | grep -q explicit-target-dependency-import-check && echo --explicit-target-dependency-import-check error)
FAULTS_TABLE ?= .build/faults.md
# The runtime is linked in, so that the binary runs where no Swift is installed. Every address is bound at the start and then read-only. No path of
# the build folder stays in it: two builds of one source give the same bytes (scripts/try-reproducible).
RELEASE := -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.
BIN := .build/release
DEB := .build/deb

.PHONY: demo test model bench fuzz sanitize chaos faults release deb try-package nightly docs build lint format dependencies clean

dependencies:
	@scripts/dependencies

build: dependencies
	$(SWIFT) build

release: dependencies
	$(SWIFT) build $(RELEASE) --product nudged
	strip -o $(BIN)/nudged.stripped $(BIN)/nudged

deb: dependencies
	@scripts/dependencies package
	mkdir -p $(DEB)
	# With its stamp, debhelper would take what it built last time.
	rm -f $(DEB)/*.deb debian/debhelper-build-stamp
	DEB_RULES_REQUIRES_ROOT=no debian/rules binary DESTINATION=$(DEB)

try-package: deb
	@scripts/dependencies try-package
	$(SWIFT) build --product nudged-bench
	scripts/try-package $(DEB)/*.deb

docs: dependencies
	$(SWIFT) build --product nudged
	.build/debug/nudged config --reference >.build/CONFIGURATION.md
	mv .build/CONFIGURATION.md docs/CONFIGURATION.md

# Each as the README of its own target says; the first that fails ends it.
nightly: lint
	NUDGED_SLOWEST_READY=100 $(MAKE) try-package
	scripts/try-reproducible
	@scripts/dependencies model
	scripts/model --large
	$(MAKE) faults
	$(MAKE) chaos CHAOS_SECONDS=1800
	$(MAKE) sanitize
	BENCH_LONG=1 $(MAKE) bench

model:
	@scripts/dependencies model
	scripts/model

demo: dependencies
	$(SWIFT) build $(RELEASE) --product nudged-demo
	$(BIN)/nudged-demo

lint:
	scripts/imports
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Workbench Tests Fuzz

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Workbench Tests Fuzz

test: dependencies lint
	scripts/try-platforms
	$(SWIFT) build --build-tests $(IMPORTS)
	$(MAKE) deb
	scripts/suite $(SWIFT) test --skip-build $(WIDTH)
	$(MAKE) model
	@scripts/dependencies monitoring
	scripts/try-monitoring
	scripts/try-service
	scripts/endurance
	@scripts/dependencies try-package
	scripts/try-package $(DEB)/*.deb

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
	.build/debug/nudged-bench faults --nudged .build/debug/nudged --markdown $(FAULTS_TABLE) $(if $(FAULTS_SEED),--seed $(FAULTS_SEED))

bench: dependencies
	$(SWIFT) build $(RELEASE) --product nudged-bench
	$(SWIFT) build $(RELEASE) --product nudged
	scripts/bench $(BIN)/nudged-bench

clean:
	rm -rf .build

# make help        this list
# make demo        a day of 10,000 users on a private PostgreSQL and a simulated Apple, in under two minutes
# make build       a debug build, in .build/debug
# make check       before each commit: format, imports, build, and the tests that need no server
# make test        for each change: format, build, tests of every kind, in ten minutes; the last line has the counts
# make verify      what else CI runs: long tests, every fault, systemd, model, alerts, chaos, fuzz, package, release
# make format      format the code
# make docs        docs/CONFIGURATION.md, from the code
# make model       check the model of ownership by spin (docs/model)
# make bench       the benchmarks, a quarter of an hour; BENCH_LONG=1 adds half an hour
# make faults      every fault on real daemons, up to an hour; the table goes to FAULTS_TABLE; FAULTS_SEED repeats one
# make chaos       the sender against a server that fails at random, for CHAOS_SECONDS
# make fuzz        libFuzzer on all that comes from outside, FUZZ_SECONDS for each kind
# make sanitize    the sender's tests under AddressSanitizer and ThreadSanitizer
# make release     the stripped binary: .build/release/nudged.stripped; beside it nudged-apple, the simulated Apple
# make deb         the Debian package, in .build/deb
# make image       the container image, from the package that make deb made; in .build/image
# make apt-repository SIGN_KEY=KEY      the package, in a signed apt repository: REPOSITORY, or .build/apt
# make release-artifacts SIGN_KEY=KEY   all files of a release, signed, from a clean checkout of its tag
# make try-package install, use, upgrade and purge the package in a fresh Debian 12 and 13
# make nightly     what is too long for CI; hours

SHELL := /bin/bash
export SWIFT ?= swift
FUZZ_SECONDS ?= 600
CHAOS_SECONDS ?= 3600
CHAOS_RATE ?= 1000
# Makes an import that its target doesn't declare an error, if the toolchain can.
IMPORTS := $(shell $(SWIFT) build --help 2>/dev/null | grep -q explicit-target-dependency-import-check && echo --explicit-target-dependency-import-check error)
# Tests that start PostgreSQL, daemons or systemd, and those of make verify.
SERVERS := ^(ChaosTests|DemoTests|FaultsTests|IntegrationTests|LocalPostgresTests|OperatorTests|PostgresTests|ServiceTests|StoreTests)\.|LongTests[./]
FAULTS_TABLE ?= .build/faults.md
# The runtime is linked in, so the binary needs no Swift on the machine. Every address is bound at the start and then
# read-only. The build folder's path is left out, so two builds give the same bytes (scripts/try-reproducible).
RELEASE := -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.
BIN := .build/release
DEB := .build/deb
REPOSITORY ?= .build/apt

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

.PHONY: help check demo test verify build-tests model bench fuzz sanitize chaos faults release deb image apt-repository release-artifacts try-package try-built-package nightly docs build lint format dependencies clean

dependencies:
	@scripts/dependencies

build: dependencies
	$(SWIFT) build

release: dependencies
	for product in nudged nudged-apple; do $(SWIFT) build $(RELEASE) --product $$product || exit 1; done
	strip -o $(BIN)/nudged.stripped $(BIN)/nudged

deb: dependencies
	@scripts/dependencies package
	mkdir -p $(DEB)
	# With this stamp, debhelper would reuse its last build.
	rm -f $(DEB)/* debian/debhelper-build-stamp
	DEB_RULES_REQUIRES_ROOT=no debian/rules binary DESTINATION=$(DEB)

# It doesn't build, so the image has the package that was tested.
image: dependencies
	@ls $(DEB)/*.deb >/dev/null || { echo "there is no package in .build/deb; run: make deb"; exit 1; }
	rm -rf .build/image
	scripts/image $(DEB)/*.deb .build/image

# It doesn't build, so the signed package is the one that was tested.
apt-repository:
	@ls $(DEB)/*.deb >/dev/null || { echo "there is no package in .build/deb; run: make deb"; exit 1; }
	@scripts/dependencies package
	@scripts/apt-repository $(REPOSITORY) $(DEB)/*.deb

release-artifacts:
	@scripts/dependencies package
	@scripts/release-artifacts --check
	@$(MAKE) deb
	@$(MAKE) image
	@scripts/release-artifacts

try-package: deb
	@scripts/dependencies try-package
	$(SWIFT) build --product nudged-apple
	@$(MAKE) try-built-package

try-built-package:
	@ls $(DEB)/*.deb >/dev/null || { echo "there is no package in .build/deb; run: make deb"; exit 1; }
	scripts/try-package $(DEB)/*.deb bookworm trixie

docs: dependencies
	$(SWIFT) build --product nudged
	.build/debug/nudged config --reference >.build/CONFIGURATION.md
	mv .build/CONFIGURATION.md docs/CONFIGURATION.md

# Stops at the first target that fails.
nightly: lint
	NUDGED_SLOWEST_READY=100 $(MAKE) try-package
	scripts/try-reproducible
	@scripts/dependencies model
	scripts/model --large
	$(MAKE) faults
	$(MAKE) chaos CHAOS_SECONDS=1800
	$(MAKE) fuzz FUZZ_SECONDS=60
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
	scripts/words
	scripts/portable
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Package@swift-6.0.swift Sources Workbench Tests Fuzz Examples

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Package@swift-6.0.swift Sources Workbench Tests Fuzz Examples

build-tests: dependencies
	$(SWIFT) build --build-tests $(IMPORTS)

# The scripts print how long each step took.
test:
	@scripts/test

verify:
	@scripts/verify

# Skips the tests that start servers, so it is quick.
check: dependencies lint build-tests
	$(SWIFT) test --skip-build --skip '$(SERVERS)'

fuzz: dependencies
	scripts/fuzz $(FUZZ_SECONDS)

sanitize: dependencies
	scripts/sanitize

chaos: dependencies
	$(SWIFT) build $(RELEASE) --product nudged-bench
	$(BIN)/nudged-bench chaos --seconds $(CHAOS_SECONDS) --rate $(CHAOS_RATE) $(if $(CHAOS_SEED),--seed $(CHAOS_SEED))

# A debug build, because only those have fail points.
faults: dependencies
	$(SWIFT) build
	.build/debug/nudged-bench faults --nudged .build/debug/nudged --markdown $(FAULTS_TABLE) $(if $(FAULTS_SEED),--seed $(FAULTS_SEED))

bench: dependencies
	for product in nudged nudged-apple nudged-bench; do $(SWIFT) build $(RELEASE) --product $$product || exit 1; done
	scripts/bench $(BIN)/nudged-bench

clean:
	rm -rf .build

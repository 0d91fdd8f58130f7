# The front door. Every target first installs what it needs and says what it installs; a second
# run installs nothing and needs no network.

.DEFAULT_GOAL := all
.NOTPARALLEL:
.PHONY: all run test check lint bench cluster fuzz format clean help

all:
	@tools/install-deps build
	@tools/build release berth vector_check

run: all
	@build/release/berth demo

# Without Go the tests against the published Go modules skip, loudly; with CI=true they fail.
test:
	@tools/install-deps build test
	@tools/install-deps --with-go || true
	@tools/test

check:
	@tools/install-deps build test
	@tools/check

lint:
	@tools/install-deps build test bench lint
	@tools/lint $(LINT)

bench:
	@tools/install-deps build test bench
	@tools/install-deps --with-go || true
	@tools/bench $(ONLY)

cluster:
	@tools/install-deps --with-go
	@CONTROLLERS='$(CONTROLLERS)' exec tools/cluster

fuzz:
	@tools/install-deps build test
	@tools/fuzz

format:
	@tools/install-deps lint
	@tools/format

clean:
	rm -rf build

help:
	@echo "make                    build build/release/berth and build/release/vector_check"
	@echo "make run                berth demo: a cluster in one process, the binder at work"
	@echo "make test               every test, also under sanitizers, and a little fuzzing"
	@echo "make check              the unit tests of what changed"
	@echo "make lint               format, layers, forbidden calls, headers, clang-tidy"
	@echo "make bench [ONLY=name]  benchmarks; results in build/bench/results.json"
	@echo "make cluster            a real control plane on loopback until Ctrl-C; CONTROLLERS='*' adds controllers"
	@echo "make fuzz               long fuzzing, FUZZ_SECONDS=300 for each target"
	@echo "make format             rewrite the sources as clang-format wants them"
	@echo "make clean              remove build/"

# The front door.  meson.build is the build; what is more than one line lives in tools/.
# Every way in first looks whether a Debian package is missing, and installs it (tools/bootstrap).

.DEFAULT_GOAL := all

all: ## build build/jotter and libjotter
	@tools/bootstrap build
	@tools/flavour release

program:
	@tools/bootstrap build
	@tools/flavour release jotter

unexport MODEL MAX_TOKENS
run: program ## build, then see two sessions of an agent share one memory; MODEL=URL uses a real model, MAX_TOKENS=N bounds its replies
	@examples/demo $(if $(value MODEL),--model '$(subst ','\'',$(value MODEL))') $(if $(value MAX_TOKENS),--max-tokens '$(subst ','\'',$(value MAX_TOKENS))')

tour: program ## build, then take a tour of the commands
	@examples/tour

test: ## build, run all tests, end with a summary; ENGINES=files,sqlite leaves servers out
	@tools/bootstrap build test
	@tools/flavour release
	@$(if $(ENGINES),JOT_TEST_ENGINES='$(ENGINES)') tools/run-tests build

check: ## format, layers, style, symbols, lint, both compilers, tests under asan and tsan
	@tools/bootstrap build test check
	@tools/check $(STEPS)

bench: all ## measurements, as ratios taken side by side
	@meson test -C build --no-rebuild --benchmark --verbose --timeout-multiplier 0

fuzz: ## fuzz every parser of foreign bytes for FUZZ_SECONDS (60) in all
	@tools/bootstrap build check
	@tools/fuzz $(or $(FUZZ_SECONDS),60)

conformance: all ## the official MCP suite, SDK clients, Inspector, programs of the same kind, frameworks; needs npm and pip
	@ninja -C build --quiet tests/mcp/conformance-server
	@tools/conformance build

conformance-model: program ## a real small model over the wire: stream, forced call, resume; pip builds its server once
	@tools/conformance-model build

soak: all ## repeat the randomised suites with new seeds for SOAK_MINUTES (30)
	@tools/soak $(or $(SOAK_MINUTES),30)

screenshots: program ## take the pictures of the page that stand in docs/
	@tools/bootstrap test
	@/usr/bin/python3 tools/screenshots build/jotter

install: ## install binary, library, manuals, completions; PREFIX (/usr/local) is remembered, DESTDIR stages
	@tools/bootstrap build
	@tools/install

uninstall: ## remove what install installs
	@tools/install --remove

static: ## one binary that needs no library, as build/static/jotter
	@tools/bootstrap build
	@tools/static

dist: ## packages into build/dist: a tar, a Python wheel, a package for npm, Debian packages; KINDS="tar wheel" makes these only, KINDS=aarch64 those for aarch64
	@tools/bootstrap build dist $(if $(filter aarch64,$(KINDS)),cross)
	@tools/dist $(KINDS)

fmt: ## lay out all C files
	@tools/bootstrap check
	@tools/sources | xargs clang-format -i

cover: ## run the tests and show which lines they reach
	@tools/bootstrap build test cover
	@tools/cover

hooks: ## let git run tools/pre-commit before each commit
	@mkdir -p "$$(git rev-parse --git-path hooks)"
	@ln -sf "$(CURDIR)/tools/pre-commit" "$$(git rev-parse --git-path hooks)/pre-commit"

deps: ## install every Debian package that any target needs
	@tools/bootstrap

clean: ## remove everything that was built
	@rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s  %s\n", $$1, $$2 }' Makefile

.PHONY: all program run tour test check bench fuzz conformance conformance-model soak screenshots install uninstall static dist fmt cover hooks deps clean help

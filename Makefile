# These do everything on a bare machine with Swift: "make demo", "make install" and "make test".

.PHONY: help setup runtime build programs install uninstall deb bundle wheel demo test format lint docs clean

PREFIX ?= /usr/local
export PREFIX DESTDIR
# The commands and the server need a newer macOS than an app; see Package.swift.
ifeq ($(shell uname -s),Darwin)
export SIGHTLINE_PROGRAMS = 1
endif

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install missing Debian packages and the LiteRT library
	@Scripts/install-packages
	@Scripts/fetch-runtime

runtime: ## Install the libraries that run models: LiteRT and ONNX Runtime
	@Scripts/fetch-runtime
	@Scripts/fetch-runtime --onnx

# The trait Commands needs one package; without it the build would fetch all packages of the server first.
build: setup ## Build the sightline command in release
	swift build --configuration release --product sightline --traits Commands

programs: setup ## Build all commands for machines without Swift, and collect all files to install
	Scripts/build-release sightline sightline-hub sightline-serve
	@Scripts/stage .build/release

# "sudo make install" needs no Swift if "make programs" ran before.
install: ## Install all commands in PREFIX (/usr/local); DESTDIR= goes before it
	@Scripts/install --check
	@test -n "$$SUDO_USER" -a -d .build/stage || $(MAKE) programs
	@Scripts/install

uninstall: ## Remove what "make install" installed in PREFIX
	@Scripts/install --uninstall

deb: ## Make the Debian packages sightline, sightline-hub and sightline-serve
	@Scripts/make-deb --check
	@$(MAKE) programs
	@Scripts/make-deb

# The libraries that read pictures lie beside the models.
bundle: setup ## Make one archive of the sightline command that runs wherever it is unpacked
	@Scripts/timed "Building sightline" Scripts/build-release sightline --traits Commands -Xlinker -rpath -Xlinker '$$ORIGIN/../lib/sightline'
	@Scripts/timed "Collecting its files" Scripts/make-bundle .build/release

wheel: bundle ## Make the Python wheel, which has the command, and use it in a virtual environment
	@wheel=$$(Scripts/timed "Making the wheel" Scripts/tools make wheel .build/bundle/sightline) && echo "$$wheel" && \
		Scripts/timed "Using it in a virtual environment" Scripts/tools check wheel --wheel "$$wheel"

demo: ## Detect objects in a photo; PHOTO=, MODEL= and LABELS= choose other files
	@Scripts/demo

test: setup runtime ## Set up, then run all tests
	Scripts/swift-in . test
	Scripts/swift-in Firebase test

format: ## Format all Swift, C and Python sources
	@Scripts/check-style --fix

lint: ## Check style, types of Python, spelling, English and links
	@Scripts/check-style

docs: ## Build the documentation of the public modules, warnings being errors
	@Scripts/build-docs

clean: ## Remove what was built
	rm -rf .build Benchmarks/.build

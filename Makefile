# Two commands do everything on a bare machine with Swift: "make demo" and "make test".

.PHONY: help setup runtime build demo test format lint docs clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install missing Debian packages and the LiteRT library
	@Scripts/install-packages
	@Scripts/fetch-runtime

runtime: ## Install the LiteRT library alone
	@Scripts/fetch-runtime

# The trait Commands needs one package; without it the build would fetch all packages of the server first.
build: setup ## Build the sightline command in release
	swift build --configuration release --product sightline --traits Commands

demo: build ## Detect objects in a photo; PHOTO=, MODEL= and LABELS= choose other files
	@Scripts/demo

test: setup ## Set up, then run all tests
	Scripts/swift-in . test
	Scripts/swift-in Firebase test

format: ## Format all Swift, C and Python sources
	@Scripts/check-style --fix

lint: ## Check style, types of Python and spelling
	@Scripts/check-style

docs: ## Build the documentation of the public modules, warnings being errors
	@Scripts/build-docs

clean: ## Remove what was built
	rm -rf .build Benchmarks/.build

# Two commands do everything on a bare machine with Swift: "make demo" and "make test".

SOURCES := Package.swift Firebase Sources Tests $(wildcard Benchmarks Examples)

.PHONY: help setup runtime build demo test format lint docs clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install missing Debian packages and the LiteRT library
	@Scripts/install-packages
	@Scripts/fetch-runtime

runtime: ## Install the LiteRT library alone
	@Scripts/fetch-runtime

build: setup ## Build the sightline command in release
	swift build --configuration release --product sightline --traits Commands

demo: build ## Detect objects in a photo; PHOTO=, MODEL= and LABELS= choose other files
	@Scripts/demo

test: setup ## Set up, then run all tests
	swift test
	Scripts/swift-firebase test

format: ## Format all Swift sources
	swift format format --in-place --recursive $(SOURCES)

lint: ## Check formatting and style
	swift format lint --strict --recursive $(SOURCES)

docs: ## Build the documentation of the public modules, warnings being errors
	@Scripts/build-docs

clean: ## Remove what was built
	rm -rf .build Examples/.build Benchmarks/.build

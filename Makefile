# Answerback's targets. `make` lists them.
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS = -s -w -X main.version=$(VERSION)
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
STAGE = @test/stage
WEB_SOURCES = $(shell find mobile-web/src mobile-web/public -type f 2>/dev/null) mobile-web/package.json mobile-web/build.mjs

.PHONY: help build run demo test check web e2e callers bench fuzz vectors
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: web bin ## the phone app and both binaries, into bin/

.PHONY: bin
bin:
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/answerback ./cmd/answerback
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/answerback-hook ./cmd/answerback-hook

web: mobile-web/dist/index.html ## build the phone app, which the relay serves

mobile-web/node_modules/.package-lock.json: mobile-web/package-lock.json
	cd mobile-web && npm ci --no-audit --no-fund --silent
	@touch $@

mobile-web/dist/index.html: mobile-web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd mobile-web && npm run --silent build

run: build ## build all and start: relay and agent on this machine, with the link that pairs a browser
	bin/answerback up

demo: bin ## the whole trip on loopback without a phone, every hop printed
	bin/answerback demo

check: ## format, vet, staticcheck, types, import law, unit tests; under two minutes
	$(STAGE) format sh -c 'files=$$(gofmt -l $$(git ls-files "*.go")); test -z "$$files" || { echo "run gofmt on: $$files"; exit 1; }'
	$(STAGE) vet $(GO) vet ./...
	$(STAGE) staticcheck $(GO) run $(STATICCHECK) ./...
	$(STAGE) types $(MAKE) -s types
	$(STAGE) unit $(GO) test -short ./...

.PHONY: types
types: mobile-web/node_modules/.package-lock.json
	cd mobile-web && npm run --silent check

test: ## everything that must hold; installs what it needs
	$(STAGE) packages test/need browsers terminal
	$(STAGE) build $(MAKE) -s build
	$(STAGE) format sh -c 'files=$$(gofmt -l $$(git ls-files "*.go")); test -z "$$files" || { echo "run gofmt on: $$files"; exit 1; }'
	$(STAGE) vet $(GO) vet ./...
	$(STAGE) staticcheck $(GO) run $(STATICCHECK) ./...
	$(STAGE) types $(MAKE) -s types
	$(STAGE) tests $(GO) test -count=1 -p 2 -timeout 20m ./...
	$(STAGE) demo bin/answerback demo
	$(STAGE) fuzz $(MAKE) -s fuzz FUZZTIME=2s

e2e: build ## real Chromium, real terminal, real hook processes
	@test/need browsers terminal
	@test/count e2e ./test/e2e ./test/web

callers: build ## the real coding tools, offline, from npm (400 MB): what each does with an answer
	@$(GO) run ./test/callers -bin bin

bench: build ## ratios against a baseline in the same run
	@cd bench && $(GO) run . -hook ../bin/answerback-hook -answerback ../bin/answerback

FUZZTIME ?= 30s
fuzz: ## every fuzz target, FUZZTIME each (30s)
	@$(GO) run ./test/fuzzall -time $(FUZZTIME)

vectors: ## make the test vectors anew
	$(GO) run ./crypto/internal/genvectors

# All that is done with Vigie by hand. `make` or `make help` lists it.
# Downloads and builds are kept outside the clone (compose/install/cache.sh), so that a second clone is quick.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# The cache, the pinned tools on the search path and CARGO_TARGET_DIR.
WITH_TOOLS := source compose/install/cache.sh;

ifeq ($(shell id -u),0)
DATA := /var/lib/vigie
else
DATA := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/vigie
endif

WEB_SOURCES := $(shell find web libs/texts docs/guide -type d \( -name node_modules -o -name dist -o -name test-results \) -prune -o -type f -print 2>/dev/null)

.PHONY: help install up web test test-whole smoke stress campaign load bench bench-home bench-monitoring bench-outreach bench-resources bench-settings bench-stop-go accuracy oracle fuzz lint fmt hooks

help: ## List these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-16s %s\n", $$1, $$2 }'

install: ## Install what is missing to build, run and test (Debian, Ubuntu; elsewhere say what is missing)
	@compose/install/install.sh

web: install web/dist/index.html ## Build the web client into web/dist

web/dist/index.html: $(WEB_SOURCES)
	@$(WITH_TOOLS) cd web && npm run build

up: install web ## Build everything and run it on this machine (data: VIGIE__DATA, default under ~/.local/share or /var/lib)
	@$(WITH_TOOLS) cargo build --release --locked -p vigie
	@$(WITH_TOOLS) export VIGIE__DATA="$${VIGIE__DATA:-$(DATA)}"; exec "$$CARGO_TARGET_DIR/release/vigie" up

test: install web ## Run every check: lint, Rust, embedded ClickHouse, web, browser, smoke, accuracy
	@$(WITH_TOOLS) compose/checks/all.sh

test-whole: install web ## Run the Rust and browser tests at full length: ten thousand bounces where `make test` has one thousand, every language at every width, and the like
	@$(WITH_TOOLS) export VIGIE_TESTS_WHOLE=1 && cargo nextest run --workspace --locked --features vigie/embedded-web && compose/checks/browser.sh

smoke: install web ## Run one capture through the whole stack and compare what the API says with the truth (under 60 s)
	@$(WITH_TOOLS) cargo build --locked -p vigie && "$$CARGO_TARGET_DIR/debug/vigie" smoke

stress: install web ## Attack a stack, stop its stores one by one and fill its disk beside an ordinary user; fails when that user notices or anything is lost (SECONDS=number, default 600)
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench" stress --seconds "$(or $(SECONDS),600)"

load: install web ## Let 200 users work on 10 million results and 100,000 cases beside captures and jobs, then more and more of them; fails when they wait or anything is lost (SECONDS=number, default 3600)
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench" load --seconds "$(or $(SECONDS),3600)"

campaign: install web ## Strike a working stack with one fault after the other: writes that are cut off, processes killed, stores down, hanging and slow; fails when anything is lost or done twice (SECONDS=number, default 600)
	@$(WITH_TOOLS) compose/checks/campaign.sh "$(or $(SECONDS),600)"

bench: install web ## Measure lists and ingest; figures go to docs/BENCHMARKS.md by hand
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench"

bench-home: install web ## Measure the home page with all its questions at full size (ROWS=number, default 10000000); fails when a target is missed
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench" home --rows "$(or $(ROWS),10000000)"

bench-monitoring: install web ## Measure lists and ads at full size beside SQL, PostgreSQL and DuckDB (ROWS=number, default 10000000); fails when a target is missed
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && tools/bench/monitoring.sh "$(or $(ROWS),10000000)"

bench-outreach: install web ## Measure lists and details of cases with their mails, and 10,000 mails through one worker to a server that is cut (CASES=number, default 1000000); fails when a target is missed
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench" outreach --cases "$(or $(CASES),1000000)"

bench-resources: install web ## Measure the resource API beside a LoopBack 3 application on the same PostgreSQL; fails when the target is missed
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && tools/bench/resources.sh

bench-settings: install web ## Measure lists, bulk changes and their planning, matches and imports of 100,000 terms; fails when a target is missed
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench" settings

bench-stop-go: install web ## Measure the rule of Stop and Go, dry runs and the way from a rival to the removal in the simulated Google at 10,000 lanes; fails when a target is missed
	@$(WITH_TOOLS) cargo build --release --locked -p vigie -p vigie-bench && "$$CARGO_TARGET_DIR/release/vigie-bench" stop-go

accuracy: install ## Score the reading of saved result pages (PAGES=folder, default ../shared/serps)
	@$(WITH_TOOLS) cargo build --locked -p vigie && compose/checks/accuracy.sh "$(or $(PAGES),../shared/serps)"

oracle: install ## Replay a conformance corpus of the resource API (ORACLE=folder, default ../shared/oracle)
	@$(WITH_TOOLS) cargo build --locked -p vigie && compose/checks/oracle.sh "$(or $(ORACLE),../shared/oracle)"

fuzz: install ## Ask the API at random from its own document, then its parser of filters (SECONDS=number of each, default 600; SEED=number of a run to repeat, default a new one)
	@$(WITH_TOOLS) cargo build --locked -p vigie && compose/checks/fuzz.sh "$(or $(SECONDS),600)" "$(or $(SEED),$$RANDOM)"
	@$(WITH_TOOLS) compose/checks/fuzz_filter.sh "$(or $(SECONDS),600)"

lint: install ## Check commits, documents, format, lints, crate dependencies, SQL, the web client's style and types
	@$(WITH_TOOLS) compose/checks/lint.sh

fmt: install ## Format Rust and the web client
	@$(WITH_TOOLS) cargo fmt --all && cd web && npm run fmt

hooks: ## Check what is committed from this clone: its message, format, the web client's style, documents
	@git config core.hooksPath compose/hooks && echo "hooks: on (git config --unset core.hooksPath turns them off)"

#!/usr/bin/env bash
# What a reviewer should not have to say, what takes seconds first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

source compose/install/cache.sh

compose/checks/commits.sh
python3 compose/checks/structure.py
python3 compose/checks/documents.py
python3 compose/checks/threats.py
compose/checks/advisories.py
compose/checks/dependencies.py
cargo fmt --all --check
(cd web && npm run check)

compose/checks/queries.sh cargo clippy --locked --workspace --all-targets -- -D warnings
# No part of the workspace, which is built without a fuzzer. Nothing is linked here: any file is fuzzer enough, and none is compiled.
CUSTOM_LIBFUZZER_PATH=$PWD/Cargo.toml cargo clippy --locked --manifest-path libs/vocabulary/fuzz/Cargo.toml -- -D warnings

# By the compiler and the arguments of clippy: what it has checked is not checked again.
export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
RUSTC_WORKSPACE_WRAPPER=$(rustc --print sysroot)/bin/clippy-driver
RUSTDOC=$PWD/compose/checks/rustdoc.sh RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' \
  cargo doc --locked --workspace --no-deps --document-private-items --quiet
echo "lint: all is well"

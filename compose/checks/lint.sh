#!/usr/bin/env bash
# What a reviewer should not have to say, what takes seconds first. Tools that are missing are built once into the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

source compose/install/cache.sh
source compose/install/tool.sh

compose/checks/commits.sh
python3 compose/checks/structure.py
python3 compose/checks/documents.py
python3 compose/checks/threats.py
compose/checks/advisories.py
cargo fmt --all --check
(cd web && npm run check)

cargo clippy --locked --workspace --all-targets -- -D warnings
# No part of the workspace, which is built without a fuzzer.
cargo clippy --locked --manifest-path libs/vocabulary/fuzz/Cargo.toml -- -D warnings

RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' cargo doc --locked --workspace --no-deps --document-private-items --quiet

tool cargo-deny cargo-deny 0.20.2
# Every platform. Advisories are not asked for here: advisories.py knows those of a day, so that a commit which passed yesterday passes today.
cargo deny --log-level error --locked check bans licenses sources
tool cargo-machete cargo-machete 0.9.1
cargo machete

compose/checks/queries.sh
echo "lint: all is well"

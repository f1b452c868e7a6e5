#!/usr/bin/env bash
# What a reviewer should not have to say. Tools that are missing are built once into the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# tool COMMAND CRATE VERSION [OPTION…]
tool() {
  local command=$1 crate=$2 version=$3
  shift 3
  command -v "$command" >/dev/null && "$command" --version 2>/dev/null | grep -qF "$version" && return 0
  echo "lint: building $crate $version into $VIGIE_CACHE/tools (once)"
  cargo install --locked --quiet --root "$VIGIE_CACHE/tools" "$@" "$crate@$version"
}

cargo fmt --all --check
cargo clippy --locked --workspace --all-targets -- -D warnings

tool cargo-deny cargo-deny 0.20.2
cargo deny --log-level error check bans licenses sources

compose/checks/queries.sh

(cd web && npm run check)
echo "lint: all is well"

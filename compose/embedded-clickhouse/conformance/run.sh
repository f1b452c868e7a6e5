#!/usr/bin/env bash
# Runs the conformance suites of other official clients, each against a server of its own: run.sh [node] [python].
# With none named, both. Their packages are installed once, pinned, into the cache. The server is $embedded_clickhouse, or built where it
# is not set. The Rust client's suite is `cargo test -p embedded-clickhouse`.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/../../install/cache.sh"
library=$("$here/../fetch-library.sh")
(($#)) || set -- node python

if [[ -z "${embedded_clickhouse:-}" ]]; then
    cargo build --quiet --locked --manifest-path "$here/../Cargo.toml" --bin embedded-clickhouse
    embedded_clickhouse=$CARGO_TARGET_DIR/debug/embedded-clickhouse
fi
work=$(mktemp -d)
server=
finish() {
    [[ -z "$server" ]] || kill -TERM "$server" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap finish EXIT

# A folder of the cache whose name changes with the pinned versions.
packages() {
    echo "$VIGIE_CACHE/conformance/$1-$(sha256sum "$2" | cut -c1-16)"
}

suite_node() {
    local folder
    folder=$(packages node "$here/node/package-lock.json")
    if [[ ! -e "$folder/installed" ]]; then
        mkdir -p "$folder"
        cp "$here"/node/package{,-lock}.json "$folder"
        npm ci --ignore-scripts --no-audit --no-fund --prefix "$folder" >&2
        touch "$folder/installed"
    fi
    # Packages are found beside the file that asks for them.
    cp "$here/node/suite.mjs" "$folder/suite.mjs"
    node --test --test-timeout=120000 "$folder/suite.mjs"
}

suite_python() {
    local folder
    folder=$(packages python "$here/python/requirements.txt")
    if [[ ! -e "$folder/installed" ]]; then
        rm -rf "$folder"
        python3 -m venv "$folder"
        "$folder/bin/pip" install --quiet --no-deps --requirement "$here/python/requirements.txt" >&2
        touch "$folder/installed"
    fi
    PYTHONDONTWRITEBYTECODE=1 "$folder/bin/python" "$here/python/suite.py" --verbose
}

CONFORMANCE_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export CONFORMANCE_SECRET
for suite in "$@"; do
    rm -f "$work/address"
    VIGIE_CLICKHOUSE_SECRET=$CONFORMANCE_SECRET "$embedded_clickhouse" \
        --library "$library" --data "$work/$suite" >"$work/address" &
    server=$!
    until [[ -s "$work/address" ]]; do
        kill -0 "$server" 2>/dev/null || { echo "conformance: the server did not start" >&2; exit 1; }
        sleep 0.05
    done
    CONFORMANCE_URL=http://$(<"$work/address")
    export CONFORMANCE_URL
    "suite_$suite"
    kill -TERM "$server"
    wait "$server"
    server=
done

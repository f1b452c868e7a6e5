#!/usr/bin/env bash
# Fetches chDB's shared library, pinned, into the cache (once), and prints its path.
# VIGIE_CHDB_LIBRARY names a library to use instead. Needs npm; downloads about 180 MB, unpacks to about 570 MB.
# With --offline it only says where the library is, and fails where it is missing.
set -euo pipefail

version=26.7.3-stable.1

if [[ -n "${VIGIE_CHDB_LIBRARY:-}" ]]; then
    [[ -r "$VIGIE_CHDB_LIBRARY" ]] || {
        echo "fetch-library: VIGIE_CHDB_LIBRARY names $VIGIE_CHDB_LIBRARY, which cannot be read; correct it or unset it" >&2
        exit 1
    }
    echo "$VIGIE_CHDB_LIBRARY"
    exit
fi

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package=@chdb/lib-linux-x64-gnu ;;
    Linux-aarch64) package=@chdb/lib-linux-arm64-gnu ;;
    *)
        echo "fetch-library: no library is pinned for $(uname -s) on $(uname -m); point VIGIE__CLICKHOUSE__URL at a ClickHouse server instead" >&2
        exit 1
        ;;
esac

# A child process of another user reads the library too, so root's cache is not in its home.
if [[ -n "${XDG_CACHE_HOME:-}" ]]; then
    cache=$XDG_CACHE_HOME/vigie
elif [[ $EUID -eq 0 ]]; then
    cache=/var/cache/vigie
else
    cache=$HOME/.cache/vigie
fi
folder=$cache/chdb/$version
library=$folder/node_modules/$package/libchdb.so

if [[ ! -r "$library" ]]; then
    if [[ "${1:-}" == --offline ]]; then
        echo "fetch-library: $library is missing; run this script without --offline to fetch it" >&2
        exit 1
    fi
    command -v npm >/dev/null || {
        echo "fetch-library: npm is missing; install Node.js 20 or later" >&2
        exit 1
    }
    mkdir -p "$cache/chdb"
    # Installed beside its place and moved there whole, so that an interrupted download leaves nothing half done.
    partial=$(mktemp -d "$cache/chdb/.partial.XXXXXX")
    trap 'rm -rf "$partial"' EXIT
    npm install --no-save --ignore-scripts --no-audit --no-fund --prefix "$partial" "$package@$version" >&2
    chmod -R a+rX "$partial"
    rm -rf "$folder"
    mv -T "$partial" "$folder"
    trap - EXIT
fi
echo "$library"

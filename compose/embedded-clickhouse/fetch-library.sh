#!/usr/bin/env bash
# Fetches chDB's shared library, pinned, into the cache (once), and prints its path.
# VIGIE_CHDB_LIBRARY names a library to use instead. Needs npm; downloads about 180 MB, unpacks to about 570 MB.
# With --offline it only says where the library is, and fails where it is missing.
set -euo pipefail

version=26.7.3-stable.1
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

fail() {
    echo "fetch-library: $1" >&2
    exit 1
}

if [[ -n "${VIGIE_CHDB_LIBRARY:-}" ]]; then
    [[ -r "$VIGIE_CHDB_LIBRARY" ]] ||
        fail "VIGIE_CHDB_LIBRARY names $VIGIE_CHDB_LIBRARY, which cannot be read; correct it or unset it"
    echo "$VIGIE_CHDB_LIBRARY"
    exit
fi

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package=@chdb/lib-linux-x64-gnu ;;
    *) fail "no library is pinned for $(uname -s) on $(uname -m); set VIGIE__CLICKHOUSE__URL to a ClickHouse server instead" ;;
esac

source "$here/../install/cache.sh"
folder=$VIGIE_CACHE/chdb/$version
library=$folder/node_modules/$package/libchdb.so

if [[ ! -r "$library" ]]; then
    [[ "${1:-}" != --offline ]] || fail "$library is missing; run $here/fetch-library.sh to fetch it"
    command -v npm >/dev/null || fail "npm is missing; install Node.js 20 or later, or run make install"
    mkdir -p "$VIGIE_CACHE/chdb"
    # Installed beside its place and moved there whole, so that an interrupted download leaves nothing half done.
    partial=$(mktemp -d "$VIGIE_CACHE/chdb/.partial.XXXXXX")
    trap 'rm -rf "$partial"' EXIT
    npm install --no-save --ignore-scripts --no-audit --no-fund --prefix "$partial" "$package@$version" >&2
    # Another user may run the server.
    chmod -R a+rX "$partial"
    rm -rf "$folder"
    mv -T "$partial" "$folder"
    trap - EXIT
fi
echo "$library"

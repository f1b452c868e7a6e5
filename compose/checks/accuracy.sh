#!/usr/bin/env bash
# Reads a folder of saved result pages and scores what was read: accuracy.sh FOLDER
# The folder holds the pages, MANIFEST.json with their true ads, and score.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
pages=${1:?accuracy.sh FOLDER}
[ -e "$pages/score.py" ] || { echo "accuracy: there is no score.py in $pages (set PAGES=folder)" >&2; exit 1; }

cargo build --locked --quiet -p vigie
read=$(mktemp)
trap 'rm -f "$read"' EXIT
find "$pages" -name '*.html*' -type f | sort | xargs "$CARGO_TARGET_DIR/debug/vigie" read-page >"$read"
python3 "$pages/score.py" "$read"

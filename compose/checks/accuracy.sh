#!/usr/bin/env bash
# Reads a folder of saved result pages and scores what was read: accuracy.sh FOLDER
# The folder holds the pages, MANIFEST.json with their true ads, and score.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
pages=${1:?accuracy.sh FOLDER}
[ -e "$pages/score.py" ] || { echo "accuracy: there is no score.py in $pages (set PAGES=folder)" >&2; exit 1; }

read=$(mktemp)
trap 'rm -f "$read"' EXIT
find "$pages" -name '*.html' -type f -print0 | sort -z | xargs -0 "$CARGO_TARGET_DIR/debug/vigie" read-page >"$read"
python3 "$pages/score.py" "$read" --min-recall 0.90

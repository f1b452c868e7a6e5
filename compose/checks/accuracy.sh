#!/usr/bin/env bash
# Reads a folder of saved result pages, scores what was read and compares the score with the targets: accuracy.sh FOLDER
# The folder holds the pages, MANIFEST.json with their true ads, and score.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
pages=${1:?accuracy.sh FOLDER}
[ -e "$pages/score.py" ] || { echo "accuracy: there is no score.py in $pages (set PAGES=folder)" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
find "$pages" -name '*.html' -type f -print0 | sort -z | xargs -0 "$CARGO_TARGET_DIR/debug/vigie" read-page >"$folder/read.jsonl"
# Its own exit code tells only whether it could score; what is enough stands in accuracy.py.
python3 "$pages/score.py" "$folder/read.jsonl" --misses | tee "$folder/score.txt" || true
python3 compose/checks/accuracy.py "$folder/read.jsonl" "$folder/score.txt" "$pages"

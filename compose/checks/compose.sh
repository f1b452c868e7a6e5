#!/usr/bin/env bash
# Checks compose/docker-compose.yml: by the published schema, and by running its entry points as plain processes on real stores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
source compose/checks/stack.sh

here=$PWD/compose/checks/compose
folder=$VIGIE_CACHE/compose-$(sha256sum "$here/package-lock.json" | cut -c1-16)
if [ ! -e "$folder/installed" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$here/package.json" "$here/package-lock.json" "$folder"
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error)
  touch "$folder/installed"
fi
# Beside its modules: imports are looked for where a script stands.
cp "$here/entry_points.mjs" "$folder"

# Its rules of style are not ours; what the schema refuses is an error.
"$folder/node_modules/.bin/dclint" --quiet compose/docker-compose.yml
echo "compose: the file follows the schema"

new_stack compose
export VIGIE__EMBEDDED__DEMO_ROWS=0
start_stack
node "$folder/entry_points.mjs" compose/docker-compose.yml "$CARGO_TARGET_DIR/debug/vigie" "$data"

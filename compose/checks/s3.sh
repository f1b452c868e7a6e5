#!/usr/bin/env bash
# The smoke test with its files in buckets of a real S3 server in place of folders. `vigie` names the program, a debug build without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh

program=$CARGO_TARGET_DIR/debug/examples/s3_server
# The tests leave it. A build of its own would compile what it shares with them again, with fewer features.
[ -x "$program" ] || cargo build --locked --quiet -p blobs --example s3_server
folder=$(mktemp -d "${TMPDIR:-/tmp}/vigie-s3.XXXXXX")
mkdir "$folder/lost" "$folder/restored"
"$program" 127.0.0.1:0 "$folder" vigie trial > "$folder/address" &
server=$!
finish() {
  kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
for _ in $(seq 100); do
  [ -s "$folder/address" ] && break
  sleep 0.1
done
"${vigie:-$CARGO_TARGET_DIR/debug/vigie}" smoke --s3 "http://vigie:trial@$(cat "$folder/address")"
for bucket in lost restored; do
  [ -n "$(find "$folder/$bucket" -name '*.zst' -print -quit)" ] || { echo "s3: the bucket $bucket has no file" >&2; exit 1; }
done

#!/usr/bin/env bash
# Feeds the parser of filters what a fuzzer makes up, guided by what of it is reached: fuzz_filter.sh SECONDS
# What it found worth keeping stays in the cache, and the next run begins with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
source compose/install/tool.sh
seconds=${1:?fuzz_filter.sh SECONDS}

# A filter that takes longer to parse is a finding, as is one that needs more memory.
readonly LONGEST_SECONDS=2 MOST_MEGABYTES=512 LONGEST_BYTES=8192

tool cargo-fuzz cargo-fuzz 0.13.1
here=libs/vocabulary/fuzz
found=$VIGIE_CACHE/fuzz-filter
mkdir -p "$found/corpus" "$found/artifacts"
# Sanitizers want a nightly compiler, and the parser has no unsafe code for them.
cargo fuzz run --fuzz-dir "$here" --target-dir "$CARGO_TARGET_DIR/fuzz" --sanitizer none filter "$found/corpus" "$here/corpus/filter" -- \
  -dict="$here/filter.dict" -artifact_prefix="$found/artifacts/" -print_final_stats=1 \
  -max_total_time="$seconds" -timeout="$LONGEST_SECONDS" -rss_limit_mb="$MOST_MEGABYTES" -max_len="$LONGEST_BYTES"

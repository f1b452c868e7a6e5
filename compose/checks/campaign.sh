#!/usr/bin/env bash
# The reliability campaign (compose/vigie/tests/it/campaign): strikes a working stack with one fault after the other for this long and fails when
# anything was lost or done twice, or when too few faults struck: campaign.sh [SECONDS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
export VIGIE_CAMPAIGN_SECONDS=${1:-600}

output=$(mktemp)
trap 'rm -f "$output"' EXIT
result=0
test=campaign::nothing_is_lost_or_done_twice_whatever_strikes
strike() {
  # As the tests are built: another selection would compile what they share with others again.
  local build=(--workspace --locked --features vigie/embedded-web)
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run "${build[@]}" --run-ignored only --no-capture -E "test(=$test)"
  else
    cargo test "${build[@]}" --test it -- --ignored --nocapture --exact "$test"
  fi
}
strike 2>&1 | tee "$output" || result=1
"$CARGO_TARGET_DIR/debug/testkit" || true
# What everybody looks for comes last.
grep '^campaign: ' "$output" || result=1
exit "$result"

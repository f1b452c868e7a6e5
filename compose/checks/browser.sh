#!/usr/bin/env bash
# Runs the browser tests against a stack of their own: a temporary folder, free ports, a small set of demo data.
# Arguments go to Playwright.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh

vigie=$CARGO_TARGET_DIR/debug/vigie
data=$(mktemp -d "${TMPDIR:-/tmp}/vigie-browser.XXXXXX")
log=$(mktemp)
stack=
finish() {
  if [ -n "$stack" ]; then
    kill -TERM "$stack" 2>/dev/null || true
    wait "$stack" || true
  fi
  rm -rf "$data" "$log"
}
trap finish EXIT

for name in $(compgen -e VIGIE__ || true); do unset "$name"; done
export VIGIE__DATA=$data
export VIGIE__API__LISTEN=127.0.0.1:0 VIGIE__API__OPERATIONS_LISTEN=127.0.0.1:0 VIGIE__WORKERS__OPERATIONS_LISTEN=127.0.0.1:0
export VIGIE__EMBEDDED__DEMO_ROWS=20000 VIGIE__WORKERS__TICK_MILLIS=1000
# Every test signs in; the throttle is tested elsewhere.
export VIGIE__API__LOGIN_THROTTLE=false

"$vigie" up </dev/null >"$log" 2>&1 &
stack=$!
until address=$(sed -n 's/^Vigie is ready after .*: \(http.*\)\/$/\1/p' "$log") && [ -n "$address" ]; do
  kill -0 "$stack" 2>/dev/null || { cat "$log" >&2; echo "browser: the stack did not come up" >&2; exit 1; }
  sleep 0.1
done
cat "$log"

# The stack's own database, once enough captures are in it.
set -a
source "$data/running.env"
set +a
programs=$(dirname "$(find /usr/lib/postgresql/*/bin -name psql 2>/dev/null | sort -V | tail -n 1)")
ask() { "$programs/psql" -qAt -v ON_ERROR_STOP=1 "$VIGIE__POSTGRES__URL" "$@"; }
until [ "$(ask -c "select count(*) from slot s join capture c on c.slot_id = s.id where s.state = 'verified' and c.text_ads > 1")" -ge 12 ]; do
  kill -0 "$stack" 2>/dev/null || { cat "$log" >&2; echo "browser: the stack ended" >&2; exit 1; }
  sleep 0.2
done
ask -f compose/checks/browser.sql

password=$(sed -n 's/^Sign in with the password \(.*\) as$/\1/p' "$log")
email=$(sed -n 's/^  \([^ ]*@[^ ]*\) *admin$/\1/p' "$log" | head -n 1)
mails=$(sed -n 's/^Mails are caught and shown at \(http.*\)\/$/\1/p' "$log")
cd web
VIGIE_URL=$address VIGIE_MAILS=$mails VIGIE_EMAIL=$email VIGIE_PASSWORD=$password npx playwright test "$@"

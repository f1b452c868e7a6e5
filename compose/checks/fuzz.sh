#!/usr/bin/env bash
# Asks every operation of the API's document for what it promises and for what it does not, as a company user and as an administrator,
# and compares the answers with the document: fuzz.sh [SECONDS [SEED]]
# Without SECONDS the same requests every time, in some minutes; with SECONDS as many as each of the two can ask in half of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
source compose/checks/stack.sh
seconds=${1:-} seed=${2:-1}

here=$PWD/compose/checks/fuzz
folder=$VIGIE_CACHE/fuzz-$(sha256sum "$here/requirements.txt" | cut -c1-16)
if [ ! -e "$folder/installed" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --no-deps --requirement "$here/requirements.txt"
  touch "$folder/installed"
fi

# ask_as EMAIL PHASES EXAMPLES: 5xx, and what the document does not say, are failures. Streams of changes never end, and received mails are
# no JSON; both are tested elsewhere.
ask_as() {
  printf '\nfuzz: as %s\n' "$1"
  local bound=(--max-examples "$3")
  [ -z "$seconds" ] || bound=(--max-time $((seconds / 2)))
  (
    cd "$here"
    VIGIE_URL=$address VIGIE_EMAIL=$1 VIGIE_PASSWORD=$password PYTHONDONTWRITEBYTECODE=1 \
      "$folder/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$address/api/openapi.json" \
      --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
      --exclude-path-regex 'change-stream|Emails/inbound$' --phases "$2" --seed "$seed" --workers 1 --continue-on-failure \
      --generation-database none --no-shrink --warnings off --no-color --suppress-health-check all "${bound[@]}"
  )
}

# with_stack COMMAND…: asks a stack that nobody else changes.
with_stack() {
  new_stack fuzz
  # What is asked for changes rows, and captures of them would change the answers.
  export VIGIE__EMBEDDED__DEMO_ROWS=5000 VIGIE__WORKERS__TICK_MILLIS=86400000 VIGIE__WORKERS__PLAN_CHANGES_AT_ONCE=false
  start_stack
  touch "$edges/started"
  password=$(sed -n 's/^Sign in with the password \(.*\) as$/\1/p' "$log")
  local result=0
  "$@" || result=1
  # What the server itself knows about its failures.
  grep -h '"message":"request failed"' "$data/logs/api.log" || true
  return "$result"
}

# administrator PHASES: as one whom the demo data does not have.
administrator() {
  local email=fuzz@vigie.example
  "$CARGO_TARGET_DIR/debug/vigie" create-admin "$email" <<<"$password"
  ask_as "$email" "$1" 4
}

at_random() {
  local user result=0
  user=$(sed -n 's/^  \([^ ]*@[^ ]*\) *company user$/\1/p' "$log" | head -n 1)
  ask_as "$user" fuzzing 5 || result=1
  administrator fuzzing || result=1
  return "$result"
}

# Whoever asks is one process: two of them use both processors. The second stack looks for free ports once the first has taken its own.
edges=$(mktemp -d) result=0
(with_stack administrator coverage) >"$edges/log" 2>&1 &
until [ -e "$edges/started" ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
(with_stack at_random) || result=1
wait $! || result=1
cat "$edges/log"
rm -r "$edges"
exit "$result"

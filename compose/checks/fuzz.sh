#!/usr/bin/env bash
# Asks every operation of the API's document for what it promises and for what it does not, as a company user and as an administrator,
# and compares the answers with the document: fuzz.sh [SECONDS [SEED]]
# Without SECONDS the same requests every time, in about two minutes; with SECONDS as many as each of the two can ask in half of them.
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

new_stack fuzz
# What is asked for changes rows, and captures of them would change the answers.
export VIGIE__EMBEDDED__DEMO_ROWS=5000 VIGIE__WORKERS__TICK_MILLIS=86400000 VIGIE__WORKERS__PLAN_CHANGES_AT_ONCE=false
start_stack
password=$(sed -n 's/^Sign in with the password \(.*\) as$/\1/p' "$log")
user=$(sed -n 's/^  \([^ ]*@[^ ]*\) *company user$/\1/p' "$log" | head -n 1)
administrator=fuzz@vigie.example
"$CARGO_TARGET_DIR/debug/vigie" create-admin "$administrator" <<<"$password"

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

result=0
ask_as "$user" fuzzing 5 || result=1
ask_as "$administrator" coverage,fuzzing 4 || result=1
# What the server itself knows about its failures.
grep -h '"message":"request failed"' "$data/logs/api.log" || true
exit "$result"

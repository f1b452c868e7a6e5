#!/usr/bin/env bash
# Runs the browser tests against a stack of their own: a temporary folder, free ports, a small set of demo data.
# Arguments go to Playwright.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
source compose/checks/stack.sh

new_stack browser
export VIGIE__EMBEDDED__DEMO_ROWS=20000 VIGIE__WORKERS__TICK_MILLIS=1000
# Stop and Go changes the lists of the simulated Google.
export VIGIE__STOP_GO__AUTOMATION=true VIGIE__GOOGLE__MUTATIONS=true
# The receivers of webhooks are on this machine.
export VIGIE__WEBHOOKS__ALLOW_PRIVATE=true
# The provider of OpenID Connect, which its tests start.
provider=http://localhost:$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export VIGIE__OPENID__ISSUER=$provider VIGIE__OPENID__LABEL='Brivault ID'
export VIGIE__OPENID__CLIENT_ID=vigie VIGIE__OPENID__CLIENT_SECRET=client-secret
start_stack
cat "$log"

# The stack's own database, once enough captures are in it.
set -a
source "$data/running.env"
set +a
programs=$(dirname "$(find /usr/lib/postgresql/*/bin -name psql 2>/dev/null | sort -V | tail -n 1)")
ask() { "$programs/psql" -qAt -v ON_ERROR_STOP=1 "$VIGIE__POSTGRES__URL" "$@"; }
until [ "$(ask -c "select count(*) from slot s join capture c on c.slot_id = s.id where s.state = 'verified' and c.text_ads > 1")" -ge 12 ]; do
  stack_runs
  sleep 0.2
done
ask -f compose/checks/browser.sql

password=$(sed -n 's/^Sign in with the password \(.*\) as$/\1/p' "$log")
email=$(sed -n 's/^  \([^ ]*@[^ ]*\) *admin$/\1/p' "$log" | head -n 1)
mails=$(sed -n 's/^Mails are caught and shown at \(http.*\)\/$/\1/p' "$log")
cd web
VIGIE_URL=$address VIGIE_PROVIDER=$provider VIGIE_MAILS=$mails VIGIE_EMAIL=$email VIGIE_PASSWORD=$password npx playwright test "$@"

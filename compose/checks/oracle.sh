#!/usr/bin/env bash
# Replays a corpus of the resource API against a stack of its own: oracle.sh FOLDER [OPTION…]
# The folder holds run.py and its corpus-*.jsonl; options go to run.py. Every case that fails must stand in docs/oracle-exceptions.txt.
# The runner's own last line is the last.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
source compose/checks/stack.sh
corpus=${1:?oracle.sh FOLDER}
shift
[ -e "$corpus/run.py" ] || { echo "oracle: there is no run.py in $corpus (set ORACLE=folder)" >&2; exit 1; }

new_stack oracle
said=$data/oracle.said report=$data/oracle.report
# The records of a run are the runner's alone: no demo data, no captures of its terms (the next pass over due terms is a day away), and
# nothing is cleared away for its age.
export VIGIE__EMBEDDED__DEMO_ROWS=0 VIGIE__WORKERS__TICK_MILLIS=86400000 VIGIE__WORKERS__PLAN_CHANGES_AT_ONCE=false
export VIGIE__RETENTION__PAGES_DAYS=0 VIGIE__RETENTION__ADS_MONTHS=0
export ORACLE_ADMIN_EMAIL=admin@oracle.example ORACLE_ADMIN_PASSWORD='Adm1n!oracle'
start_stack
"$CARGO_TARGET_DIR/debug/vigie" create-admin "$ORACLE_ADMIN_EMAIL" <<<"$ORACLE_ADMIN_PASSWORD"
# A new account is sent a link, whose token is made when the mail goes out. Mails wait, so that cases which count tokens do not depend on it.
parents=$stack,$(pgrep -d , -P "$stack")
workers=$(pgrep -P "$parents" -f '/vigie workers$')
kill -STOP "$workers"

# Its exit code counts exceptions as failures; what decides is below.
python3 "$corpus/run.py" "$address/api" --report "$report" --max-failures 0 "$@" >"$said" || true
kill -CONT "$workers"
[ -s "$report" ] || { cat "$said" "$log" >&2; echo "oracle: the runner did not finish" >&2; exit 1; }

sed '$d' "$said"
result=0
python3 compose/checks/oracle_exceptions.py "$report" docs/oracle-exceptions.txt || result=1
tail -n 1 "$said"
exit "$result"

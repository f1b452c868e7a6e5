#!/usr/bin/env bash
# Every check of the product. All steps run, also after one failed; the last line counts the tests of all of them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
# Runners of browser tests try again what failed beside everything else that runs.
export CI=true

# Databases, profiles of browsers and pages by the thousand: memory takes files several times as fast as a disk, where there is room for them.
# Tests have 0.4 GiB at once, and tools that are missing are built there too.
readonly ROOM_GIB=6
memory=/dev/shm
if [ -z "${TMPDIR:-}" ] && [ -w "$memory" ] && [[ ,$(findmnt -no OPTIONS --target "$memory"), != *,noexec,* ]] &&
  [ "$(df --output=avail -k "$memory" | tail -n 1)" -gt $((ROOM_GIB << 20)) ] &&
  [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt $((2 * ROOM_GIB << 20)) ]; then
  # Short: the name of a browser's socket has little room for the folders before it.
  TMPDIR=$(mktemp -d "$memory/vt.XXXX")
  export TMPDIR
  # Stores and browsers have users of their own.
  chmod 1777 "$TMPDIR"
  trap forget_memory EXIT
fi

# The stores of the tests would outlive their folder.
forget_memory() {
  [ ! -x "$CARGO_TARGET_DIR/debug/testkit" ] || "$CARGO_TARGET_DIR/debug/testkit"
  rm -rf "$TMPDIR"
}

logs=$(mktemp -d "${TMPDIR:-/tmp}/vigie-checks.XXXXXX")
passed=0
failed=0
unsuccessful=()
# How long each step took. Printed with every step: a run that is ended from outside shows where its time went.
took=""

# step NAME COMMAND…: a step that counts no tests of its own counts as one.
step() {
  local name=$1 log="$logs/${1// /-}.log" started=$SECONDS result=passed good bad
  shift
  printf '\n== %s\n%s' "$name" "${took:+seconds so far:$took
}"
  "$@" </dev/null 2>&1 | tee "$log"
  [ "${PIPESTATUS[0]}" = 0 ] || result=failed
  read -r good bad < <(awk -f compose/checks/count.awk "$log")
  if [ "$result" = passed ]; then
    [ "$good" -gt 0 ] || good=1
    # What a check prints of known exceptions is no failure of it.
    bad=0
  else
    unsuccessful+=("$name")
    # The end of a long output is what everybody sees of it.
    { printf '\n-- %s: what failed\n' "$name"; awk -f compose/checks/failures.awk "$log"; } >>"$logs/failures"
    [ "$bad" -gt 0 ] || bad=1
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  took+=" $name $((SECONDS - started))"
  printf '== %s: %s in %s s\n' "$name" "$result" $((SECONDS - started))
}

# The web client is inside the binary under test: what is tested is one file, whoever builds the client anew meanwhile.
with_web=(--locked --features vigie/embedded-web)

# Leaves the programs that later steps run: a build of their own would compile what the tests share with them again, with fewer features.
rust_tests() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace "${with_web[@]}"
  else
    cargo test --workspace "${with_web[@]}"
  fi
}

conformance() { embedded_clickhouse="$CARGO_TARGET_DIR/debug/embedded-clickhouse" compose/embedded-clickhouse/conformance/run.sh; }
# The generator wants a TypeScript of its own, so it has its own modules.
contract() {
  "$CARGO_TARGET_DIR/debug/vigie" openapi >"$logs/openapi.json" || return
  cd web/tools/openapi || return
  [ -d node_modules ] || npm ci --no-audit --no-fund --loglevel=error || return
  node generate.mjs "$logs/openapi.json" --check
}
web_weight() { cd web && npm run budgets; }
# One browser's page is one thread: two of them use both processors.
web_tests() {
  cd web || return
  local result=0
  npx vitest run --project unit || result=1
  VIGIE_VITEST_CACHE=second npx vitest run --project component --shard 2/2 >"$logs/second.log" 2>&1 &
  npx vitest run --project component --shard 1/2 || result=1
  wait $! || result=1
  cat "$logs/second.log"
  return "$result"
}
smoke() { "$CARGO_TARGET_DIR/debug/vigie" smoke; }

step "lint" compose/checks/lint.sh
step "tests of advisories" python3 compose/checks/advisories_test.py
step "tests of commits" python3 compose/checks/commits_test.py
step "tests of dependencies" python3 compose/checks/dependencies_test.py
step "tests of structure" python3 compose/checks/structure_test.py
step "Rust tests" rust_tests
step "web weight" web_weight
step "web tests" web_tests
step "client's types of the API" contract
step "ClickHouse conformance" conformance
step "compose" compose/checks/compose.sh
step "browser tests" compose/checks/browser.sh
step "fuzz" compose/checks/fuzz.sh
step "smoke" smoke
step "smoke on S3" compose/checks/s3.sh
if [ -d ../shared/oracle ]; then step "oracle" compose/checks/oracle.sh ../shared/oracle; fi
if [ -d ../shared/serps ]; then step "accuracy" compose/checks/accuracy.sh ../shared/serps; fi

[ ! -e "$logs/failures" ] || cat "$logs/failures"
rm -rf "$logs"
printf '\n'
[ ${#unsuccessful[@]} -eq 0 ] || printf 'failed: %s\n' "${unsuccessful[@]}"
printf '%s passed, %s failed\n' "$passed" "$failed"
[ ${#unsuccessful[@]} -eq 0 ]

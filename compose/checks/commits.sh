#!/usr/bin/env bash
# Messages of commits: a subject of at most 72 characters without a full stop, then an empty line.
# `commits.sh` checks the last 50 commits after FIRST, `commits.sh FILE` a message that is about to be committed
# (compose/hooks/commit-msg).
set -euo pipefail
# Characters are counted, not bytes.
export LC_ALL=C.UTF-8

# Older messages stay as they are.
FIRST=d40db42689c1aba055ba5e4c82f70d00760e92fe
MOST=50
LONGEST=72
wrong=0

# check NAME MESSAGE
check() {
  local name=$1 subject second
  { IFS= read -r subject && IFS= read -r second; } <<<"$2"$'\n' || true
  refuse() { echo "$name: $1: $subject" >&2; wrong=$((wrong + 1)); }
  [ -n "$subject" ] || refuse "no subject"
  [ ${#subject} -le $LONGEST ] || refuse "a subject of ${#subject} characters, $LONGEST at most"
  [[ $subject != *. ]] || refuse "a full stop after the subject"
  [ -z "$second" ] || refuse "no empty line below the subject"
}

if [ $# -gt 0 ]; then
  check "message" "$(git stripspace --strip-comments <"$1")"
else
  cd "$(dirname "${BASH_SOURCE[0]}")/../.."
  if ! git merge-base --is-ancestor "$FIRST" HEAD 2>/dev/null; then
    echo "commits: no history since ${FIRST:0:7} here, nothing is checked"
    exit
  fi
  count=0
  while IFS= read -r -d '' commit; do
    check "${commit%%$'\n'*}" "${commit#*$'\n'}"
    count=$((count + 1))
  done < <(git log -z --no-merges --max-count="$MOST" --format='%h%n%B' "$FIRST..HEAD")
  echo "commits: $count messages, $wrong wrong"
fi
[ "$wrong" = 0 ]

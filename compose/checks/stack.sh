# A stack of a check's own: a temporary folder and free ports. To be sourced; settings of the stack (VIGIE__…) are exported between
# `new_stack` and `start_stack`.

# new_stack NAME: forgets settings of the caller's. Afterwards $data is the stack's folder and $log what it says; both go with the stack.
new_stack() {
  check=$1 stack=
  data=$(mktemp -d "${TMPDIR:-/tmp}/v-$check.XXXXXX")
  log=$(mktemp)
  trap stop_stack EXIT
  local name
  for name in $(compgen -e VIGIE__ || true); do unset "$name"; done
  export VIGIE__DATA=$data
  export VIGIE__API__LISTEN=127.0.0.1:0 VIGIE__API__OPERATIONS_LISTEN=127.0.0.1:0 VIGIE__WORKERS__OPERATIONS_LISTEN=127.0.0.1:0
  # A check signs in more often than a person would; the throttle is tested elsewhere.
  export VIGIE__API__LOGIN_THROTTLE=false
}

# start_stack: starts $vigie (the debug build where it is not set) and waits until it answers, at $address.
start_stack() {
  "${vigie:-$CARGO_TARGET_DIR/debug/vigie}" up </dev/null >"$log" 2>&1 &
  stack=$!
  until address=$(sed -n 's/^Vigie is ready after .*: \(http.*\)\/$/\1/p' "$log") && [ -n "$address" ]; do
    stack_runs
    sleep 0.1
  done
}

# stack_runs: ends the check when the stack has ended.
stack_runs() {
  kill -0 "$stack" 2>/dev/null && return 0
  cat "$log" >&2
  echo "$check: the stack ended" >&2
  exit 1
}

stop_stack() {
  if [ -n "$stack" ]; then
    kill -TERM "$stack" 2>/dev/null || true
    wait "$stack" || true
  fi
  rm -rf "$data" "$log"
}

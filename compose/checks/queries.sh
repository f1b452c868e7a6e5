#!/usr/bin/env bash
# Compares the prepared queries (sql/postgres/.sqlx) with the schema: migrates a database of a private, short-lived PostgreSQL and lets the
# compiler ask it again, which `queries.sh COMMAND…` starts. Where nothing changed since the last time, the command runs without.
# `queries.sh --write` writes them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh

write=
checked=$CARGO_TARGET_DIR/queries.checked
if [ "${1:-}" = --write ]; then
  write=1
  # Of this crate alone: others may not compile before its queries are prepared.
  export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/queries
  set -- cargo check --locked --quiet -p postgres
fi
state=$(find Cargo.lock sql/postgres/{migrations,src,.sqlx,sqlx.toml} -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
if [ -z "$write" ] && [ -e "$checked" ] && [ "$(<"$checked")" = "$state" ]; then exec "$@"; fi

programs=$(dirname "$(find /usr/lib/postgresql/*/bin -name initdb 2>/dev/null | sort -V | tail -n 1)")
folder=$(mktemp -d "${TMPDIR:-/tmp}/vigie-queries.XXXXXX")
unprivileged=()
if [ "$(id -u)" = 0 ]; then
  chown vigie "$folder"
  unprivileged=(setpriv --reuid vigie --regid vigie --init-groups)
fi
finish() {
  "${unprivileged[@]}" "$programs/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT

(
  cd "$folder"
  "${unprivileged[@]}" "$programs/initdb" -D data -U vigie --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  "${unprivileged[@]}" "$programs/pg_ctl" -D data -w -o "-c listen_addresses= -k $folder -c fsync=off" -l log start >/dev/null
)
for migration in sql/postgres/migrations/*.sql; do
  "$programs/psql" -q -1 -v ON_ERROR_STOP=1 -h "$folder" -U vigie -d postgres -f "$migration" >/dev/null
done

# The macros write one file a query; a folder of their own keeps the committed ones untouched.
prepared=$folder/prepared
mkdir "$prepared"
# The schema is no source file to cargo: without this the macros would not ask again. sql/postgres/sqlx.toml names the variable.
touch sql/postgres/src/lib.rs
VIGIE_QUERIES_URL="postgres://vigie@localhost/postgres?host=$folder" SQLX_OFFLINE_DIR="$prepared" "$@"

if [ -n "$write" ]; then
  rm -f sql/postgres/.sqlx/*.json
  cp "$prepared"/*.json sql/postgres/.sqlx/
elif diff -r "$prepared" sql/postgres/.sqlx; then
  echo "$state" >"$checked"
else
  echo "queries: sql/postgres/.sqlx is not what the schema says; run compose/checks/queries.sh --write" >&2
  exit 1
fi

#!/usr/bin/env bash
# Measures list and get of terms with their brands and localizations beside a LoopBack 3 application on the same PostgreSQL: resources.sh
# 100,000 terms, eight requests at a time, rounds of the two in turns; what is compared is requests in a second of the server's own processor
# time. Both look up with every request who asks and whether that is an administrator. Fails when the target is missed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
source compose/checks/stack.sh

here=$PWD/tools/bench/resources
folder=$VIGIE_CACHE/bench-resources-$(sha256sum "$here/package-lock.json" | cut -c1-16)
if [ ! -e "$folder/installed" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$here"/package{,-lock}.json "$folder"
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$folder" >&2
  touch "$folder/installed"
fi
# Packages are found beside the file that asks for them.
cp "$here/app.cjs" "$folder/app.cjs"

vigie=${VIGIE_BENCH_BINARY:-$CARGO_TARGET_DIR/release/vigie}
new_stack bench-resources
export VIGIE__EMBEDDED__DEMO_ROWS=0 VIGIE__WORKERS__TICK_MILLIS=86400000
start_stack
peer=
stop_all() {
  [ -z "$peer" ] || kill -TERM "$peer" 2>/dev/null || true
  stop_stack
}
trap stop_all EXIT

set -a
source "$data/running.env"
set +a
email=bench@vigie.example password='Bench-vigie-1!'
"$vigie" create-admin "$email" <<<"$password" >/dev/null
programs=$(dirname "$(find /usr/lib/postgresql/*/bin -name psql 2>/dev/null | sort -V | tail -n 1)")
"$programs/psql" -qAt -v ON_ERROR_STOP=1 "$VIGIE__POSTGRES__URL" <<'SQL'
insert into brand (label, name) select 'Brand ' || n, 'brand-' || n from generate_series(1, 200) n;
insert into localization (locale, city, language, country)
    select 'fr_FR', 'City ' || n, 'fr', jsonb_build_object('code', 'FR', 'name', 'France') from generate_series(1, 50) n;
insert into term (id, term, devices, every, region, localization_id, brand_id, options, created_date, updated_date)
    select n, 'words ' || n, '{DESKTOP,MOBILE}', 3600000, 'Bretagne', l.id, b.id, '{"saveShoppingAds": true}', now(), now()
    from generate_series(1, 100000) n
    join (select id, row_number() over (order by id) place from brand where name like 'brand-%') b on b.place = 1 + n % 200
    join (select id, row_number() over (order by id) place from localization where city like 'City %') l on l.place = 1 + n % 50;
analyze;
SQL

token=$(curl -sf -H 'Content-Type: application/json' -d "{\"email\":\"$email\",\"password\":\"$password\"}" \
  "$address/api/UserAccounts/login" | sed 's/.*"id":"\([^"]*\)".*/\1/')
ours=$(pgrep -P "$stack" -f '[/ ]api( |$)' | head -n 1)
POSTGRES_URL=$VIGIE__POSTGRES__URL node "$folder/app.cjs" >"$data/peer" 2>"$data/peer.log" &
peer=$!
until [ -s "$data/peer" ]; do
  kill -0 "$peer" 2>/dev/null || { cat "$data/peer.log" >&2; echo "bench: the peer did not start" >&2; exit 1; }
  sleep 0.1
done
read -r peer_address peer_token <"$data/peer"
node "$here/ask.mjs" "vigie=$address,$ours,$token" "LoopBack=$peer_address,$peer,$peer_token" || { cat "$data/peer.log" >&2; exit 1; }

#!/usr/bin/env bash
# Measures lists and the ad portal at full size, with DuckDB beside them: monitoring.sh ROWS [OPTION…]
# Options go to `vigie-bench`. 100 million rows need 60 GB on the disk of TMPDIR and about an hour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source compose/install/cache.sh
rows=${1:?monitoring.sh ROWS}
shift
readonly DUCKDB=2.0.0

python=$VIGIE_CACHE/bench-python
if [ "$("$python/bin/python" -c 'import duckdb; print(duckdb.__version__)' 2>/dev/null)" != "$DUCKDB" ]; then
  python3 -m venv "$python"
  "$python/bin/pip" install -q "duckdb==$DUCKDB"
fi
VIGIE_BENCH_PYTHON=$python/bin/python exec "$CARGO_TARGET_DIR/release/vigie-bench" monitoring --rows "$rows" "$@"

# Where downloads and builds are kept, outside the clone. To be sourced.
# Root's cache is not in root's home: the unprivileged user that runs the stack must be able to read it.
if [ -z "${VIGIE_CACHE:-}" ]; then
  if [ "$(id -u)" = 0 ]; then VIGIE_CACHE=/var/cache/vigie; else VIGIE_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/vigie"; fi
fi
export VIGIE_CACHE
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$VIGIE_CACHE/target}"
# Debian keeps servers such as PgBouncer in /usr/sbin.
PATH="$VIGIE_CACHE/tools/bin:$PATH:${CARGO_HOME:-$HOME/.cargo}/bin:/usr/sbin"
# The system's Node is preferred; install.sh makes this folder only where that is missing or too old.
if [ -x "$VIGIE_CACHE/node/bin/node" ]; then PATH="$VIGIE_CACHE/node/bin:$PATH"; fi
export PATH

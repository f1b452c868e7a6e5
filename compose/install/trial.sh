#!/usr/bin/env bash
# Proves that the installation misses nothing: on a bare Debian root made by debootstrap, in namespaces of its own, it clones this
# repository at HEAD, runs `make install` and then the targets given.
#
#   compose/install/trial.sh [TARGET…]      default: smoke
#
# Root only; takes the time of a whole build. TRIAL_ROOT names a folder to use and keep; TRIAL_SUITE the release (default bookworm).
# Where rustup's server cannot be reached, the machine's own rustup is lent to the root, and the output says so.
set -euo pipefail

# Inside the namespaces: makes the folder the root and runs the targets in it.
if [ "${1:-}" = --inside ]; then
  root=$2
  shift 2
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  for folder in /sys /dev; do mount --rbind "$folder" "$root$folder"; done
  for lent in ${TRIAL_LENT:-}; do
    mkdir -p "$root$lent"
    mount --bind -o ro "$lent" "$root$lent"
  done
  cd "$root"
  mkdir -p .host
  # Not chroot: the kernel refuses user namespaces, and so Chromium its sandbox, to processes in one.
  pivot_root . .host
  umount -l /.host
  cd /opt/vigie
  certificates=/etc/trial-certificates.crt
  exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 CI=true PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin${TRIAL_PATH:+:$TRIAL_PATH}" \
    ${TRIAL_RUSTUP_HOME:+RUSTUP_HOME="$TRIAL_RUSTUP_HOME"} \
    SSL_CERT_FILE=$certificates CURL_CA_BUNDLE=$certificates PIP_CERT=$certificates NODE_EXTRA_CA_CERTS=$certificates \
    CARGO_HTTP_CAINFO=$certificates \
    bash -euc 'make install; for target in "$@"; do make "$target"; done' trial "$@"
fi

[ "$(id -u)" = 0 ] || { echo "trial: run this as root" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
root=${TRIAL_ROOT:-$(mktemp -d /var/tmp/vigie-trial.XXXXXX)}
[ -n "${TRIAL_ROOT:-}" ] || trap 'rm -rf --one-file-system "$root"' EXIT
[ $# -gt 0 ] || set -- smoke

# The root of a machine is open to every user; a temporary folder is not.
chmod 755 "$root"
if [ ! -e "$root/etc/debian_version" ]; then
  echo "trial: making a bare ${TRIAL_SUITE:-bookworm} in $root"
  # The two programs the README asks for; all else is the installation's business.
  debootstrap --variant=minbase --include=git,make "${TRIAL_SUITE:-bookworm}" "$root" >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
  rm -f "$root.log"
fi
# Daemons of the packages are not to be started in there.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# A network may have an authority of its own, which this machine trusts.
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/trial-certificates.crt"
rm -rf "$root/opt/vigie"
git clone -q --no-hardlinks "$clone" "$root/opt/vigie"

# The address the installation takes rustup from.
if ! curl -sSf -o /dev/null --max-time 20 https://sh.rustup.rs 2>/dev/null; then
  echo "trial: rustup's server cannot be reached; Rust is lent by this machine"
  export TRIAL_RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} TRIAL_PATH=${CARGO_HOME:-$HOME/.cargo}/bin
  export TRIAL_LENT="$TRIAL_RUSTUP_HOME $TRIAL_PATH"
fi
unshare --mount --pid --fork --kill-child bash "${BASH_SOURCE[0]}" --inside "$root" "$@"
echo "trial: make install, then make $*: passed on a bare root"

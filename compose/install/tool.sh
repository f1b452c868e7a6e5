# A tool of Rust's that not every machine has is built once into the cache. To be sourced, after cache.sh.

# tool COMMAND CRATE VERSION [OPTION…]
tool() {
  local command=$1 crate=$2 version=$3
  shift 3
  command -v "$command" >/dev/null && "$command" --version 2>/dev/null | grep -qF "$version" && return 0
  echo "building $crate $version into $VIGIE_CACHE/tools (once)"
  cargo install --locked --quiet --root "$VIGIE_CACHE/tools" "$@" "$crate@$version"
}

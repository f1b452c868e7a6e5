# A tool of Rust's that not every machine has is built once into the cache. To be sourced, after cache.sh.

# tool COMMAND CRATE VERSION [OPTION…]
tool() {
  local command=$1 crate=$2 version=$3
  shift 3
  command -v "$command" >/dev/null && "$command" --version 2>/dev/null | grep -qF "$version" && return 0
  echo "building $crate $version into $VIGIE_CACHE/tools (once)"
  # Tools run for seconds: link-time optimization, which cargo-deny asks for, would take longer than it ever saves. cargo-deny has no
  # features to leave out.
  CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install --locked --quiet --root "$VIGIE_CACHE/tools" "$@" "$crate@$version"
}

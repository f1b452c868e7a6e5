#!/bin/sh
# rustdoc, for cargo: checks what it would write, and writes nothing, which the toolchain that is released does not let a command ask for.
RUSTC_BOOTSTRAP=1 exec rustdoc -Z unstable-options --check "$@"

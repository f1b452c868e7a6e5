//! `vigie`: the one binary. The library of this crate has its commands.

use std::process::ExitCode;

/// The system's allocator took a fifth of the API's processor time (docs/BENCHMARKS.md, the resource API).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    vigie::run()
}

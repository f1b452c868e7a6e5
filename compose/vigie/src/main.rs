//! `vigie`: the one binary. Its commands are in the library beside it.

use std::process::ExitCode;

/// The system's allocator took a fifth of the API's processor time (docs/BENCHMARKS.md, the resource API).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    vigie::run()
}

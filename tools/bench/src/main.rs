//! `vigie-bench`: how fast a stack is, and how it fares under attack. Runs the `vigie` binary beside its own.

mod bench;
mod cli;
mod commands;
mod stress;
mod trial;

use std::process::ExitCode;

use clap::Parser;
use vigie::terminal::complain;

/// The one of `vigie`, so that what is measured in this process costs what it costs there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(&cli::Cli::parse()).unwrap_or_else(|failure| {
        complain(format!("vigie-bench: {failure}"));
        ExitCode::FAILURE
    })
}

//! `vigie-bench`: measures how fast a stack is, and how it fares with many users and under attack. Runs the `vigie` binary from its own folder.

mod bench;
mod captures;
mod cli;
mod commands;
mod load;
mod memory;
mod processes;
mod stress;
mod trial;

use std::process::ExitCode;

use clap::Parser;
use vigie::terminal::complain;

/// The same as in `vigie`, so that measurements in this process cost the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(&cli::Cli::parse()).unwrap_or_else(|failure| {
        complain(format!("vigie-bench: {failure}"));
        ExitCode::FAILURE
    })
}

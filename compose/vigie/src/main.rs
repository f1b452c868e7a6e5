//! `vigie`: the one binary. Each subcommand is a file of `commands`.

mod bench;
mod browsing;
mod cli;
mod commands;
mod connections;
mod demo;
mod doctor;
mod open_files;
mod programs;
mod random;
mod smoke;
mod stack;
mod stress;
mod supervisor;
mod terminal;
mod web_client;

use std::process::ExitCode;

use clap::Parser;

/// The system's allocator took a fifth of the API's processor time (docs/BENCHMARKS.md, the resource API).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(&cli::Cli::parse().command).unwrap_or_else(|failure| {
        terminal::complain(format!("vigie: {failure}"));
        ExitCode::FAILURE
    })
}

//! The command line.

use clap::{Parser, Subcommand};

const SETTINGS_HELP: &str = "\
Settings come from built-in defaults, then from the TOML file that VIGIE_SETTINGS names, then from variables VIGIE__SECTION__KEY;
VIGIE__SECTION__KEY_FILE reads the value from a file. docs/OPERATIONS.md lists them.";

/// Watches paid search: captures result pages on schedule, reads their ads and shows who advertises on your brands.
#[derive(Debug, Parser)]
#[command(version, after_help = SETTINGS_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run everything on this machine: private stores, a simulated search engine, the API with the web client, the workers
    ///
    /// Needs PostgreSQL 15 or later, redis-server, Chromium or Chrome and the embedded ClickHouse's library (`make install` brings
    /// them), and a data folder (VIGIE__DATA, default ./data). A store whose address is set (VIGIE__POSTGRES__URL,
    /// VIGIE__REDIS__URL, VIGIE__CLICKHOUSE__URL) is used instead of a private one. As root it becomes the system user `vigie`.
    Up,
    /// The embedded ClickHouse, as `up` starts it
    #[command(hide = true)]
    EmbeddedClickhouse,
    /// The simulated search engine, as `up` starts it
    #[command(hide = true)]
    SerpSim,
}

//! Runs the embedded ClickHouse server until SIGTERM or SIGINT. Prints its address as one line once it is ready.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use embedded_clickhouse::{Error, Server, Settings};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// ClickHouse on loopback, run by chDB's shared library.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// chDB's shared library, as printed by fetch-library.sh.
    #[arg(long, env = "VIGIE_CHDB_LIBRARY")]
    library: PathBuf,
    /// The folder that holds the data; created when missing.
    #[arg(long)]
    data: PathBuf,
    /// Where to listen; loopback only, port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The user name that requests carry.
    #[arg(long, default_value = Settings::DEFAULT_USER)]
    user: String,
    /// The password that every request must carry. Set it by the environment: arguments can be seen by other users.
    #[arg(long, env = "VIGIE_CLICKHOUSE_SECRET", hide_env_values = true)]
    secret: String,
    /// The database of requests that name none.
    #[arg(long, default_value = Settings::DEFAULT_DATABASE)]
    database: String,
    /// Bytes of memory for the whole engine.
    #[arg(long, default_value_t = Settings::DEFAULT_MAX_MEMORY)]
    max_memory: u64,
    /// Bytes of memory for one query.
    #[arg(long, default_value_t = Settings::DEFAULT_MAX_QUERY_MEMORY)]
    max_query_memory: u64,
    /// Statements that may run at the same time.
    #[arg(long, default_value_t = Settings::DEFAULT_MAX_CONCURRENT)]
    max_concurrent: u32,
}

impl From<Arguments> for Settings {
    /// Takes over every argument; none keeps a default of [`Settings::new`].
    fn from(arguments: Arguments) -> Self {
        let mut settings = Self::new(arguments.library, arguments.data, arguments.secret);
        settings.listen = arguments.listen;
        settings.user = arguments.user;
        settings.database = arguments.database;
        settings.max_memory = arguments.max_memory;
        settings.max_query_memory = arguments.max_query_memory;
        settings.max_concurrent = arguments.max_concurrent;
        settings
    }
}

/// Exits with 1 after a failure, which is logged to standard error; with 0 after a signal.
#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    match serve_until_signal(arguments.into()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Starts a server, prints its address, and serves until SIGTERM or SIGINT.
async fn serve_until_signal(settings: Settings) -> Result<(), Error> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Error::Serve)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::Serve)?;
    let server = Server::start(settings).await?;
    println!("{}", server.address());
    let shutdown = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    server.run(shutdown).await
}

//! Runs the simulator of Google and Bing as a program; prints its address, alone on a line, when it is ready.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use serp_sim::{Settings, Simulator};

/// A local simulator of Google and Bing whose ads are known.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Seed of all randomness: the same seed gives the same pages.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds after which the ads of a query change.
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..))]
    rotation: u64,
    /// Bytes of inert script in each result page.
    #[arg(long, default_value_t = Settings::default().weight)]
    weight: usize,
}

/// Exits with 1 after a failure, which is printed to standard error; with 0 after a signal.
#[tokio::main]
async fn main() -> ExitCode {
    match serve_until_signal(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // stdout is for the address; if stderr fails too, nothing is left to do.
            let _ = writeln!(std::io::stderr(), "serp-sim: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Binds the simulator, prints its address, alone on a line, and serves until a signal.
async fn serve_until_signal(arguments: Arguments) -> Result<(), serp_sim::Error> {
    let stop = runtime::shutdown::on_signals()?;
    let settings = Settings {
        listen: arguments.listen,
        seed: arguments.seed,
        rotation: Duration::from_secs(arguments.rotation),
        weight: arguments.weight,
        ..Settings::default()
    };
    let simulator = Simulator::bind(settings).await?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", simulator.address())?;
    out.flush()?;
    simulator.serve(stop.cancelled_owned()).await
}

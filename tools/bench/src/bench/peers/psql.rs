use tokio::process::Command;

use crate::bench::BenchError;

const NAME: &str = "PostgreSQL";

/// A PostgreSQL server, asked by its own client program.
#[derive(Clone, Debug)]
pub(crate) struct Psql {
    address: String,
}

impl Psql {
    /// The server at this address; nothing is connected yet.
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
        }
    }

    /// Runs statements in one session, each as a transaction of its own, until one fails, and returns what they print, columns separated by `|`.
    pub(crate) async fn run<S: AsRef<str>>(&self, statements: &[S]) -> Result<String, BenchError> {
        let commands = statements.iter().flat_map(|statement| ["-c", statement.as_ref()]);
        let output = self.command().args(commands).output().await.map_err(BenchError::Psql)?;
        if !output.status.success() {
            return Err(unexpected(&String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns the number that a query finds; fails when it finds something else.
    pub(crate) async fn number(&self, query: &str) -> Result<u64, BenchError> {
        let reply = self.run(&[query]).await?;
        reply.trim().parse().map_err(|_| unexpected(&reply))
    }

    /// Builds a call of psql that ends at the first error and prints rows only, columns separated by `|`.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("psql");
        command
            .arg(&self.address)
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]);
        command
    }
}

/// The error of rows that are not those that were expected.
pub(crate) fn unexpected(reply: &str) -> BenchError {
    BenchError::Answer {
        peer: NAME,
        reply: reply.chars().take(300).collect(),
    }
}

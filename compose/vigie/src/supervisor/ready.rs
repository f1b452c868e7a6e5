//! What tells that a part serves.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::net::TcpStream;

/// Longest wait for one answer.
const ONE_ANSWER: Duration = Duration::from_secs(2);
/// Pause between two questions.
pub const BETWEEN_QUESTIONS: Duration = Duration::from_millis(30);

/// What tells that a part serves.
#[derive(Clone, Debug)]
pub enum Ready {
    /// Its port takes connections.
    Port(SocketAddr),
    /// Its address answers with a success.
    Http(String),
    /// Postgres wrote `ready` into this file, its `postmaster.pid`, under this process's number.
    Postmaster(PathBuf),
}

impl Ready {
    /// Asks once. `pid` is the process that was started.
    pub async fn check(&self, pid: u32) -> bool {
        match self {
            Self::Port(address) => {
                matches!(
                    tokio::time::timeout(ONE_ANSWER, TcpStream::connect(address)).await,
                    Ok(Ok(_))
                )
            }
            Self::Http(url) => answers(url).await,
            Self::Postmaster(file) => tokio::fs::read_to_string(file)
                .await
                .is_ok_and(|text| postmaster_ready(&text, pid)),
        }
    }
}

/// Whether a GET of `url` succeeds.
pub async fn answers(url: &str) -> bool {
    let Ok(client) = reqwest::Client::builder().no_proxy().timeout(ONE_ANSWER).build() else {
        return false;
    };
    client
        .get(url)
        .send()
        .await
        .is_ok_and(|response| response.status().is_success())
}

/// The first line of the file is the process, the eighth its state. A file left by a killed server names another process.
fn postmaster_ready(text: &str, pid: u32) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|first| first.trim() == pid.to_string())
        && lines.nth(6).is_some_and(|state| state.trim() == "ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "4711\n/data/postgres\n1763725000\n5432\n/run\n127.0.0.1\n  1 2\nready   \n";

    #[test]
    fn believes_a_postmaster_file_only_of_the_process_it_started() {
        assert!(postmaster_ready(FILE, 4711));
        assert!(!postmaster_ready(FILE, 4712));
        assert!(!postmaster_ready(&FILE.replace("ready", "starting"), 4711));
    }
}

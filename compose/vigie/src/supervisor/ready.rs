//! How to find out that a part is ready.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::net::TcpStream;

/// Timeout of one check.
const ONE_ANSWER: Duration = Duration::from_secs(2);
/// Pause between two checks.
pub const BETWEEN_QUESTIONS: Duration = Duration::from_millis(30);

/// How to find out that a part is ready.
#[derive(Clone, Debug)]
pub enum Ready {
    /// Its port accepts connections.
    Port(SocketAddr),
    /// A GET of its address succeeds.
    Http(String),
    /// Postgres wrote `ready` into this file, its `postmaster.pid`, with this process's id.
    Postmaster(PathBuf),
}

impl Ready {
    /// Checks once whether the part is ready; an error, or no answer within 2 s, means that it is not. `pid` is the process that was started; only
    /// the check of Postgres needs it.
    pub async fn check(&self, pid: u32) -> bool {
        match self {
            Self::Port(address) => {
                matches!(
                    tokio::time::timeout(ONE_ANSWER, TcpStream::connect(address)).await,
                    Ok(Ok(_))
                )
            }
            Self::Http(url) => succeeds(url).await,
            Self::Postmaster(file) => tokio::fs::read_to_string(file)
                .await
                .is_ok_and(|text| postmaster_ready(&text, pid)),
        }
    }
}

/// Returns whether a GET of `url`, past any proxy, is answered with success (2xx) within [`ONE_ANSWER`]; `false` for any failure.
pub async fn succeeds(url: &str) -> bool {
    let Ok(client) = reqwest::Client::builder().no_proxy().timeout(ONE_ANSWER).build() else {
        return false;
    };
    client
        .get(url)
        .send()
        .await
        .is_ok_and(|response| response.status().is_success())
}

/// Returns whether a `postmaster.pid` names this process and says `ready`: the first line is the process id, the eighth the state. A file left by a
/// killed server names another process.
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

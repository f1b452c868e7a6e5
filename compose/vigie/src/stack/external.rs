//! Waits for stores that are run elsewhere.

use std::time::Duration;

use runtime::Secret;
use tokio::net::TcpStream;
use url::Url;

use crate::terminal::{complain, say_part};

/// Pause between two attempts.
const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(5);
/// Timeout of one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);

/// Waits without a limit until a store accepts TCP connections, then prints that it is used; prints once that it waits, and why. `store` and
/// `setting`, the variable with the address, are for the messages. Returns at once when `url` names no host.
pub async fn wait_for(store: &'static str, setting: &str, url: Option<&Secret>, default_port: u16) {
    let Some((host, port)) = url.and_then(|url| host_and_port(url.expose(), default_port)) else {
        return;
    };
    let mut reported = false;
    loop {
        match tokio::time::timeout(ATTEMPT_TIMEOUT, TcpStream::connect((host.as_str(), port))).await {
            Ok(Ok(_)) => return say_part(store, "used", &format!("{host}:{port} (set by {setting})")),
            failed if !reported => {
                let reason = match failed {
                    Ok(Err(error)) => error.to_string(),
                    _ => "no answer".to_owned(),
                };
                complain(format!(
                    "waiting for {store} at {host}:{port} ({reason}): start it, correct {setting}, or unset it for a private one"
                ));
                reported = true;
            }
            _ => {}
        }
        tokio::time::sleep(BETWEEN_ATTEMPTS).await;
    }
}

/// Returns the host, an IPv6 address without brackets, and the port of a store's address: its own, else that of its scheme, else `default_port`.
/// `None` for an invalid address or one without a host, such as a socket.
pub fn host_and_port(url: &str, default_port: u16) -> Option<(String, u16)> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str().filter(|host| !host.is_empty())?;
    Some((
        host.trim_matches(['[', ']']).to_owned(),
        url.port_or_known_default().unwrap_or(default_port),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_where_a_store_listens() {
        assert_eq!(
            host_and_port("postgres://u:p@db.example/vigie", 5432),
            Some(("db.example".to_owned(), 5432))
        );
        assert_eq!(
            host_and_port("redis://[::1]:7000", 6379),
            Some(("::1".to_owned(), 7000))
        );
        assert_eq!(host_and_port("postgres:///vigie?host=/run/postgresql", 5432), None);
    }
}

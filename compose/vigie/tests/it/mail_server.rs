//! A mail server that counts the bodies it took whole, and in whose dialogue faults strike.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::listener::serve_each;
use crate::tally::Tally;
use crate::trap::Effect;

/// Before the server says that it has taken a body, so that kills come between.
const TAKING: Duration = Duration::from_millis(40);
const COMMAND: usize = 4;

/// Clones are the same server.
#[derive(Clone, Default)]
pub struct MailServer(pub Tally);

impl MailServer {
    /// Starts it; returns its port.
    pub async fn start(&self) -> u16 {
        let server = self.clone();
        serve_each(move |connection| server.clone().serve(connection)).await
    }

    async fn serve(self, connection: TcpStream) -> std::io::Result<()> {
        let mut connection = BufReader::new(connection);
        let (mut line, mut to) = (String::new(), String::new());
        if !self.say(&mut connection, "the greeting", "220 well\r\n").await? {
            return Ok(());
        }
        while connection.read_line(&mut line).await? > 0 {
            let command = std::mem::take(&mut line);
            let goes_on = match command.get(..COMMAND) {
                Some("RCPT") => {
                    to = command.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                    self.say(&mut connection, "RCPT", "250 well\r\n").await?
                }
                Some("DATA") => {
                    if !self.say(&mut connection, "DATA", "354 go on\r\n").await? {
                        return Ok(());
                    }
                    while connection.read_line(&mut line).await? > 0 && line != ".\r\n" {
                        line.clear();
                    }
                    if std::mem::take(&mut line).is_empty() {
                        return Ok(());
                    }
                    self.0.note(&to);
                    tokio::time::sleep(TAKING).await;
                    self.say(&mut connection, "the body", "250 kept\r\n").await?
                }
                Some("QUIT") => return Ok(()),
                other => {
                    let name = other.unwrap_or_default().to_owned();
                    self.say(&mut connection, &name, "250 well\r\n").await?
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Answers, unless a fault strikes before. `false` if one has struck.
    async fn say(&self, connection: &mut BufReader<TcpStream>, to: &str, answer: &str) -> std::io::Result<bool> {
        let effect = self.0.spring(&format!("mail server: {to}"));
        if effect.is_none_or(Effect::is_after) {
            connection.write_all(answer.as_bytes()).await?;
        }
        self.0.kill_if(effect);
        Ok(effect.is_none())
    }
}

//! A mail server that counts the bodies it took whole, and in whose dialogue faults strike.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::part::Part;
use crate::trap::{Effect, Trap};

/// Before the server says that it has taken a body, so that kills come between.
const TAKING: Duration = Duration::from_millis(40);
const COMMAND: usize = 4;

/// Clones are the same server.
#[derive(Clone, Default)]
pub struct MailServer {
    taken: Arc<Mutex<BTreeMap<String, usize>>>,
    trap: Arc<Trap>,
    /// All that send mails: whose connection it is, it does not know.
    senders: Vec<Arc<Part>>,
}

impl MailServer {
    /// A server whose dialogue a trap may strike: it kills all these.
    pub fn with_trap(trap: Arc<Trap>, senders: Vec<Arc<Part>>) -> Self {
        Self {
            taken: Arc::default(),
            trap,
            senders,
        }
    }

    /// Starts it; the value is its port.
    pub async fn start(&self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepting = self.clone();
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let serving = accepting.clone();
                // A sender that is killed ends its connection.
                tokio::spawn(async move { serving.serve(connection).await });
            }
        });
        port
    }

    /// The bodies that it took whole, by recipient.
    pub fn taken(&self) -> BTreeMap<String, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, recipient: &str) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken.entry(recipient.to_owned()).or_default() += 1;
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
                    self.note(&to);
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
        let moment = format!("mail server: {to}");
        let effect = self.trap.spring(&moment);
        self.trap.note(moment);
        if effect.is_none_or(Effect::is_after) {
            connection.write_all(answer.as_bytes()).await?;
        }
        if effect.is_some_and(Effect::kills) {
            for sender in &self.senders {
                sender.kill();
            }
        }
        Ok(effect.is_none())
    }
}

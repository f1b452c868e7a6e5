//! A mail server that fails where a test wants it to.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};

use runtime::settings::{Smtp, SmtpSecurity};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use workers::smtp::MailServer;

/// What the server is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SmtpStep {
    Greeting,
    Mail,
    Rcpt,
    Data,
    /// The body has begun.
    Body,
    /// The body has ended.
    Dot,
}

/// What a server does in one connection.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// Takes the mail.
    None,
    /// Says this instead of the usual reply.
    Says(SmtpStep, &'static str),
    /// Closes the connection instead of replying.
    Closes(SmtpStep),
    /// Replies when the test lets it go on, after it has said that it was asked.
    Waits(SmtpStep, Arc<Gate>),
}

/// A point where the server waits for the test.
#[derive(Debug, Default)]
pub(super) struct Gate {
    asked: Notify,
    go_on: Notify,
}

impl Gate {
    /// Waits until the server was asked.
    pub(super) async fn reached(&self) {
        self.asked.notified().await;
    }

    /// Lets the server reply.
    pub(super) fn open(&self) {
        self.go_on.notify_one();
    }
}

/// A mail that was taken whole.
#[derive(Clone, Debug)]
pub(super) struct TakenMail {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) message: String,
}

/// The server, which follows its script connection by connection and is well afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct FaultyServer {
    script: Arc<Mutex<VecDeque<Fault>>>,
    refused: Arc<Mutex<BTreeSet<String>>>,
    taken: Arc<Mutex<Vec<TakenMail>>>,
    ended: Arc<watch::Sender<usize>>,
}

impl FaultyServer {
    /// Starts it; the second value leads to it.
    pub(super) async fn start() -> (Self, MailServer) {
        let server = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let smtp = Smtp {
            host: Some("127.0.0.1".to_owned()),
            port: Some(listener.local_addr().unwrap().port()),
            security: SmtpSecurity::None,
            from: "Acme <acme@vigie.example>".to_owned(),
            domain: Some("mail.vigie.example".to_owned()),
            ..Smtp::default()
        };
        let accepting = server.clone();
        tokio::spawn(async move {
            loop {
                let (connection, _) = listener.accept().await.unwrap();
                let fault = accepting.script.lock().unwrap().pop_front().unwrap_or(Fault::None);
                let serving = accepting.clone();
                tokio::spawn(async move {
                    let ended = Arc::clone(&serving.ended);
                    let _gone = serving.serve(connection, fault).await;
                    ended.send_modify(|count| *count += 1);
                });
            }
        });
        (server, MailServer::from_settings(&smtp).unwrap().unwrap())
    }

    /// What happens in the next connection that nothing was said about.
    pub(super) fn next(&self, fault: Fault) {
        self.script.lock().unwrap().push_back(fault);
    }

    /// A point where the next connection waits when it is asked for this.
    pub(super) fn waits_at(&self, asked: SmtpStep) -> Arc<Gate> {
        let gate = Arc::new(Gate::default());
        self.next(Fault::Waits(asked, Arc::clone(&gate)));
        gate
    }

    /// Nothing that was asked for before goes wrong any more.
    pub(super) fn recovers(&self) {
        self.script.lock().unwrap().clear();
    }

    /// Waits until so many connections have ended.
    pub(super) async fn ended(&self, count: usize) {
        self.ended.subscribe().wait_for(|ended| *ended >= count).await.unwrap();
    }

    /// This recipient is refused for good from now on.
    pub(super) fn refuses(&self, address: &str) {
        self.refused.lock().unwrap().insert(address.to_owned());
    }

    /// The mails taken so far.
    pub(super) fn taken(&self) -> Vec<TakenMail> {
        self.taken.lock().unwrap().clone()
    }

    async fn serve(self, connection: TcpStream, fault: Fault) -> std::io::Result<()> {
        let mut connection = BufReader::new(connection);
        let (mut from, mut to) = (String::new(), String::new());
        if !reply(&mut connection, &fault, SmtpStep::Greeting, "220 well").await? {
            return Ok(());
        }
        let mut line = String::new();
        while connection.read_line(&mut line).await? > 0 {
            let command = std::mem::take(&mut line);
            let address = command.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            let goes_on = match command.split([' ', '\r']).next() {
                Some("EHLO") => reply(&mut connection, &Fault::None, SmtpStep::Greeting, "250 well").await?,
                Some("MAIL") => {
                    from = address;
                    reply(&mut connection, &fault, SmtpStep::Mail, "250 well").await?
                }
                Some("RCPT") if self.refused.lock().unwrap().contains(&address) => {
                    reply(&mut connection, &Fault::None, SmtpStep::Rcpt, "550 5.1.1 nobody").await?
                }
                Some("RCPT") => {
                    to = address;
                    reply(&mut connection, &fault, SmtpStep::Rcpt, "250 well").await?
                }
                Some("DATA") => {
                    if !reply(&mut connection, &fault, SmtpStep::Data, "354 go on").await? {
                        return Ok(());
                    }
                    let mut message = String::new();
                    while connection.read_line(&mut line).await? > 0 && line != ".\r\n" {
                        if matches!(fault, Fault::Closes(SmtpStep::Body)) {
                            return Ok(());
                        }
                        message.push_str(&std::mem::take(&mut line));
                    }
                    // A mail without its end is none.
                    if std::mem::take(&mut line).is_empty() {
                        return Ok(());
                    }
                    let taken = TakenMail {
                        from: from.clone(),
                        to: to.clone(),
                        message,
                    };
                    self.taken.lock().unwrap().push(taken);
                    reply(
                        &mut connection,
                        &fault,
                        SmtpStep::Dot,
                        "250 Ok 0102018f2c7d9a11-4b2e-000000",
                    )
                    .await?
                }
                _ => false,
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Replies as the fault says; `false` to close.
async fn reply(
    connection: &mut BufReader<TcpStream>,
    fault: &Fault,
    asked: SmtpStep,
    usual: &str,
) -> std::io::Result<bool> {
    let text = match fault {
        Fault::Closes(at) if *at == asked => return Ok(false),
        Fault::Says(at, text) if *at == asked => text,
        Fault::Waits(at, gate) if *at == asked => {
            gate.asked.notify_one();
            gate.go_on.notified().await;
            usual
        }
        _ => usual,
    };
    connection.write_all(format!("{text}\r\n").as_bytes()).await?;
    Ok(true)
}

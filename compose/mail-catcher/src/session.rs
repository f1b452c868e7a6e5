//! One SMTP session (RFC 5321), without encryption and sign-in, for this machine alone.

use std::borrow::Cow;
use std::time::Duration;

use smtp_proto::request::receiver::{DataReceiver, DummyDataReceiver, RequestReceiver};
use smtp_proto::{Error as Malformed, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::mailbox::Mailbox;

/// Largest mail accepted.
const MAX_MAIL_BYTES: usize = 10 << 20;
/// Most recipients of a mail.
const MAX_RECIPIENTS: usize = 100;
/// A sender that is silent for this long is gone (RFC 5321, 4.5.3.2.7).
const SILENCE_LIMIT: Duration = Duration::from_mins(5);
const CHUNK: usize = 16 << 10;
const OK: &str = "250 well\r\n";

/// The envelope so far.
#[derive(Default)]
struct Envelope {
    from: Option<String>,
    to: Vec<String>,
}

/// Returns whether `name` is the local part of a recipient; some names ask for a failure.
fn is_for(recipient: &str, name: &str) -> bool {
    recipient.strip_prefix(name).is_some_and(|rest| rest.starts_with('@'))
}

/// What is being received.
enum State {
    Commands,
    Mail(DataReceiver, Vec<u8>),
    /// The rest of a mail that is too large.
    TooLarge(DummyDataReceiver),
}

/// Serves a sender until it quits or disconnects, and adds its mails to the mailbox; a mail over [`MAX_MAIL_BYTES`] is refused with 552. A mail to
/// `hang-up@…` is kept and ends the session without a response. Fails when the connection does, or after [`SILENCE_LIMIT`].
pub(crate) async fn serve(mut connection: TcpStream, mailbox: &Mailbox) -> std::io::Result<()> {
    connection.write_all(b"220 mail catcher\r\n").await?;
    let mut commands = RequestReceiver::default();
    let (mut state, mut envelope) = (State::Commands, Envelope::default());
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = tokio::time::timeout(SILENCE_LIMIT, connection.read(&mut chunk)).await;
        let length = read.map_err(std::io::Error::from)??;
        if length == 0 {
            return Ok(());
        }
        let mut bytes = chunk[..length].iter();
        while !bytes.as_slice().is_empty() {
            match &mut state {
                State::Commands => {
                    let reply = match commands.ingest(&mut bytes) {
                        Ok(Request::Quit) => return connection.write_all(b"221 goodbye\r\n").await,
                        Ok(Request::Data) if envelope.from.is_some() && !envelope.to.is_empty() => {
                            state = State::Mail(DataReceiver::new(), Vec::new());
                            "354 go on\r\n"
                        }
                        Ok(request) => apply_command(request, &mut envelope),
                        Err(Malformed::NeedsMoreData { .. }) => break,
                        Err(Malformed::UnknownCommand) => "500 unknown command\r\n",
                        Err(_) => "501 malformed\r\n",
                    };
                    connection.write_all(reply.as_bytes()).await?;
                }
                State::Mail(receiver, mail) => {
                    if receiver.ingest(&mut bytes, mail) {
                        let Envelope { from, to } = std::mem::take(&mut envelope);
                        let hangs_up = to.iter().any(|to| is_for(to, "hang-up"));
                        mailbox.add(from.unwrap_or_default(), to, std::mem::take(mail));
                        if hangs_up {
                            return Ok(());
                        }
                        state = State::Commands;
                        connection.write_all(b"250 kept\r\n").await?;
                    } else if mail.len() > MAX_MAIL_BYTES {
                        state = State::TooLarge(DummyDataReceiver::new_data(receiver));
                    }
                }
                State::TooLarge(receiver) => {
                    if receiver.ingest(&mut bytes) {
                        state = State::Commands;
                        envelope = Envelope::default();
                        connection.write_all(b"552 too large\r\n").await?;
                    }
                }
            }
        }
    }
}

/// Applies a command to the envelope and returns the response; recipients whose name asks for a failure, or beyond [`MAX_RECIPIENTS`], are refused
/// here. The caller handles QUIT, and DATA once there is a recipient: here they are refused.
fn apply_command(request: Request<Cow<'_, str>>, envelope: &mut Envelope) -> &'static str {
    match request {
        Request::Ehlo { .. } => {
            *envelope = Envelope::default();
            "250-mail catcher\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 10485760\r\n"
        }
        Request::Helo { .. } | Request::Rset => {
            *envelope = Envelope::default();
            OK
        }
        Request::Mail { from } => {
            *envelope = Envelope {
                from: Some(from.address.into_owned()),
                to: Vec::new(),
            };
            OK
        }
        Request::Rcpt { to } if envelope.from.is_some() && envelope.to.len() < MAX_RECIPIENTS => {
            let to = to.address.into_owned();
            if is_for(&to, "try-later") {
                return "451 try later\r\n";
            }
            if is_for(&to, "no-such-user") {
                return "550 no such user\r\n";
            }
            envelope.to.push(to);
            OK
        }
        Request::Rcpt { .. } if envelope.from.is_some() => "452 too many recipients\r\n",
        Request::Rcpt { .. } | Request::Data => "503 first say who sends it, and to whom\r\n",
        Request::Noop { .. } => OK,
        _ => "502 not here\r\n",
    }
}

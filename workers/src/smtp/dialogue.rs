//! One SMTP dialogue (RFC 5321): a mail is handed over phase by phase, so that a failure says whether anything can have been delivered.
//!
//! lettre speaks the commands. Its own sending does not tell a connection lost before the body from one lost after it, has no timer but that of the
//! connect, and returns a dropped dialogue to its pool, where the next mail reads the replies to this one.

use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use thiserror::Error;
use tokio::time::timeout;

/// The reply to DATA that asks for the body.
const GO_ON: u16 = 354;
/// The reply to the body with which the server takes the mail over.
const TAKEN: u16 = 250;
/// Asks for a sign-in where it was not expected. The mail can wait until the settings are corrected.
const SIGN_IN_WANTED: u16 = 530;
const PERMANENT: std::ops::Range<u16> = 500..600;
const REFUSALS: std::ops::Range<u16> = 400..600;

/// How long the server may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers {
    /// For the connection with its greeting and encryption, and for the reply to each command but DATA.
    pub(crate) reply: Duration,
    /// For the reply to DATA.
    pub(crate) data: Duration,
    /// For the body and the reply to it.
    pub(crate) body: Duration,
}

/// What was being done when a dialogue failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Phase {
    /// Connecting, encryption and sign-in.
    #[strum(serialize = "while connecting")]
    Connect,
    /// Naming the sender.
    #[strum(serialize = "to MAIL")]
    Mail,
    /// Naming the recipient.
    #[strum(serialize = "to RCPT")]
    Rcpt,
    /// Announcing the body.
    #[strum(serialize = "to DATA")]
    Data,
    /// Sending the body, and waiting for what the server says about it.
    #[strum(serialize = "to the body")]
    Body,
}

/// A failed dialogue.
#[derive(Debug, Error)]
#[error("{cause} ({phase})")]
pub(crate) struct DialogueError {
    pub(crate) phase: Phase,
    #[source]
    cause: CauseError,
}

#[derive(Debug, Error)]
enum CauseError {
    #[error(transparent)]
    Smtp(#[from] SmtpError),
    #[error("no reply for {} s", .0.as_secs_f32())]
    Silent(Duration),
    #[error("unexpected reply {0}")]
    Unexpected(u16),
    #[error("the server takes no addresses with characters outside ASCII")]
    NoUnicode,
}

impl DialogueError {
    /// The code of the server's refusal; none where it did not refuse, but fell silent or spoke nonsense.
    pub(crate) fn code(&self) -> Option<u16> {
        let code = match &self.cause {
            CauseError::Smtp(cause) => cause.status().map(u16::from),
            _ => None,
        };
        code.filter(|code| REFUSALS.contains(code))
    }

    /// Whether another attempt would end in the same way: the server refuses this mail for good. What fails before MAIL says nothing about the mail.
    pub(crate) fn is_final(&self) -> bool {
        match (&self.cause, self.code()) {
            (CauseError::NoUnicode, _) => true,
            (_, Some(code)) => self.phase != Phase::Connect && PERMANENT.contains(&code) && code != SIGN_IN_WANTED,
            _ => false,
        }
    }

    /// Whether the server may have taken the mail all the same: the body was on its way, and no refusal came back.
    pub(crate) fn may_have_arrived(&self) -> bool {
        self.phase == Phase::Body && self.code().is_none()
    }
}

/// Waits for a step of a phase, for `limit` at most.
pub(crate) async fn step<T>(
    phase: Phase,
    limit: Duration,
    step: impl Future<Output = Result<T, SmtpError>>,
) -> Result<T, DialogueError> {
    let ended = timeout(limit, step).await;
    let done = match ended {
        Ok(done) => done.map_err(CauseError::from),
        Err(_) => Err(CauseError::Silent(limit)),
    };
    done.map_err(|cause| DialogueError { phase, cause })
}

/// Announces a mail on an open connection, until the server asks for the body: nothing of it is on its way yet. The connection cannot be used again after a
/// failure.
pub(crate) async fn announce(
    connection: &mut AsyncSmtpConnection,
    timers: Timers,
    from: &Address,
    to: &Address,
    message: &[u8],
) -> Result<(), DialogueError> {
    let fail = |phase, cause| DialogueError { phase, cause };
    let offers = |extension| connection.server_info().supports_feature(extension);
    let mut parameters = Vec::new();
    if !AsRef::<str>::as_ref(from).is_ascii() || !AsRef::<str>::as_ref(to).is_ascii() {
        if !offers(Extension::SmtpUtfEight) {
            return Err(fail(Phase::Rcpt, CauseError::NoUnicode));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !message.is_ascii() && offers(Extension::EightBitMime) {
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let mail = connection.command(Mail::new(Some(from.clone()), parameters));
    step(Phase::Mail, timers.reply, mail).await?;
    let rcpt = connection.command(Rcpt::new(to.clone(), Vec::new()));
    step(Phase::Rcpt, timers.reply, rcpt).await?;
    let reply = step(Phase::Data, timers.data, connection.command(Data)).await?;
    expect(Phase::Data, &reply, GO_ON)
}

/// Sends the body of an announced mail and returns the server's words, in which relays name the id that they gave it.
pub(crate) async fn send_body(
    connection: &mut AsyncSmtpConnection,
    timers: Timers,
    message: &[u8],
) -> Result<String, DialogueError> {
    let reply = step(Phase::Body, timers.body, connection.message(message)).await?;
    expect(Phase::Body, &reply, TAKEN)?;
    Ok(reply.message().collect::<Vec<_>>().join(" "))
}

/// Fails when the reply has another code: whatever it means, it is not what was asked.
fn expect(phase: Phase, reply: &Response, code: u16) -> Result<(), DialogueError> {
    if reply.has_code(code) {
        return Ok(());
    }
    let cause = CauseError::Unexpected(u16::from(reply.code()));
    Err(DialogueError { phase, cause })
}

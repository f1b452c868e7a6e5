//! Mail as it came in: stored before anybody reads it, and read once.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};
use sqlx::PgExecutor;
use vocabulary::{ActionId, MailSource, MailToken, MailVerdict, SystemScope};

use crate::stored::{interval, parse};
use crate::{Connection, Result};

/// The largest mail that is taken.
pub const MAX_MAIL_BYTES: usize = 10 << 20;
/// So often a mail is read before it counts as unreadable: what fails that often fails always, and may take the worker with it.
const MOST_TRIES: i32 = 3;
/// The wait after a failure.
const RETRY_WAIT: Duration = Duration::from_mins(1);
const MAX_FAILURE: usize = 500;
/// Recipients that are kept of one mail.
const MOST_RECIPIENTS: usize = 100;
/// Longer addresses are none (RFC 5321, 4.5.3.1.3).
const LONGEST_ADDRESS: usize = 320;

/// A mail that has come in.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The mail as received.
    pub raw: &'a [u8],
    /// The recipients of its envelope, where the server says them. Those that the server wrote into the mail are added.
    pub envelope_to: &'a [String],
    /// The sender of its envelope, empty for a report; `None` where the server does not say it. What the server wrote into the mail is taken then.
    pub envelope_from: Option<&'a str>,
    /// How it came in.
    pub source: Origin<'a>,
}

/// Where a mail came from.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// A mail server posted it.
    Webhook,
    /// It was read from this mailbox.
    Imap {
        /// Name of the mailbox.
        mailbox: &'a str,
        /// What the mailbox calls its present numbering.
        uid_validity: u32,
        /// The number of the mail.
        uid: u32,
    },
}

impl Origin<'_> {
    const fn source(self) -> MailSource {
        match self {
            Self::Webhook => MailSource::Webhook,
            Self::Imap { .. } => MailSource::Imap,
        }
    }
}

/// What [`receive`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It is stored, and will be read.
    New(i64),
    /// It was there already, for another of our addresses: it will be read once more.
    AlsoTo(i64),
    /// It was there already.
    Already(i64),
}

/// Stores a mail to be read; nothing of it is judged here. A mail that was stored before, by any way, is stored once; if this copy names a recipient of
/// ours that none named before, it is read once more. Both the webhook and the mailbox call this.
pub async fn receive(connection: &mut Connection, arrival: &Arrival<'_>, now: DateTime<Utc>) -> Result<Received> {
    let trace = Trace::read(arrival.raw);
    let recipients = recipients(arrival.envelope_to, &trace);
    let sender = arrival.envelope_from.map(str::to_owned).or(trace.return_path);
    let (mailbox, uid_validity, uid) = match arrival.source {
        Origin::Webhook => (None, None, None),
        Origin::Imap {
            mailbox,
            uid_validity,
            uid,
        } => (Some(mailbox), Some(i64::from(uid_validity)), Some(i64::from(uid))),
    };
    let new = sqlx::query_scalar!(
        "insert into inbound_mail (digest, raw, source, mailbox, uid_validity, uid, envelope_to, envelope_from, received_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (digest) do nothing returning id",
        &trace.digest[..],
        arrival.raw,
        arrival.source.source().to_string(),
        mailbox,
        uid_validity,
        uid,
        &recipients,
        sender.map(|sender| cut(&sender, LONGEST_ADDRESS)),
        now
    )
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(id) = new {
        return Ok(Received::New(id));
    }
    let known = sqlx::query!(
        "select id, envelope_to from inbound_mail where digest = $1 for update",
        &trace.digest[..]
    )
    .fetch_one(&mut *connection)
    .await?;
    let mut all = known.envelope_to;
    let fresh: Vec<String> = recipients.into_iter().filter(|one| !all.contains(one)).collect();
    if !fresh.iter().any(|one| has_token(one)) || all.len() >= MOST_RECIPIENTS {
        return Ok(Received::Already(known.id));
    }
    all.extend(fresh);
    sqlx::query!(
        // The source may have been deleted since.
        "update inbound_mail set envelope_to = $2, raw = $3, verdict = null, verdict_at = null, tries = 0, leased_until = null, failure = null where id = $1",
        known.id,
        &all,
        arrival.raw
    )
    .execute(connection)
    .await?;
    Ok(Received::AlsoTo(known.id))
}

/// Records a mail of a mailbox that is too large to be taken, with the beginning of it that was read; staff finds it among those that are unreadable.
pub async fn refuse_large(
    connection: &mut Connection,
    arrival: &Arrival<'_>,
    bytes: u64,
    now: DateTime<Utc>,
) -> Result<()> {
    if let Received::New(id) = receive(&mut *connection, arrival, now).await? {
        settle(
            connection,
            id,
            MailVerdict::Unreadable,
            Some(&format!("it has {bytes} bytes, more than {MAX_MAIL_BYTES}")),
            now,
        )
        .await?;
    }
    Ok(())
}

/// A mail that this process may read, as long as its lease lasts.
#[derive(Clone, Debug)]
pub struct ClaimedInbound {
    /// Its number in the table.
    pub id: i64,
    /// The mail as received.
    pub raw: Vec<u8>,
    /// The recipients of its envelope.
    pub envelope_to: Vec<String>,
    /// The sender of its envelope; empty for a report.
    pub envelope_from: Option<String>,
    /// When it came in.
    pub received_at: DateTime<Utc>,
    /// The mailbox that it was read from.
    pub mailbox: Option<String>,
    /// The case that a person attached it to.
    pub attached_to: Option<ActionId>,
}

/// Claims the mail that has waited longest for the time of `lease`, and counts the try: it is counted before the mail is read, as reading may end the
/// process. Mails that were tried too often become unreadable. `None` when none is due.
pub async fn claim(
    connection: &mut Connection,
    _system: &SystemScope,
    lease: Duration,
    now: DateTime<Utc>,
) -> Result<Option<ClaimedInbound>> {
    sqlx::query!(
        "update inbound_mail set verdict = 'unreadable', verdict_at = $1, failure = coalesce(failure, 'reading it ended the process'), leased_until = null
         where verdict is null and tries > 0 and tries >= $2 and (leased_until is null or leased_until <= $1)",
        now,
        MOST_TRIES
    )
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query!(
        "update inbound_mail set tries = tries + 1, leased_until = $1::timestamptz + $2::interval
         where id = (
             select id from inbound_mail
             where verdict is null and tries < $3 and (leased_until is null or leased_until <= $1)
             order by received_at, id limit 1 for update skip locked
         )
         returning id, raw, envelope_to, envelope_from, received_at, mailbox, attached_to",
        now,
        interval(lease),
        MOST_TRIES
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| ClaimedInbound {
        id: row.id,
        raw: row.raw,
        envelope_to: row.envelope_to,
        envelope_from: row.envelope_from,
        received_at: row.received_at,
        mailbox: row.mailbox,
        attached_to: row.attached_to.map(ActionId),
    }))
}

/// Locks a claimed mail until the transaction ends. `false` if it has a verdict by now, or another recipient was added to it: nothing is to be written then.
pub async fn lock(connection: &mut Connection, mail: &ClaimedInbound) -> Result<bool> {
    let row = sqlx::query!(
        "select envelope_to, verdict, attached_to from inbound_mail where id = $1 for update",
        mail.id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.is_some_and(|row| {
        row.verdict.is_none()
            && row.envelope_to == mail.envelope_to
            && row.attached_to == mail.attached_to.map(|id| id.0)
    }))
}

/// Gives back a mail that could not be read, with the reason; it is tried again later, or is unreadable after the last try. With `is_counted` false the
/// try does not count: a store failed, not the mail.
pub async fn give_back(
    executor: impl PgExecutor<'_>,
    mail: &ClaimedInbound,
    reason: &str,
    is_counted: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update inbound_mail set leased_until = $2::timestamptz + $3::interval, failure = $4, tries = tries - (not $5)::int
         where id = $1 and verdict is null and tries > 0",
        mail.id,
        now,
        interval(RETRY_WAIT),
        cut(reason, MAX_FAILURE),
        is_counted
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Lets a mail be claimed again at once: it changed while it was read.
pub async fn release(executor: impl PgExecutor<'_>, mail: &ClaimedInbound) -> Result<()> {
    sqlx::query!(
        "update inbound_mail set leased_until = null, tries = tries - 1 where id = $1 and verdict is null and tries > 0",
        mail.id
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// What lists show of a mail without reading it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Address of the sender.
    pub sender: Option<String>,
    /// Name of the sender.
    pub sender_name: Option<String>,
    /// Its subject on one line.
    pub subject: String,
    /// The beginning of its text.
    pub preview: String,
    /// Text and sanitised HTML of a mail that belongs to no case.
    pub unmatched: Option<(String, Option<String>)>,
}

/// Records what a mail says of itself.
pub async fn summarise(executor: impl PgExecutor<'_>, id: i64, summary: &Summary) -> Result<()> {
    let (body, html) = summary
        .unmatched
        .as_ref()
        .map_or((None, None), |(body, html)| (Some(body), html.as_ref()));
    sqlx::query!(
        "update inbound_mail set sender = $2, sender_name = $3, subject = $4, preview = $5, body = $6, html = $7 where id = $1",
        id,
        summary.sender,
        summary.sender_name,
        summary.subject,
        summary.preview,
        body,
        html
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Records what a mail was found to be; `failure` says why it is unreadable.
pub async fn settle(
    executor: impl PgExecutor<'_>,
    id: i64,
    verdict: MailVerdict,
    failure: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update inbound_mail set verdict = $2, verdict_at = $3, failure = $4, leased_until = null where id = $1",
        id,
        verdict.to_string(),
        now,
        failure.map(|failure| cut(failure, MAX_FAILURE))
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The verdict on a mail; `None` while it waits, and for an unknown one.
pub async fn verdict(executor: impl PgExecutor<'_>, id: i64) -> Result<Option<MailVerdict>> {
    let row = sqlx::query_scalar!("select verdict from inbound_mail where id = $1", id)
        .fetch_optional(executor)
        .await?;
    row.flatten()
        .map(|verdict| parse("inbound_mail.verdict", &verdict))
        .transpose()
}

/// What servers on the way wrote into a mail, and the digest of the mail without it.
struct Trace {
    digest: [u8; 32],
    delivered_to: Vec<String>,
    return_path: Option<String>,
}

impl Trace {
    /// Reads the fields of the header. The digest is of the mail without the trace fields and with line ends of one form, so that copies that came by
    /// different ways are equal.
    fn read(raw: &[u8]) -> Self {
        let mut hash = Sha256::new();
        let mut trace = Self {
            digest: [0; 32],
            delivered_to: Vec::new(),
            return_path: None,
        };
        let (mut in_header, mut is_trace) = (true, false);
        let mut empty_lines = 0;
        for line in raw.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if in_header && line.is_empty() {
                in_header = false;
            } else if in_header && line.first().is_some_and(|byte| *byte != b' ' && *byte != b'\t') {
                is_trace = trace.take_field(line);
            }
            if in_header && is_trace {
                continue;
            }
            // Lines without anything at the end are added and removed on the way.
            if line.is_empty() {
                empty_lines += 1;
                continue;
            }
            for _ in 0..std::mem::take(&mut empty_lines) {
                hash.update(b"\n");
            }
            hash.update(line);
            hash.update(b"\n");
        }
        trace.digest = hash.finalize().into();
        trace
    }

    /// Keeps what a trace field says of the envelope. Whether it is one.
    fn take_field(&mut self, line: &[u8]) -> bool {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return false;
        };
        let name = line[..colon].trim_ascii().to_ascii_lowercase();
        let value = || address_of(&String::from_utf8_lossy(&line[colon + 1..]));
        match name.as_slice() {
            b"received" => {}
            b"return-path" => self.return_path = self.return_path.take().or_else(|| Some(value())),
            b"delivered-to" | b"x-original-to" => {
                if self.delivered_to.len() < MOST_RECIPIENTS {
                    self.delivered_to.push(value());
                }
            }
            _ => return false,
        }
        true
    }
}

/// The address in a value such as ` <ann@acme.example>`.
fn address_of(value: &str) -> String {
    let value = value.trim();
    let inner = value.rsplit_once('<').map_or(value, |(_, inner)| inner);
    inner.trim_end_matches('>').trim().to_owned()
}

/// The recipients of the envelope and of the trace, each once, in lower case, as far as they can be addresses.
fn recipients(envelope: &[String], trace: &Trace) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for address in envelope.iter().chain(&trace.delivered_to) {
        let address = address_of(address).to_lowercase();
        let fits = !address.is_empty() && address.len() <= LONGEST_ADDRESS && !address.contains(char::is_control);
        if fits && !all.contains(&address) && all.len() < MOST_RECIPIENTS {
            all.push(address);
        }
    }
    all
}

/// Whether an address has a token of ours.
fn has_token(address: &str) -> bool {
    ["reply", "bounce"]
        .iter()
        .any(|prefix| MailToken::in_address(prefix, address).is_some())
}

/// The first characters of a text, without those that Postgres refuses.
fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|letter| *letter != '\0').take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "From: ann@acme.example\r\nSubject: Hello\r\n\r\nReceived: not a field\r\n\r\nbye\r\n";

    #[test]
    fn what_servers_add_on_the_way_does_not_change_the_digest() {
        let plain = Trace::read(MAIL.as_bytes());
        let travelled = format!(
            "Return-Path: <ann@acme.example>\r\nDelivered-To: reply@mail.example\r\nX-ORIGINAL-TO: box@mail.example\r\nReceived: from a\r\n\tby b;\r\n today\r\n{MAIL}\r\n"
        );
        let travelled = Trace::read(travelled.replace("\r\n", "\n").as_bytes());
        assert_eq!(plain.digest, travelled.digest);
        assert_eq!(travelled.delivered_to, ["reply@mail.example", "box@mail.example"]);
        assert_eq!(travelled.return_path.as_deref(), Some("ann@acme.example"));
        assert_eq!(plain.return_path, None);
    }

    #[test]
    fn what_a_person_wrote_changes_the_digest() {
        let plain = Trace::read(MAIL.as_bytes()).digest;
        for other in [
            MAIL.replace("bye", "goodbye"),
            MAIL.replace("Hello", "hello"),
            MAIL.replace("Received: not", "Received: no"),
            MAIL.replace("\r\n\r\nbye", "\r\nbye"),
        ] {
            assert_ne!(Trace::read(other.as_bytes()).digest, plain, "{other}");
        }
    }

    #[test]
    fn a_report_has_an_empty_sender_and_no_header_at_all_is_no_fault() {
        let report = Trace::read(b"Return-Path: <>\nSubject: x\n\n");
        assert_eq!(report.return_path.as_deref(), Some(""));
        for odd in [&b""[..], b"\n", b"\0\xff\r", b" folded first", b"Return-Path"] {
            Trace::read(odd);
        }
    }
}

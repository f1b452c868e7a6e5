//! Mail that comes in: read, given to its case, and its consequences drawn.
//!
//! It is stored before anybody reads it (`postgres::case_mails::inbound`), by the webhook of the API or by [`imap`]. A [`Receiver`] reads one mail at a time
//! outside of any transaction, and writes all that follows from it in one. A mail that cannot be read three times is unreadable; staff finds it in a list.

mod automatic;
mod bodies;
mod delivery_status;
pub mod imap;
mod reading;
mod structure;

use std::time::Duration;

use blobs::Blobs;
use postgres::case_mails::inbound::{self, ClaimedInbound, Summary};
use postgres::case_mails::matching::{self, TokenOwner};
use postgres::case_mails::received::{self, Filed, ReceivedFile, ReceivedMail};
use postgres::case_mails::reports;
use postgres::{Connection, Pool};
use runtime::Clock;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::{ActionId, Automatic, MailVerdict, SystemScope};

use reading::{Envelope, Nature, ReadMail, base_subject, read_apart};
use structure::ReadMailError;

const SCOPE: SystemScope = SystemScope::new("receiving mail");
/// Longer than reading a mail and storing its files takes.
const LEASE: Duration = Duration::from_mins(5);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// What reads the mails that came in.
#[derive(Clone)]
pub struct Receiver {
    /// The store of mails and cases.
    pub postgres: Pool,
    /// The store of the files of mails.
    pub blobs: Blobs,
    /// The clock for the times of mails.
    pub clock: Clock,
}

/// Why a mail that came in is not in its case.
#[derive(Debug, thiserror::Error)]
enum ReceiveError {
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    #[error(transparent)]
    Unreadable(#[from] ReadMailError),
    #[error("the thread that reads it was stopped")]
    Stopped,
}

impl ReceiveError {
    /// Whether the mail is the cause, and not a store that fails at present.
    fn is_of_mail(&self) -> bool {
        match self {
            Self::Unreadable(_) => true,
            Self::Postgres(error) => !error.is_unreachable() && !error.timed_out(),
            Self::Blobs(_) | Self::Stopped => false,
        }
    }
}

impl Receiver {
    /// Reads mails until `shutdown`, looking for them every second. One that is read at the shutdown is read again later.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut beat = tokio::time::interval(CHECK_INTERVAL);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = beat.tick() => {}
            }
            loop {
                let passed = tokio::select! {
                    () = shutdown.cancelled() => return,
                    passed = self.pass() => passed,
                };
                match passed {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "mails that came in cannot be read at present");
                        break;
                    }
                }
            }
        }
    }

    /// Reads the mail that has waited longest. `false` if none is due. A mail that fails is tried again later or becomes unreadable, which is no error.
    pub async fn pass(&self) -> Result<bool, postgres::Error> {
        let mut connection = self.postgres.acquire().await.map_err(postgres::Error::from)?;
        let claimed = inbound::claim(&mut connection, &SCOPE, LEASE, self.clock.now()).await?;
        drop(connection);
        let Some(mail) = claimed else { return Ok(false) };
        match self.take(&mail).await {
            Ok(Some(verdict)) => {
                tracing::info!(mail = mail.id, %verdict, "a mail that came in was read");
                metrics::counter!("vigie_inbound_mails_total", "verdict" => verdict.to_string()).increment(1);
            }
            // Another recipient was added, or it was given to a case, while it was read.
            Ok(None) => inbound::release(&self.postgres, &mail).await?,
            Err(error) => {
                tracing::warn!(mail = mail.id, %error, "a mail that came in could not be read");
                let now = self.clock.now();
                inbound::give_back(&self.postgres, &mail, &error.to_string(), error.is_of_mail(), now).await?;
            }
        }
        Ok(true)
    }

    /// Reads a claimed mail and writes what follows from it. `None`, with nothing written, if the mail has changed meanwhile.
    async fn take(&self, mail: &ClaimedInbound) -> Result<Option<MailVerdict>, ReceiveError> {
        let (raw, envelope) = (
            mail.raw.clone(),
            Envelope {
                to: mail.envelope_to.clone(),
                from: mail.envelope_from.clone(),
            },
        );
        let read = tokio::task::spawn_blocking(move || read_apart(&raw, &envelope)).await;
        let read = read.map_err(|_| ReceiveError::Stopped)??;
        let is_own = match (&read.nature, &read.message_id) {
            (Nature::Own, _) => true,
            (Nature::Letter(_), Some(id)) => matching::is_ours(&self.postgres, &SCOPE, id).await?,
            _ => false,
        };
        let cases = match &read.nature {
            Nature::Letter(_) if !is_own => self.cases_of(mail, &read).await?,
            _ => Vec::new(),
        };
        let files = if cases.is_empty() {
            Vec::new()
        } else {
            self.keep_files(&read).await?
        };
        let now = self.clock.now();
        let mut tx = postgres::begin(&self.postgres).await?;
        if !inbound::lock(&mut tx, mail).await? {
            return Ok(None);
        }
        let verdict = match read.nature {
            _ if is_own => MailVerdict::Own,
            Nature::Own => MailVerdict::Own,
            Nature::Report(_) => self.apply_reports(&mut tx, &read).await?,
            Nature::Complaint => self.apply_complaint(&mut tx, &read).await?,
            Nature::Letter(automatic) => {
                let received = received_mail(mail, &read, automatic, files);
                let mut is_filed = false;
                for action in cases {
                    let done = received::put_into_case(&mut tx, &SCOPE, &received, action, now).await?;
                    is_filed |= done != Filed::NoCase;
                }
                if is_filed {
                    MailVerdict::Matched
                } else {
                    MailVerdict::Unmatched
                }
            }
        };
        let summary = Summary {
            preview: read.preview(),
            unmatched: (verdict == MailVerdict::Unmatched).then_some((read.text, read.html)),
            sender: read.sender,
            sender_name: read.sender_name,
            subject: read.subject,
        };
        inbound::summarise(&mut *tx, mail.id, &summary).await?;
        inbound::settle(&mut *tx, mail.id, verdict, None, now).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        Ok(Some(verdict))
    }

    /// The cases that a mail belongs to, each once, in the order in which they are locked. The first kind of evidence that finds one decides (decision
    /// D173); who sent the mail is none.
    async fn cases_of(&self, mail: &ClaimedInbound, read: &ReadMail) -> Result<Vec<ActionId>, postgres::Error> {
        if let Some(action) = mail.attached_to {
            return Ok(vec![action]);
        }
        let clues = &read.clues;
        let mut owners = matching::by_bounce_tokens(&self.postgres, &SCOPE, &clues.bounce_tokens).await?;
        owners.extend(matching::by_reply_tokens(&self.postgres, &SCOPE, &clues.reply_tokens).await?);
        let by_tokens = in_order(owners.into_iter().filter_map(|owner| owner.action));
        if !by_tokens.is_empty() {
            return Ok(by_tokens);
        }
        let answered = matching::by_message_ids(&self.postgres, &SCOPE, &clues.in_reply_to).await?;
        let answered = in_order(answered.into_iter().map(|known| known.action));
        if !answered.is_empty() {
            return Ok(answered);
        }
        let subject = base_subject(&read.subject);
        let before = matching::by_message_ids(&self.postgres, &SCOPE, &clues.references).await?;
        let of_subject = |known: &matching::KnownMail| !subject.is_empty() && base_subject(&known.subject) == subject;
        let before = in_order(before.into_iter().filter(of_subject).map(|known| known.action));
        if !before.is_empty() {
            return Ok(before);
        }
        let quoted = matching::by_message_ids(&self.postgres, &SCOPE, &clues.quoted).await?;
        Ok(in_order(quoted.into_iter().map(|known| known.action)))
    }

    /// Stores the files of a mail. Stored twice they are stored once.
    async fn keep_files(&self, read: &ReadMail) -> Result<Vec<ReceivedFile>, blobs::Error> {
        let mut kept = Vec::with_capacity(read.files.len());
        for file in &read.files {
            kept.push(ReceivedFile {
                name: file.name.clone(),
                mime_type: file.mime_type.clone(),
                bytes: i64::try_from(file.content.len()).unwrap_or(i64::MAX),
                sha256: self.blobs.put(file.content.clone()).await?,
            });
        }
        Ok(kept)
    }

    /// Draws the consequences of a delivery report. One that did not come back to an address that we gave a mail changes nothing.
    async fn apply_reports(
        &self,
        connection: &mut Connection,
        read: &ReadMail,
    ) -> Result<MailVerdict, postgres::Error> {
        let Nature::Report(recipients) = &read.nature else {
            return Ok(MailVerdict::Report);
        };
        for owner in self.owners(&mut *connection, read, false).await? {
            let Some(report) = delivery_status::report_of(recipients, &owner.address) else {
                continue;
            };
            let reported = reports::report(&mut *connection, &SCOPE, owner.delivery, report, self.clock.now()).await?;
            tracing::info!(delivery = owner.delivery, outcome = %report.outcome, status = report.status, ?reported, "a mail was reported");
            metrics::counter!("vigie_mail_reports_total", "outcome" => report.outcome.to_string()).increment(1);
        }
        Ok(MailVerdict::Report)
    }

    /// Draws the consequences of a complaint, which names our mail by an address in it or by the one that it came to.
    async fn apply_complaint(
        &self,
        connection: &mut Connection,
        read: &ReadMail,
    ) -> Result<MailVerdict, postgres::Error> {
        for owner in self.owners(&mut *connection, read, true).await? {
            reports::complain(&mut *connection, &SCOPE, owner.delivery, self.clock.now()).await?;
            tracing::warn!(delivery = owner.delivery, "a recipient calls a mail unwanted");
            metrics::counter!("vigie_mail_complaints_total").increment(1);
        }
        Ok(MailVerdict::Complaint)
    }

    /// The deliveries whose tokens a report came back to, and if wanted those of the mails attached to it.
    async fn owners(
        &self,
        connection: &mut Connection,
        read: &ReadMail,
        with_quoted: bool,
    ) -> Result<Vec<TokenOwner>, postgres::Error> {
        let mut owners = matching::by_bounce_tokens(&mut *connection, &SCOPE, &read.clues.bounce_tokens).await?;
        if with_quoted {
            let quoted = &read.clues.quoted_tokens;
            owners.extend(matching::by_bounce_tokens(&mut *connection, &SCOPE, quoted).await?);
            owners.extend(matching::by_reply_tokens(&mut *connection, &SCOPE, quoted).await?);
            owners.sort_by_key(|owner| owner.delivery);
            owners.dedup_by_key(|owner| owner.delivery);
        }
        Ok(owners)
    }
}

/// The mail as its cases store it.
fn received_mail(
    mail: &ClaimedInbound,
    read: &ReadMail,
    automatic: Automatic,
    attachments: Vec<ReceivedFile>,
) -> ReceivedMail {
    ReceivedMail {
        inbound: mail.id,
        sender: read.sender.clone(),
        sender_name: read.sender_name.clone(),
        recipients: read.recipients.clone(),
        subject: read.subject.clone(),
        text: read.text.clone(),
        html: read.html.clone(),
        message_id: read.message_id.clone(),
        in_reply_to: read.clues.in_reply_to.first().cloned(),
        mailbox: mail.mailbox.clone(),
        automatic,
        received_at: mail.received_at,
        attachments,
    }
}

/// Each case once, ascending.
fn in_order(actions: impl Iterator<Item = ActionId>) -> Vec<ActionId> {
    let all: std::collections::BTreeSet<ActionId> = actions.collect();
    all.into_iter().collect()
}

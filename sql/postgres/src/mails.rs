//! Outgoing mail: queued in the transaction of the change behind it, and sent by the workers.
//!
//! No secret is stored here: the token of a link is made when its mail is sent.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use strum::VariantArray;
use uuid::Uuid;
use vocabulary::{Language, MailKind, Scope, UserId};

use crate::Result;
use crate::stored::{interval, parse, parse_some};

/// Longer reasons are cut.
const MAX_REASON: usize = 500;

/// A mail to be sent.
#[derive(Clone, Copy, Debug)]
pub struct NewMail<'a> {
    /// What makes it unique: the same key is queued once.
    pub business_key: &'a str,
    /// What it is about.
    pub kind: MailKind,
    /// The account it is about; `None` means the account with this address at the time of sending.
    pub user: Option<UserId>,
    /// The address that was given.
    pub recipient: &'a str,
    /// The language of the request; `None` means the one the user last used.
    pub language: Option<Language>,
}

/// Queues a mail, unless one with the same business key is in the outbox, sent or not. Call it in the transaction of the change behind it, so that
/// neither happens without the other.
pub async fn queue(executor: impl PgExecutor<'_>, mail: &NewMail<'_>) -> Result<()> {
    sqlx::query!(
        "insert into mail_outbox (business_key, kind, user_id, recipients, language, message_id)
         values ($1, $2, $3, jsonb_build_array($4::text), $5, gen_random_uuid()::text) on conflict (business_key) do nothing",
        mail.business_key,
        mail.kind.to_string(),
        mail.user.map(|user| user.0),
        mail.recipient,
        mail.language.map(|language| language.to_string())
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Queues a filled in template to the user who tries it.
pub async fn queue_trial(
    executor: impl PgExecutor<'_>,
    (user, recipient): (UserId, &str),
    language: Language,
    (subject, body): (&str, &str),
) -> Result<()> {
    sqlx::query!(
        "insert into mail_outbox (business_key, kind, user_id, recipients, language, message_id, context)
         values ('trial:' || gen_random_uuid(), $1, $2, jsonb_build_array($3::text), $4, gen_random_uuid()::text,
             jsonb_build_object('subject', $5::text, 'body', $6::text))",
        MailKind::Trial.to_string(),
        user.0,
        recipient,
        language.to_string(),
        subject,
        body
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// A mail that this process may send, as long as its lease lasts.
#[derive(Clone, Debug)]
pub struct ClaimedMail {
    id: i64,
    tries: i32,
    /// What it is about.
    pub kind: MailKind,
    /// The account it is about, where that was known.
    pub user: Option<UserId>,
    /// The address that was given.
    pub recipient: String,
    /// The language of the request.
    pub language: Option<Language>,
    /// The same at every try.
    pub message_id: String,
    /// By which the recipient of a digest leaves its alert; nobody else is given it.
    pub leave_key: Uuid,
    /// How long ago it was queued.
    pub age: Duration,
    /// Subject and text of a template that is tried; empty for other kinds.
    pub tried: (String, String),
    /// What the digest of an alert is about; `None` for other kinds.
    pub digest: Option<DigestPeriod>,
}

/// The alert of a digest, and the time that it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestPeriod {
    /// Id of the alert.
    pub alert: i32,
    /// When the period begins.
    pub from: DateTime<Utc>,
    /// When it ends.
    pub to: DateTime<Utc>,
}

impl ClaimedMail {
    /// Its number, by which logs name it.
    pub const fn id(&self) -> i64 {
        self.id
    }

    /// The number of this attempt, from 1.
    pub fn tries(&self) -> usize {
        usize::try_from(self.tries).unwrap_or_default()
    }
}

/// Claims up to `most` mails for the time of `lease`, of the kinds that this version knows: those that are due, and those whose sender let its lease
/// run out. The longest due are taken, but not returned in order. Mails that another transaction is claiming are passed over, and each claim raises
/// `tries`.
pub async fn claim(executor: impl PgExecutor<'_>, most: i64, lease: Duration) -> Result<Vec<ClaimedMail>> {
    let kinds: Vec<String> = MailKind::VARIANTS.iter().map(ToString::to_string).collect();
    let rows = sqlx::query_file!("queries/claim_mails.sql", &kinds, most, interval(lease))
        .fetch_all(executor)
        .await?;
    let claimed = rows.into_iter().map(|row| {
        Ok(ClaimedMail {
            id: row.id,
            tries: row.tries,
            kind: parse("mail_outbox.kind", &row.kind)?,
            user: row.user_id.map(UserId),
            recipient: row.recipient,
            language: parse_some("mail_outbox.language", row.language.as_deref())?,
            message_id: row.message_id,
            leave_key: row.leave_key,
            age: Duration::from_micros(row.age.microseconds.unsigned_abs())
                + Duration::from_hours(24) * row.age.days.unsigned_abs(),
            tried: (row.tried_subject, row.tried_body),
            digest: row
                .alert
                .zip(row.digest_from)
                .zip(row.digest_to)
                .map(|((alert, from), to)| DigestPeriod { alert, from, to }),
        })
    });
    claimed.collect()
}

/// Notes that a claimed mail is handed to the server now: unless its failure is recorded, it is not sent again.
pub async fn hand_over(executor: impl PgExecutor<'_>, mail: &ClaimedMail, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update mail_outbox set handed_at = $3 where id = $1 and state = 'sending' and tries = $2",
        mail.id,
        mail.tries,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Settles a mail as unknown: nobody can say whether it arrived.
pub async fn lose_sight(executor: impl PgExecutor<'_>, mail: &ClaimedMail, reason: &str) -> Result<()> {
    sqlx::query!(
        "update mail_outbox set state = 'unknown', settled_at = now(), leased_until = null, reason = $3, context = '{}'
         where id = $1 and state = 'sending' and tries = $2",
        mail.id,
        mail.tries,
        cut_reason(reason)
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Settles as unknown the mails that were handed over by a sender whose lease has run out. Returns how many.
pub async fn settle_handed_over(executor: impl PgExecutor<'_>) -> Result<u64> {
    let done = sqlx::query!(
        "update mail_outbox set state = 'unknown', settled_at = now(), leased_until = null, context = '{}',
             reason = 'its sender ended while the mail server had it'
         where state = 'sending' and leased_until <= now() and handed_at is not null"
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Marks a mail as sent, and forgets its context and its last failure. Changes nothing when another attempt has claimed it meanwhile.
pub async fn sent(executor: impl PgExecutor<'_>, mail: &ClaimedMail) -> Result<()> {
    sqlx::query!(
        "update mail_outbox set state = 'sent', settled_at = now(), leased_until = null, reason = null, context = '{}'
         where id = $1 and state = 'sending' and tries = $2",
        mail.id,
        mail.tries
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Returns a mail to the queue; it is due again in `after`. The reason is cut to `MAX_REASON` characters. Changes nothing when another
/// attempt has claimed it meanwhile.
pub async fn put_off(executor: impl PgExecutor<'_>, mail: &ClaimedMail, after: Duration, reason: &str) -> Result<()> {
    sqlx::query!(
        "update mail_outbox set state = 'queued', leased_until = null, handed_at = null, not_before = now() + $3, reason = $4
         where id = $1 and state = 'sending' and tries = $2",
        mail.id,
        mail.tries,
        interval(after),
        cut_reason(reason)
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Marks a mail as failed for good, with the reason cut to `MAX_REASON` characters. Changes nothing when another attempt has claimed it
/// meanwhile.
pub async fn give_up(executor: impl PgExecutor<'_>, mail: &ClaimedMail, reason: &str) -> Result<()> {
    sqlx::query!(
        "update mail_outbox set state = 'failed', settled_at = now(), leased_until = null, reason = $3, context = '{}'
         where id = $1 and state = 'sending' and tries = $2",
        mail.id,
        mail.tries,
        cut_reason(reason)
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes a claimed mail, for when its account is gone. Changes nothing when another attempt has claimed it meanwhile.
pub async fn forget(executor: impl PgExecutor<'_>, mail: &ClaimedMail) -> Result<()> {
    sqlx::query!(
        "delete from mail_outbox where id = $1 and state = 'sending' and tries = $2",
        mail.id,
        mail.tries
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// How many mails are not sent yet, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailBacklog {
    /// Number of mails.
    pub count: i64,
    /// How long the oldest has waited.
    pub oldest: Duration,
}

/// How many mails, of the kinds that this version knows, are queued or being sent, and the age of the oldest; zero when there are none.
pub async fn waiting(executor: impl PgExecutor<'_>) -> Result<MailBacklog> {
    let kinds: Vec<String> = MailKind::VARIANTS.iter().map(ToString::to_string).collect();
    let row = sqlx::query!(
        r#"select count(*) as "count!",
             coalesce(extract(epoch from max(now() - created_at)), 0)::bigint as "oldest_seconds!"
         from mail_outbox where kind = any($1) and state in ('queued', 'sending')"#,
        &kinds
    )
    .fetch_one(executor)
    .await?;
    Ok(MailBacklog {
        count: row.count,
        oldest: Duration::from_secs(row.oldest_seconds.unsigned_abs()),
    })
}

/// A mail to the holder of an account that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The account it was for.
    pub user: UserId,
    /// What it was about.
    pub kind: MailKind,
    /// When it was given up.
    pub at: DateTime<Utc>,
    /// Why, in the words of the mail server or of the sender.
    pub reason: String,
}

/// The accounts whose last settled mail to their present address was given up, the latest first, at most `most`. Empty unless the scope
/// administers.
pub async fn given_up(executor: impl PgExecutor<'_>, scope: &Scope, most: i64) -> Result<Vec<GivenUp>> {
    if !scope.administers() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query!(
        r#"select user_id as "user!", kind, at as "at!", reason as "reason!" from (
             select distinct on (u.id) u.id as user_id, m.kind, m.state, m.settled_at as at, coalesce(m.reason, '') as reason
             from mail_outbox m
               join user_account u on u.id = m.user_id
                 or (m.user_id is null and m.kind = 'reset' and lower(u.email) = lower(m.recipients ->> 0))
             where m.state in ('sent', 'failed') and lower(u.email) = lower(m.recipients ->> 0)
             order by u.id, m.settled_at desc) last
           where state = 'failed' order by at desc limit $1"#,
        most
    )
    .fetch_all(executor)
    .await?;
    let given_up = rows.into_iter().map(|row| {
        Ok(GivenUp {
            user: UserId(row.user),
            kind: parse("mail_outbox.kind", &row.kind)?,
            at: row.at,
            reason: row.reason,
        })
    });
    given_up.collect()
}

/// Deletes the mails, of the kinds that this version knows, that were sent or given up longer ago than `retention`. Returns how many.
pub async fn forget_settled(executor: impl PgExecutor<'_>, retention: Duration) -> Result<u64> {
    let kinds: Vec<String> = MailKind::VARIANTS.iter().map(ToString::to_string).collect();
    let done = sqlx::query!(
        "delete from mail_outbox where kind = any($1) and settled_at < now() - $2::interval",
        &kinds,
        interval(retention)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Whom a mail goes to.
#[derive(Clone, Debug)]
pub struct Addressee {
    /// Id of the account.
    pub id: UserId,
    /// Its own address, whatever was given.
    pub email: String,
    /// First name, for the salutation.
    pub first_name: Option<String>,
    /// The language last used, else that of most searches of the company's brands (decision D2).
    pub language: Option<Language>,
}

impl Addressee {
    /// The first name, else the address.
    pub fn called(&self) -> &str {
        let name = self.first_name.as_deref().map(str::trim);
        name.filter(|name| !name.is_empty()).unwrap_or(&self.email)
    }
}

/// The account that a mail goes to: the one it names, else the one with its address, whose exact spelling wins over one that differs by
/// case. `None` when there is no such account.
pub async fn addressee(executor: impl PgExecutor<'_>, mail: &ClaimedMail) -> Result<Option<Addressee>> {
    let row = sqlx::query_file!(
        "queries/mail_addressee.sql",
        mail.user.map(|user| user.0),
        &mail.recipient
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(Addressee {
            id: UserId(row.id),
            email: row.email,
            first_name: row.first_name,
            language: parse_some("user_account.language", row.language.as_deref())?,
        })
    })
    .transpose()
}

/// The first `MAX_REASON` characters.
fn cut_reason(reason: &str) -> String {
    reason.chars().take(MAX_REASON).collect()
}

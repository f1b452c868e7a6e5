//! Claims of deliveries that are due, and the fence before their bodies.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;
use vocabulary::{ActionId, ActionStatus, CaseMailKind, DeliveryId, EmailId, Language, SystemScope};

use super::brakes::{self, Hold, SendingLimits};
use super::folding::{NO_LONGER_WANTED, cancel, refold};
use crate::captures::Digest;
use crate::stored::{digest, parse, parse_some};
use crate::{Connection, Result};

/// Mails of a case that a new one refers to, the latest.
const MOST_EARLIER: i64 = 30;

/// What came of the attempt to claim a delivery.
#[derive(Debug)]
pub enum Claim {
    /// It is to be sent now, by the caller alone.
    Mine(Box<ClaimedDelivery>),
    /// It waits: a stop or a limit keeps it back.
    Held,
    /// It is not wanted any more.
    Cancelled,
    /// Somebody else has it, or it is not due.
    Gone,
}

/// A delivery that its holder may send, as long as the lease lasts.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    /// The number of the delivery.
    pub id: DeliveryId,
    pub(super) claim: Uuid,
    /// The mail that it delivers.
    pub email: EmailId,
    /// The case of the mail.
    pub action: ActionId,
    /// Attempts that the mail server has answered to, before this one.
    pub tries: u32,
    /// When the first of them began.
    pub first_tried: Option<DateTime<Utc>>,
    /// Where it goes.
    pub address: String,
    /// The name of the recipient.
    pub name: Option<String>,
    /// What the address for replies contains.
    pub reply_token: String,
    /// What the address for delivery reports contains.
    pub bounce_token: String,
    /// What the mail is for.
    pub kind: CaseMailKind,
    /// Whether Vigie wrote it, not a person.
    pub is_automatic: bool,
    /// What it is written in.
    pub language: Option<Language>,
    /// The subject line.
    pub subject: String,
    /// The whole text.
    pub body: String,
    /// The files that go with it.
    pub attachments: Vec<ClaimedAttachment>,
    /// The mails of the case before it, the oldest first.
    pub earlier: Vec<EarlierMail>,
}

/// A file that goes with a mail.
#[derive(Clone, Debug)]
pub struct ClaimedAttachment {
    /// The name that recipients see.
    pub name: String,
    /// What its content is.
    pub mime_type: String,
    /// SHA-256 of the content, by which the file store knows it.
    pub sha256: Digest,
}

/// A mail that was exchanged before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarlierMail {
    /// It came in with this Message-ID.
    Received(String),
    /// It was ours; its Message-ID follows from this token.
    Ours(String),
}

/// The deliveries that are due, the longest due first, at most `most`. None is locked: [`claim`] each.
pub async fn due(executor: impl PgExecutor<'_>, most: i64, now: DateTime<Utc>) -> Result<Vec<DeliveryId>> {
    let ids = sqlx::query_scalar!(
        "select id from mail_delivery where state in ('queued', 'held') and not_before <= $1 order by not_before, id limit $2",
        now,
        most
    );
    let ids = ids.fetch_all(executor).await?;
    Ok(ids.into_iter().map(DeliveryId).collect())
}

/// Claims a delivery for `lease`, if it is still due, and asks the guard again: the status of the case, the recipient, suppressed addresses, stops and limits.
/// Call it in a transaction of its own and commit that. What somebody else has locked is passed over.
pub async fn claim(
    connection: &mut Connection,
    system: &SystemScope,
    id: DeliveryId,
    (lease, limits): (Duration, SendingLimits),
    now: DateTime<Utc>,
) -> Result<Claim> {
    // A claim that a crash of the database takes back was of no use yet: the fence is written after it, and waits for both.
    sqlx::query("set local synchronous_commit = off")
        .execute(&mut *connection)
        .await?;
    let Some(found) = lock_due(connection, id, now).await? else {
        return Ok(Claim::Gone);
    };
    if !found.is_wanted()? {
        cancel(connection, id, NO_LONGER_WANTED, now).await?;
        refold(connection, EmailId(found.email_id)).await?;
        return Ok(Claim::Cancelled);
    }
    if let Some(held) = brakes::hold(connection, system, id, limits, now).await? {
        hold(connection, id, held, now).await?;
        return Ok(Claim::Held);
    }
    let claim = Uuid::new_v4();
    sqlx::query!(
        "update mail_delivery set state = 'sending', reason = null, claim = $2, leased_until = $3 where id = $1",
        id.0,
        claim,
        now + TimeDelta::from_std(lease).unwrap_or(TimeDelta::MAX)
    )
    .execute(&mut *connection)
    .await?;
    let attachments = attachments(connection, found.email_id).await?;
    let earlier = earlier(connection, &found).await?;
    Ok(Claim::Mine(Box::new(ClaimedDelivery {
        id,
        claim,
        email: EmailId(found.email_id),
        action: ActionId(found.action_id),
        tries: found.tries.unsigned_abs(),
        first_tried: found.first_tried_at,
        kind: parse("email.kind", &found.kind)?,
        is_automatic: found.author_id.is_none(),
        language: parse_some("email.language", found.language.as_deref())?,
        address: found.address,
        name: found.name,
        reply_token: found.reply_token,
        bounce_token: found.bounce_token,
        subject: found.subject,
        body: found.body,
        attachments,
        earlier,
    })))
}

/// A locked delivery with all that the guard asks.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct DueDelivery {
    email_id: i32,
    action_id: i32,
    status: String,
    waiting: bool,
    notified_manually: bool,
    is_of_cycle: bool,
    has_left: bool,
    is_active: bool,
    is_suppressed: bool,
    kind: String,
    author_id: Option<i32>,
    language: Option<String>,
    subject: String,
    body: String,
    address: String,
    name: Option<String>,
    reply_token: String,
    bounce_token: String,
    tries: i32,
    first_tried_at: Option<DateTime<Utc>>,
}

impl DueDelivery {
    /// Whether the mail may still go to this recipient: its kind fits the present state of the case, the contact is active and the address is not
    /// suppressed. Stops and limits do not count here. Fails when a stored kind or status is unknown.
    fn is_wanted(&self) -> Result<bool> {
        let kind: CaseMailKind = parse("email.kind", &self.kind)?;
        let status: ActionStatus = parse("action.status", &self.status)?;
        let allows = || status.after(kind.event()).is_some();
        let fits = match kind {
            // To its other recipients a mail goes on, unless Vigie wrote it and the case has moved.
            _ if self.has_left && self.author_id.is_some() => status != ActionStatus::Ignored,
            CaseMailKind::Notification if self.has_left => self.waiting && status.is_in_outreach(),
            // An advertiser that was notified by other means may have its first mail later.
            CaseMailKind::Notification => allows() && (!status.is_in_outreach() || self.notified_manually),
            CaseMailKind::Reminder => allows() && self.waiting && self.is_of_cycle,
            CaseMailKind::Answer => allows(),
        };
        Ok(fits && self.is_active && !self.is_suppressed)
    }
}

/// Locks the case, the mail and the delivery, and returns what the guard asks; `None` if one of them is locked or the delivery is not due.
async fn lock_due(connection: &mut Connection, id: DeliveryId, now: DateTime<Utc>) -> Result<Option<DueDelivery>> {
    let case = sqlx::query_scalar!(
        "select a.id from action a join email e on e.action_id = a.id join mail_delivery d on d.email_id = e.id
         where d.id = $1 and d.state in ('queued', 'held') and d.not_before <= $2 for no key update of a skip locked",
        id.0,
        now
    );
    if case.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(None);
    }
    let mail = sqlx::query_scalar!(
        "select e.id from email e join mail_delivery d on d.email_id = e.id where d.id = $1 for no key update of e skip locked",
        id.0
    );
    if mail.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(None);
    }
    let found = sqlx::query_as!(
        DueDelivery,
        r#"select d.email_id, a.id as action_id, a.status::text as "status!", coalesce(a.waiting, false) as "waiting!", a.notified_manually,
               coalesce(e.cycle = a.cycle, true) as "is_of_cycle!", e.left_at is not null as "has_left!",
               exists (select from contact c where c.id = d.contact_id and coalesce(c.state, 'active') = 'active') as "is_active!",
               exists (select from suppression s where s.digest = sha256(convert_to(lower(d.address), 'UTF8'))) as "is_suppressed!",
               e.kind as "kind!", e.author_id, e.language, coalesce(e.subject, '') as "subject!", coalesce(e.body, '') as "body!",
               d.address, (select c.name from contact c where c.id = d.contact_id) as name, d.reply_token, d.bounce_token, d.tries, d.first_tried_at
           from mail_delivery d join email e on e.id = d.email_id join action a on a.id = e.action_id
           where d.id = $1 and d.state in ('queued', 'held') and d.not_before <= $2 for update of d skip locked"#,
        id.0,
        now
    );
    Ok(found.fetch_optional(connection).await?)
}

/// Keeps a locked delivery back. The time that it is kept back for does not count as time in which it was tried.
async fn hold(connection: &mut Connection, id: DeliveryId, held: Hold, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update mail_delivery set state = 'held', reason = $2, not_before = $3, first_tried_at = first_tried_at + ($3::timestamptz - $4::timestamptz)
         where id = $1",
        id.0,
        held.reason.to_string(),
        held.until,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The files of a mail whose content is known.
async fn attachments(connection: &mut Connection, email: i32) -> Result<Vec<ClaimedAttachment>> {
    let rows = sqlx::query!(
        r#"select coalesce(name, '') as "name!", coalesce(mime_type, 'application/octet-stream') as "mime_type!", sha256 as "sha256!"
           from attachment where email_id = $1 and sha256 is not null order by id"#,
        email
    )
    .fetch_all(connection)
    .await?;
    let attachments = rows.into_iter().map(|row| {
        Ok(ClaimedAttachment {
            name: row.name,
            mime_type: row.mime_type,
            sha256: digest("attachment.sha256", &row.sha256)?,
        })
    });
    attachments.collect()
}

/// The last mails of the case that the recipient may know, the oldest first: those received, and ours as this recipient got them where it did.
async fn earlier(connection: &mut Connection, found: &DueDelivery) -> Result<Vec<EarlierMail>> {
    let rows = sqlx::query!(
        r#"select case when e.direction = 'in' then e.message_id end as received, d.bounce_token as "ours?"
           from email e left join lateral (
               select bounce_token from mail_delivery
               where email_id = e.id and state in ('sent', 'unknown') order by (lower(address) = lower($3)) desc, id limit 1
           ) d on e.direction = 'out'
           where e.action_id = $1 and e.id <> $2 and (d.bounce_token is not null or e.direction = 'in' and e.message_id is not null and e.automatic <> 'certain')
           order by coalesce(e.received_date, e.left_at, e.created_date) desc, e.id desc limit $4"#,
        found.action_id,
        found.email_id,
        found.address,
        MOST_EARLIER
    )
    .fetch_all(connection)
    .await?;
    let earlier = rows.into_iter().rev();
    let earlier = earlier.filter_map(|row| {
        row.received
            .map(EarlierMail::Received)
            .or(row.ours.map(EarlierMail::Ours))
    });
    Ok(earlier.collect())
}

/// The fence before the body: says, in the database, that the first byte is about to leave, and keeps the Message-ID. `false`, and nothing may be sent,
/// when the delivery is the caller's no longer.
pub async fn begin_body(
    executor: impl PgExecutor<'_>,
    mail: &ClaimedDelivery,
    message_id: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let fenced = sqlx::query_scalar!(
        r#"with fenced as (
               update mail_delivery set body_at = $3 where id = $1 and claim = $2 and state = 'sending' and body_at is null returning email_id
           ), known as (
               insert into email_alias (message_id, email_id, source) select $4, email_id, 'ours' from fenced on conflict do nothing
           )
           select count(*) > 0 as "fenced!" from fenced"#,
        mail.id.0,
        mail.claim,
        now,
        message_id
    );
    Ok(fenced.fetch_one(executor).await?)
}

/// Extends the lease of a claim whose dialogue goes on. `false` when it is the caller's no longer.
pub async fn renew(
    executor: impl PgExecutor<'_>,
    mail: &ClaimedDelivery,
    lease: Duration,
    now: DateTime<Utc>,
) -> Result<bool> {
    let renewed = sqlx::query!(
        "update mail_delivery set leased_until = $3 where id = $1 and claim = $2 and state = 'sending'",
        mail.id.0,
        mail.claim,
        now + TimeDelta::from_std(lease).unwrap_or(TimeDelta::MAX)
    )
    .execute(executor)
    .await?;
    Ok(renewed.rows_affected() > 0)
}

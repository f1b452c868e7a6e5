//! Mails of which nobody knows the case, with the cases they may belong to, until they are given to one or put away; for staff.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, ActionStatus, MailVerdict, Scope, UserId};

use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::{Connection, Result};

/// Cases that are suggested for one mail.
const MOST_SUGGESTIONS: i64 = 10;
/// How long a mail that was given to a case waits before it is put there, so that it can be taken back: as long as clients offer that, and a little more.
const TAKEN_BACK_FOR: TimeDelta = TimeDelta::seconds(12);

/// A mail without a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundMail {
    /// Its number in the table.
    pub id: i64,
    /// When it came in.
    pub received_at: DateTime<Utc>,
    /// How it came in: `webhook` or `imap`.
    pub source: String,
    /// Address of the sender, as the mail says it.
    pub sender: Option<String>,
    /// Name of the sender.
    pub sender_name: Option<String>,
    /// Its subject on one line.
    pub subject: String,
    /// The beginning of its text.
    pub preview: String,
    /// The recipients of its envelope.
    pub envelope_to: Vec<String>,
    /// Why it could not be read.
    pub failure: Option<String>,
    /// Cases it may belong to, the likeliest first.
    pub suggestions: Vec<SuggestedCase>,
}

/// A case that a mail may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedCase {
    /// Id of the case.
    pub action: ActionId,
    /// The advertiser's host.
    pub domain: String,
    /// The name of its brand.
    pub brand: String,
    /// Where the ads were seen, two letters.
    pub country: String,
    /// The engine that shows the ads.
    pub engine: String,
    /// Where the case is in its life.
    pub status: ActionStatus,
    /// Whether the sender is a contact of the advertiser; else only the domain of its address is that of the case.
    pub is_contact: bool,
}

/// The mails with this verdict, newest first, at most `most`. Empty unless the scope sees everything.
pub async fn list(
    connection: &mut Connection,
    scope: &Scope,
    verdict: MailVerdict,
    most: i64,
) -> Result<Vec<InboundMail>> {
    if !scope.is_everything() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query!(
        r#"select id, received_at, source, sender, sender_name, coalesce(subject, '') as "subject!", coalesce(preview, '') as "preview!", envelope_to, failure
           from inbound_mail where verdict = $1 order by received_at desc, id desc limit $2"#,
        verdict.to_string(),
        most
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut mails = Vec::with_capacity(rows.len());
    for row in rows {
        let suggestions = suggestions(&mut *connection, scope, row.sender.as_deref()).await?;
        mails.push(InboundMail {
            id: row.id,
            received_at: row.received_at,
            source: row.source,
            sender: row.sender,
            sender_name: row.sender_name,
            subject: row.subject,
            preview: row.preview,
            envelope_to: row.envelope_to,
            failure: row.failure,
            suggestions,
        });
    }
    Ok(mails)
}

/// The cases that somebody with this address may write about: those whose advertiser has the address as a contact, then those whose domain it is of.
async fn suggestions(executor: impl PgExecutor<'_>, scope: &Scope, sender: Option<&str>) -> Result<Vec<SuggestedCase>> {
    let Some((_, host)) = sender.and_then(|sender| sender.rsplit_once('@')) else {
        return Ok(Vec::new());
    };
    let lists = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"with known as (
               select d.id, d.domain from contact c join dealer_contact l on l.contact_id = c.id join dealer d on d.id = l.dealer_id
               where lower(c.email) = lower($1)
           ), found as (
               select a.id, true as is_contact from action a join known k on a.advertiser_id = k.id or a.domain = k.domain
               union all
               select a.id, false from action a
               where a.domain = lower($2) or a.advertiser_id in (select id from dealer where domain = lower($2))
           )
           select a.id, a.domain as "domain!", coalesce(b.label, b.name, '') as "brand!", a.country as "country!", a.engine::text as "engine!",
               a.status::text as "status!", bool_or(f.is_contact) as "is_contact!"
           from found f join action a on a.id = f.id left join brand b on b.id = a.brand_id
           where $3::int[] is null or a.brand_id = any($3)
           group by a.id, b.label, b.name
           order by bool_or(f.is_contact) desc, a.status in ('inprogress', 'reminded') desc, a.contacted_at desc nulls last, a.id desc limit $4"#,
        sender,
        host,
        lists.brands as Option<Vec<i32>>,
        MOST_SUGGESTIONS
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(SuggestedCase {
                action: ActionId(row.id),
                domain: row.domain,
                brand: row.brand,
                country: row.country,
                engine: row.engine,
                status: parse("action.status", &row.status)?,
                is_contact: row.is_contact,
            })
        })
        .collect()
}

/// What [`attach`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attached {
    /// A worker puts the mail into the case next.
    Yes,
    /// The mail was given to this case before.
    Already,
    /// There is no such mail, or no such case in scope.
    Unknown,
    /// The mail belongs to a case by now, or is none that could.
    Settled,
}

/// Gives a mail without a case to this one; after [`TAKEN_BACK_FOR`] a worker reads it once more and puts it there. Twice the same changes nothing.
pub async fn attach(
    connection: &mut Connection,
    scope: &Scope,
    (mail, action): (i64, ActionId),
    by: UserId,
    now: DateTime<Utc>,
) -> Result<Attached> {
    if !scope.is_everything() {
        return Ok(Attached::Unknown);
    }
    let is_there = sqlx::query_scalar!(
        "select exists (select from action where id = $1) as \"is_there!\"",
        action.0
    )
    .fetch_one(&mut *connection)
    .await?;
    let row = sqlx::query!(
        "select verdict, attached_to from inbound_mail where id = $1 for update",
        mail
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row.filter(|_| is_there) else {
        return Ok(Attached::Unknown);
    };
    if row.attached_to == Some(action.0) && row.verdict.as_deref() != Some("unmatched") {
        return Ok(Attached::Already);
    }
    if row.verdict.as_deref() != Some("unmatched") {
        return Ok(Attached::Settled);
    }
    sqlx::query!(
        "update inbound_mail set attached_to = $2, attached_by = $3, verdict = null, verdict_at = null, tries = 0, leased_until = $4, failure = null
         where id = $1",
        mail,
        action.0,
        by.0,
        now + TAKEN_BACK_FOR
    )
    .execute(connection)
    .await?;
    Ok(Attached::Yes)
}

/// Takes a mail back that was given to a case, as long as no worker has begun to put it there. `false` when it is too late, or there is no such mail.
pub async fn detach(connection: &mut Connection, scope: &Scope, mail: i64, now: DateTime<Utc>) -> Result<bool> {
    if !scope.is_everything() {
        return Ok(false);
    }
    // A mail that waits for another reason has no lease, and one that a worker has begun has a try.
    let done = sqlx::query!(
        "update inbound_mail set attached_to = null, attached_by = null, verdict = 'unmatched', verdict_at = $2, leased_until = null
         where id = $1 and verdict is null and attached_to is not null and tries = 0 and leased_until is not null",
        mail,
        now
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// What a mail without a case says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundText {
    /// The text, or of a mail read before texts were kept, its beginning.
    pub body: String,
    /// As its sender laid it out, sanitised.
    pub html: Option<String>,
}

/// The text of an unmatched or discarded mail. `None` for any other, and unless the scope sees everything.
pub async fn text(executor: impl PgExecutor<'_>, scope: &Scope, mail: i64) -> Result<Option<InboundText>> {
    if !scope.is_everything() {
        return Ok(None);
    }
    let row = sqlx::query!(
        r#"select coalesce(body, preview, '') as "body!", html from inbound_mail where id = $1 and verdict in ('unmatched', 'discarded')"#,
        mail
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| InboundText {
        body: row.body,
        html: row.html,
    }))
}

/// How many mails have no case; 0 unless the scope sees everything.
pub async fn count(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<i64> {
    if !scope.is_everything() {
        return Ok(0);
    }
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from inbound_mail where verdict = 'unmatched'"#)
        .fetch_one(executor)
        .await?;
    Ok(count)
}

/// Puts an unmatched or unreadable mail away, or with `is_discarded` false brings it back. `false` when it is none: unknown, or dealt with meanwhile.
pub async fn discard(
    connection: &mut Connection,
    scope: &Scope,
    (mail, is_discarded): (i64, bool),
    by: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    if !scope.is_everything() {
        return Ok(false);
    }
    // What could not be read has its reason.
    let done = if is_discarded {
        sqlx::query!(
            "update inbound_mail set verdict = 'discarded', verdict_at = $2, discarded_by = $3
             where id = $1 and verdict in ('unmatched', 'unreadable', 'discarded')",
            mail,
            now,
            by.0
        )
        .execute(connection)
        .await?
    } else {
        sqlx::query!(
            "update inbound_mail set verdict = case when failure is null then 'unmatched' else 'unreadable' end, verdict_at = $2, discarded_by = null
             where id = $1 and verdict = 'discarded'",
            mail,
            now
        )
        .execute(connection)
        .await?
    };
    Ok(done.rows_affected() > 0)
}

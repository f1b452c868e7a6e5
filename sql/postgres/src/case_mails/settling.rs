//! What became of deliveries, of their mails, and what follows for their cases (decision D171).

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgExecutor;
use vocabulary::{ActionEvent, ActionId, CaseMailKind, DeliveryId, DeliveryState, EmailId, SystemScope, UserId};

use super::claiming::ClaimedDelivery;
use super::folding::{add_event, lock, refold};
use crate::actions::events;
use crate::stored::{parse, parse_some};
use crate::{Connection, Result};

/// Longer words of a server are cut.
const MAX_SERVER_TEXT: usize = 500;
/// Why nobody knows what became of a delivery whose server fell silent.
const NO_REPLY: &str = "no_reply";
/// Why nobody knows what became of a delivery whose worker has gone.
const WORKER_LOST: &str = "worker_lost";

/// How an attempt ended, with what the mail server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryEnd {
    /// What became of the delivery.
    pub settled: Settled,
    /// The code of the server's last reply.
    pub code: Option<u16>,
    /// Its words, or what was wrong.
    pub text: String,
}

/// What became of a delivery in an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The server has taken it over; the Message-IDs that it is known by.
    Sent {
        /// Ours, without its brackets.
        message_id: String,
        /// What the server calls it, if it said so.
        relay_id: Option<String>,
    },
    /// It can have been taken, and nobody knows.
    Unknown,
    /// It was refused for good, or given up, for this reason.
    Failed(&'static str),
    /// It was not taken, and is tried again.
    Again {
        /// Not before this.
        at: DateTime<Utc>,
        /// When the attempt began, if it counts: one counts that the server has answered to.
        counts_since: Option<DateTime<Utc>>,
    },
}

/// Records how an attempt ended and, when the mail has thereby left, what follows for its case. `false`, and nothing is written, when the delivery is the
/// caller's no longer. Call it in a transaction of its own.
pub async fn settle(
    connection: &mut Connection,
    system: &SystemScope,
    mail: &ClaimedDelivery,
    end: &DeliveryEnd,
    now: DateTime<Utc>,
) -> Result<bool> {
    lock(connection, mail.action, mail.email).await?;
    let text: String = end
        .text
        .chars()
        .filter(|letter| *letter != '\0')
        .take(MAX_SERVER_TEXT)
        .collect();
    let code = end.code.and_then(|code| i16::try_from(code).ok());
    let (state, reason) = match &end.settled {
        Settled::Sent { .. } => (DeliveryState::Sent, None),
        Settled::Unknown => (DeliveryState::Unknown, Some(NO_REPLY)),
        Settled::Failed(reason) => (DeliveryState::Failed, Some(*reason)),
        Settled::Again { at, counts_since } => {
            return put_off(connection, mail, (*at, *counts_since), (code, &text)).await;
        }
    };
    let settled = sqlx::query!(
        "update mail_delivery set state = $3, reason = $4, settled_at = $5, smtp_code = $6, smtp_text = $7, claim = null, leased_until = null, tries = tries + 1
         where id = $1 and claim = $2 and state = 'sending'",
        mail.id.0,
        mail.claim,
        state.to_string(),
        reason,
        now,
        code,
        text
    )
    .execute(&mut *connection)
    .await?;
    if settled.rows_affected() == 0 {
        return Ok(false);
    }
    if let Settled::Sent { message_id, relay_id } = &end.settled {
        let sent = json!({"event": "sent", "date": now, "address": mail.address});
        add_event(connection, mail.email.0, sent).await?;
        name(connection, mail.email, message_id, relay_id.as_deref()).await?;
    }
    follow(connection, system, (mail.action, mail.email), state, now).await?;
    Ok(true)
}

/// Returns a delivery to the queue.
async fn put_off(
    connection: &mut Connection,
    mail: &ClaimedDelivery,
    (at, counts_since): (DateTime<Utc>, Option<DateTime<Utc>>),
    (code, text): (Option<i16>, &str),
) -> Result<bool> {
    let done = sqlx::query!(
        "update mail_delivery set state = 'queued', body_at = null, claim = null, leased_until = null, not_before = $3, smtp_code = $4, smtp_text = $5,
             tries = tries + ($6::timestamptz is not null)::int, first_tried_at = coalesce(first_tried_at, $6)
         where id = $1 and claim = $2 and state = 'sending'",
        mail.id.0,
        mail.claim,
        at,
        code,
        text,
        counts_since
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Keeps the Message-IDs of a mail that was sent.
async fn name(connection: &mut Connection, email: EmailId, ours: &str, relay: Option<&str>) -> Result<()> {
    sqlx::query!(
        "update email set message_id = coalesce(message_id, $2) where id = $1",
        email.0,
        ours
    )
    .execute(&mut *connection)
    .await?;
    if let Some(relay) = relay {
        sqlx::query!(
            "insert into email_alias (message_id, email_id, source) values ($1, $2, 'relay') on conflict do nothing",
            relay,
            email.0
        )
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// Brings a locked mail up to its deliveries after one of them was settled as `state`, and its locked case up to the mail if that has left now.
async fn follow(
    connection: &mut Connection,
    system: &SystemScope,
    (action, email): (ActionId, EmailId),
    state: DeliveryState,
    now: DateTime<Utc>,
) -> Result<()> {
    refold(connection, email).await?;
    if !matches!(state, DeliveryState::Sent | DeliveryState::Unknown) {
        return Ok(());
    }
    let left = sqlx::query!(
        r#"update email set left_at = $2, sended_date = $2 where id = $1 and left_at is null returning kind as "kind!", then_event, author_id"#,
        email.0,
        now
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(left) = left else { return Ok(()) };
    let kind: CaseMailKind = parse("email.kind", &left.kind)?;
    let then = match left.then_event.as_deref() {
        Some("accept") => Some(ActionEvent::Accept),
        Some("refuse") => Some(ActionEvent::Refuse),
        _ => None,
    };
    let author = left.author_id.map(UserId);
    events::mail_left(connection, system, action, (kind.event(), then), author, now).await?;
    // An answer that came while the body left: it is our turn.
    sqlx::query!(
        "update action set waiting = false where id = $1 and waiting and replied_at >= (select min(body_at) from mail_delivery where email_id = $2)",
        action.0,
        email.0
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The deliveries whose lease has run out: their workers are gone, or stalled.
pub async fn expired(executor: impl PgExecutor<'_>, most: i64, now: DateTime<Utc>) -> Result<Vec<DeliveryId>> {
    let ids = sqlx::query_scalar!(
        "select id from mail_delivery where state = 'sending' and leased_until <= $1 order by leased_until limit $2",
        now,
        most
    );
    let ids = ids.fetch_all(executor).await?;
    Ok(ids.into_iter().map(DeliveryId).collect())
}

/// Takes a delivery from a worker whose lease has run out: it is queued again if its body had not begun to leave, else nobody knows what became of it.
/// Call it in a transaction of its own.
pub async fn reap(connection: &mut Connection, system: &SystemScope, id: DeliveryId, now: DateTime<Utc>) -> Result<()> {
    let mail = sqlx::query!(
        r#"select e.action_id as "action_id!", e.id from mail_delivery d join email e on e.id = d.email_id where d.id = $1 and e.action_id is not null"#,
        id.0
    );
    let Some(mail) = mail.fetch_optional(&mut *connection).await? else {
        return Ok(());
    };
    let (action, email) = (ActionId(mail.action_id), EmailId(mail.id));
    lock(connection, action, email).await?;
    let state = sqlx::query_scalar!(
        "update mail_delivery set state = case when body_at is null then 'queued' else 'unknown' end, claim = null, leased_until = null,
             settled_at = case when body_at is not null then $2 end, reason = case when body_at is not null then $3 end
         where id = $1 and state = 'sending' and leased_until <= $2 returning state",
        id.0,
        now,
        WORKER_LOST
    )
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(state) = parse_some("mail_delivery.state", state.as_deref())? {
        follow(connection, system, (action, email), state, now).await?;
    }
    Ok(())
}

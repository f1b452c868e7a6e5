//! What the deliveries of a mail come to, what happened to it, and cancelling what has not left.

use chrono::{DateTime, Utc};
use vocabulary::{ActionId, DeliveryId, DeliveryState, EmailId, MailStatus};

use crate::stored::parse;
use crate::{Connection, Result};

/// Why a delivery is cancelled whose case, recipient or address has changed.
pub(super) const NO_LONGER_WANTED: &str = "no_longer_wanted";

/// Locks a case and a mail of it until the transaction ends, in this order.
pub(super) async fn lock(connection: &mut Connection, action: ActionId, email: EmailId) -> Result<()> {
    sqlx::query!("select id from action where id = $1 for update", action.0)
        .fetch_optional(&mut *connection)
        .await?;
    sqlx::query!("select id from email where id = $1 for no key update", email.0)
        .fetch_optional(connection)
        .await?;
    Ok(())
}

/// Sets the status of a locked mail to what its deliveries come to.
pub(crate) async fn refold(connection: &mut Connection, email: EmailId) -> Result<MailStatus> {
    let states = sqlx::query_scalar!("select state from mail_delivery where email_id = $1", email.0)
        .fetch_all(&mut *connection)
        .await?;
    let states: Vec<DeliveryState> = states
        .iter()
        .map(|state| parse("mail_delivery.state", state))
        .collect::<Result<_>>()?;
    let fold = MailStatus::of_deliveries(&states);
    sqlx::query!(
        "update email set status = $2 where id = $1 and status is distinct from $2",
        email.0,
        fold.to_string()
    )
    .execute(connection)
    .await?;
    Ok(fold)
}

/// Cancels a locked delivery, for a reason.
pub(super) async fn cancel(
    connection: &mut Connection,
    id: DeliveryId,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update mail_delivery set state = 'cancelled', reason = $2, settled_at = $3, claim = null, leased_until = null where id = $1",
        id.0,
        reason,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Cancels the reminders of locked cases that have not begun to leave.
pub(crate) async fn cancel_reminders(connection: &mut Connection, actions: &[i32], now: DateTime<Utc>) -> Result<()> {
    if actions.is_empty() {
        return Ok(());
    }
    let mails = sqlx::query_scalar!(
        "select id from email where action_id = any($1) and kind = 'reminder' and status = 'queued' order by id for no key update",
        actions
    )
    .fetch_all(&mut *connection)
    .await?;
    if mails.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update mail_delivery set state = 'cancelled', reason = $2, settled_at = $3, claim = null, leased_until = null
         where email_id = any($1) and (state in ('queued', 'held') or state = 'sending' and body_at is null)",
        &mails,
        NO_LONGER_WANTED,
        now
    )
    .execute(&mut *connection)
    .await?;
    for mail in mails {
        refold(connection, EmailId(mail)).await?;
    }
    Ok(())
}

/// Adds an event to a mail.
pub(super) async fn add_event(connection: &mut Connection, email: i32, event: serde_json::Value) -> Result<()> {
    sqlx::query!(
        "update email set events = case jsonb_typeof(events) when 'array' then events else '[]' end || jsonb_build_array($2::jsonb) where id = $1",
        email,
        event
    )
    .execute(connection)
    .await?;
    Ok(())
}

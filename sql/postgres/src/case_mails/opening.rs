//! Whether a mail was opened, as far as a picture in it can say that (decisions D149, D179); only where that is switched on.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgExecutor;
use vocabulary::{ActionId, EmailId, SystemScope};

use super::claiming::ClaimedDelivery;
use super::folding::{add_event, lock};
use super::queueing::token;
use crate::{Connection, Result};

/// What the address of the picture in a claimed delivery contains, the same in every attempt. `None` when the delivery is the caller's no longer.
pub async fn open_token(executor: impl PgExecutor<'_>, mail: &ClaimedDelivery) -> Result<Option<String>> {
    let stored = sqlx::query_scalar!(
        r#"update mail_delivery set open_token = coalesce(open_token, $3) where id = $1 and claim = $2 returning open_token as "open_token!""#,
        mail.id.0,
        mail.claim,
        token()
    );
    Ok(stored.fetch_optional(executor).await?)
}

/// Notes that the picture with this token was loaded for the first time. `false`, and nothing is written, for an unknown token, a mail that has not begun to
/// leave, and every later time. Call it in a transaction of its own.
pub async fn opened(
    connection: &mut Connection,
    _system: &SystemScope,
    token: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let found = sqlx::query!(
        r#"select e.id, e.action_id as "action_id!" from mail_delivery d join email e on e.id = d.email_id
           where d.open_token = $1 and d.opened_at is null and d.body_at is not null and e.action_id is not null"#,
        token
    );
    let Some(mail) = found.fetch_optional(&mut *connection).await? else {
        return Ok(false);
    };
    lock(connection, ActionId(mail.action_id), EmailId(mail.id)).await?;
    let noted = sqlx::query!(
        "update mail_delivery set opened_at = $2 where open_token = $1 and opened_at is null",
        token,
        now
    )
    .execute(&mut *connection)
    .await?;
    if noted.rows_affected() == 0 {
        return Ok(false);
    }
    add_event(connection, mail.id, json!({"event": "opened", "date": now})).await?;
    Ok(true)
}

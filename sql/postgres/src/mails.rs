//! Mail on its way out: queued with the change that asks for it.

use serde_json::Value as Json;
use sqlx::PgExecutor;

use crate::Result;

/// A mail to be sent.
#[derive(Clone, Copy, Debug)]
pub struct NewMail<'a> {
    /// What makes it unique: the same key is queued once.
    pub business_key: &'a str,
    /// Kind of its template.
    pub kind: &'a str,
    /// To whom.
    pub recipient: &'a str,
    /// What the template is filled with.
    pub context: &'a Json,
}

/// Queues a mail. Call it in the transaction of the change, so that neither happens without the other.
pub async fn queue(executor: impl PgExecutor<'_>, mail: &NewMail<'_>) -> Result<()> {
    let queue = sqlx::query(
        "insert into mail_outbox (business_key, kind, recipients, context, message_id)
         values ($1, $2, jsonb_build_array($3::text), $4, gen_random_uuid()::text) on conflict (business_key) do nothing",
    );
    queue
        .bind(mail.business_key)
        .bind(mail.kind)
        .bind(mail.recipient)
        .bind(mail.context)
        .execute(executor)
        .await?;
    Ok(())
}

//! Erasures that a restored backup does not know of.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use super::erase::{Erased, erase};
use crate::captures::Digest;
use crate::stored::digest;
use crate::{Connection, Result};

/// The digests of all addresses that were erased, ascending.
pub async fn erased(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<Digest>> {
    let found = sqlx::query_scalar!("select digest from suppression where address is null order by digest")
        .fetch_all(executor)
        .await?;
    found
        .into_iter()
        .map(|found| digest("suppression.digest", &found))
        .collect()
}

/// Erases every address with one of these digests that contacts, mails or notes name, and keeps the other digests among those that nobody writes to.
/// Reads all texts that may name an address.
pub async fn erase_again(
    connection: &mut Connection,
    system: &SystemScope,
    digests: &[Digest],
    now: DateTime<Utc>,
) -> Result<Vec<Erased>> {
    let digests: Vec<Vec<u8>> = digests.iter().map(|digest| digest.to_vec()).collect();
    let named = sqlx::query_scalar!(
        r#"with texts (content) as (
               select email from contact union all select notes from contact
               union all select address from mail_delivery
               union all select concat_ws(' ', subject, body, html, email::text) from email
               union all select concat_ws(' ', envelope_from, array_to_string(envelope_to, ' '), sender, sender_name, subject, preview, body, html)
                   from inbound_mail
               union all select encode(raw, 'escape') from inbound_mail
               union all select message from note union all select note from dealer union all select note from action
               union all select concat(action, history, notes) from action_archive union all select rows::text from deleted_with
           )
           select distinct lower(found[1]) as "address!"
           from texts, regexp_matches(content, '[[:alnum:]._%+-]+@[[:alnum:]-]+(?:\.[[:alnum:]-]+)+', 'g') as found
           where position('@' in content) > 0 and sha256(convert_to(lower(found[1]), 'UTF8')) = any($1)"#,
        &digests
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut done = Vec::with_capacity(named.len());
    for address in named {
        done.extend(erase(&mut *connection, system, &address, now).await?);
    }
    sqlx::query!(
        "insert into suppression (digest, reason, at) select digest, 'asked', $2 from unnest($1::bytea[]) as digest
         on conflict (digest) do update set address = null",
        &digests,
        now
    )
    .execute(connection)
    .await?;
    Ok(done)
}

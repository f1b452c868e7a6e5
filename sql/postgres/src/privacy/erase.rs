//! Erasing an address.

use chrono::{DateTime, Utc};
use vocabulary::{EmailId, Scope};

use crate::actions::events::user_of;
use crate::captures::Digest;
use crate::case_mails::folding::refold;
use crate::stored::digest;
use crate::{Connection, Result};

/// What was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// SHA-256 of the address in lower case, which is all that is left of it.
    pub digest: Digest,
    /// Contacts that were deleted.
    pub contacts: u64,
    /// Mails without their texts and attachments now.
    pub mails: u64,
    /// Deliveries that no longer name the address.
    pub deliveries: u64,
    /// Mails whose source, as they came in, is gone.
    pub received: u64,
    /// Notes that no longer name it.
    pub notes: u64,
    /// The content of the attachments that were deleted; it is not deleted here.
    pub files: Vec<Digest>,
}

/// Erases an address, in any case: its contacts, the texts and attachments of mails to, from or naming it, and its name in deliveries and notes.
/// Deliveries that wait are cancelled. Rows of mails, histories and counts stay, and the address as a digest among those that nobody writes to. `None`,
/// and nothing is changed, for a scope that does not see everything.
pub async fn erase(
    connection: &mut Connection,
    scope: &Scope,
    address: &str,
    now: DateTime<Utc>,
) -> Result<Option<Erased>> {
    if !scope.is_everything() {
        return Ok(None);
    }
    let address = address.to_lowercase();
    let mails = sqlx::query_scalar!(r#"select mails_naming($1) as "id!""#, address)
        .fetch_all(&mut *connection)
        .await?;
    let received = sqlx::query!(
        "update inbound_mail set raw = '', envelope_from = null, envelope_to = '{}', body = null, html = null,
             sender = null, sender_name = null, subject = null, preview = null,
             verdict = coalesce(verdict, 'unreadable'), verdict_at = coalesce(verdict_at, $2), failure = null
         where id in (select inbound_mails_naming($1))",
        address,
        now
    )
    .execute(&mut *connection)
    .await?;
    let files = sqlx::query_scalar!(
        "delete from attachment where email_id = any($1) returning sha256",
        &mails
    )
    .fetch_all(&mut *connection)
    .await?;
    let erased = sqlx::query!(
        "update email set subject = '', body = '', html = null, email = null, events = null, erased_at = $2 where id = any($1)",
        &mails,
        now
    )
    .execute(&mut *connection)
    .await?;
    let deliveries = sqlx::query!(
        "update mail_delivery set address = encode(sha256(convert_to($1, 'UTF8')), 'hex'), smtp_text = null, contact_id = null,
             state = case when state in ('queued', 'held') then 'cancelled' else state end,
             reason = case when state in ('queued', 'held') then 'erased' else reason end,
             settled_at = case when state in ('queued', 'held') then $2 else settled_at end
         where lower(address) = $1",
        address,
        now
    )
    .execute(&mut *connection)
    .await?;
    // Nobody is sent a mail whose text is gone.
    sqlx::query!(
        "update mail_delivery set state = 'cancelled', reason = 'erased', settled_at = $2 where email_id = any($1) and state in ('queued', 'held')",
        &mails,
        now
    )
    .execute(&mut *connection)
    .await?;
    for mail in &mails {
        refold(&mut *connection, EmailId(*mail)).await?;
    }
    let contacts = sqlx::query!("delete from contact where lower(email) = $1", address)
        .execute(&mut *connection)
        .await?;
    let notes = sqlx::query_scalar!(
        r#"with changed as (
               update note set message = regexp_replace(message, address_pattern($1), '…', 'gi'), updated_date = $2
               where names_address(message, $1) returning 1
           ), of_dealers as (
               update dealer set note = regexp_replace(note, address_pattern($1), '…', 'gi') where names_address(note, $1) returning 1
           ), of_contacts as (
               update contact set notes = regexp_replace(notes, address_pattern($1), '…', 'gi') where names_address(notes, $1) returning 1
           ), of_actions as (
               update action set note = regexp_replace(note, address_pattern($1), '…', 'gi') where names_address(note, $1) returning 1
           )
           select (select count(*) from changed) + (select count(*) from of_dealers) + (select count(*) from of_contacts)
               + (select count(*) from of_actions) as "count!""#,
        address,
        now
    )
    .fetch_one(&mut *connection)
    .await?;
    redact_deleted(&mut *connection, &address).await?;
    let kept = sqlx::query_scalar!(
        "insert into suppression (digest, reason, at, by_user) values (sha256(convert_to($1, 'UTF8')), 'asked', $2, $3)
         on conflict (digest) do update set address = null returning digest",
        address,
        now,
        user_of(scope)
    )
    .fetch_one(connection)
    .await?;
    let files: Result<Vec<Digest>> = files
        .into_iter()
        .flatten()
        .map(|file| digest("attachment.sha256", &file))
        .collect();
    Ok(Some(Erased {
        digest: digest("suppression.digest", &kept)?,
        contacts: contacts.rows_affected(),
        mails: erased.rows_affected(),
        deliveries: deliveries.rows_affected(),
        received: received.rows_affected(),
        notes: notes.unsigned_abs(),
        files: files?,
    }))
}

/// Takes an address out of what is kept of deleted rows.
async fn redact_deleted(connection: &mut Connection, address: &str) -> Result<()> {
    sqlx::query!(
        "update action_archive set action = without_address(action, $1), history = without_address(history, $1), notes = without_address(notes, $1)
         where names_address(concat(action, history, notes), $1)",
        address
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update deleted_with set rows = without_address(rows, $1) where names_address(rows::text, $1)",
        address
    )
    .execute(connection)
    .await?;
    Ok(())
}

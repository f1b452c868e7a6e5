//! Which case a mail belongs to, by what it knows of our mails (decision D173). Its sender says nothing.

use sqlx::PgExecutor;
use vocabulary::{ActionId, MailToken, SystemScope};

use crate::Result;

/// The delivery that a token was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenOwner {
    /// The delivery of our mail.
    pub delivery: i64,
    /// The case, unless it was deleted.
    pub action: Option<ActionId>,
    /// The address that the mail went to.
    pub address: String,
}

/// The deliveries whose replies come back to these tokens, oldest first.
pub async fn by_reply_tokens(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    tokens: &[MailToken],
) -> Result<Vec<TokenOwner>> {
    let rows = sqlx::query!(
        "select d.id, d.address, e.action_id from mail_delivery d join email e on e.id = d.email_id
         where d.reply_token = any($1) order by d.id",
        &letters(tokens)
    )
    .fetch_all(executor)
    .await?;
    let owners = rows.into_iter().map(|row| TokenOwner {
        delivery: row.id,
        action: row.action_id.map(ActionId),
        address: row.address,
    });
    Ok(owners.collect())
}

/// The deliveries whose reports come back to these tokens, oldest first.
pub async fn by_bounce_tokens(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    tokens: &[MailToken],
) -> Result<Vec<TokenOwner>> {
    let rows = sqlx::query!(
        "select d.id, d.address, e.action_id from mail_delivery d join email e on e.id = d.email_id
         where d.bounce_token = any($1) order by d.id",
        &letters(tokens)
    )
    .fetch_all(executor)
    .await?;
    let owners = rows.into_iter().map(|row| TokenOwner {
        delivery: row.id,
        action: row.action_id.map(ActionId),
        address: row.address,
    });
    Ok(owners.collect())
}

/// A mail of a case that has a Message-ID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMail {
    /// The case it is in.
    pub action: ActionId,
    /// Its subject as stored.
    pub subject: String,
}

/// The mails of cases that are known by any of these Message-IDs, whatever their direction, oldest first. The ids are without brackets.
pub async fn by_message_ids(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    ids: &[String],
) -> Result<Vec<KnownMail>> {
    let rows = sqlx::query!(
        r#"select e.action_id as "action!", coalesce(e.subject, '') as "subject!" from email e
           where e.action_id is not null and e.status <> 'draft' and e.id in (
               select id from email where message_id = any($1)
               union select email_id from email_alias where message_id = any($1)
           ) order by e.id"#,
        &in_both_forms(ids)
    )
    .fetch_all(executor)
    .await?;
    let known = rows.into_iter().map(|row| KnownMail {
        action: ActionId(row.action),
        subject: row.subject,
    });
    Ok(known.collect())
}

/// Whether a mail with this Message-ID is one of ours that went out.
pub async fn is_ours(executor: impl PgExecutor<'_>, _system: &SystemScope, id: &str) -> Result<bool> {
    let found = sqlx::query_scalar!(
        r#"select exists (
               select from email where message_id = any($1) and direction = 'out'
               union all select from email_alias where message_id = any($1) and source <> 'sender'
           ) as "found!""#,
        &in_both_forms(&[id.to_owned()])
    )
    .fetch_one(executor)
    .await?;
    Ok(found)
}

/// The letters of tokens, as they are stored.
fn letters(tokens: &[MailToken]) -> Vec<String> {
    tokens.iter().map(|token| token.as_str().to_owned()).collect()
}

/// Message-IDs with and without the brackets that surround them in a mail: both are stored.
fn in_both_forms(ids: &[String]) -> Vec<String> {
    ids.iter().flat_map(|id| [id.clone(), format!("<{id}>")]).collect()
}

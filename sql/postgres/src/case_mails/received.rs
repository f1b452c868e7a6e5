//! Mails of advertisers in their cases: how they get there, who has read them, and whether a person wrote them.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use vocabulary::{ActionEvent, ActionId, Automatic, EmailId, Scope, SystemScope, UserId};

use crate::actions::events;
use crate::captures::Digest;
use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::{Connection, Result};

/// A mail as it was read.
#[derive(Clone, Debug)]
pub struct ReceivedMail {
    /// The row of `inbound_mail`.
    pub inbound: i64,
    /// Address of the sender.
    pub sender: Option<String>,
    /// Name of the sender.
    pub sender_name: Option<String>,
    /// Its recipients, as it names them.
    pub recipients: Vec<String>,
    /// Its subject on one line.
    pub subject: String,
    /// What it says, as text.
    pub text: String,
    /// Its sanitised HTML part.
    pub html: Option<String>,
    /// Its Message-ID, without brackets.
    pub message_id: Option<String>,
    /// What it answers, without brackets.
    pub in_reply_to: Option<String>,
    /// The mailbox that it was read from.
    pub mailbox: Option<String>,
    /// Whether a machine wrote it.
    pub automatic: Automatic,
    /// When it came in.
    pub received_at: DateTime<Utc>,
    /// Its files, whose content is in the file store.
    pub attachments: Vec<ReceivedFile>,
}

/// A file of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedFile {
    /// Its name, harmless on any system.
    pub name: String,
    /// What it is, by its content.
    pub mime_type: String,
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// Length of the content.
    pub bytes: i64,
}

/// What [`put_into_case`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// The mail is in the case now.
    New(EmailId),
    /// The mail was in the case before.
    Already,
    /// There is no such case.
    NoCase,
}

/// Puts a mail into a case, once. A person's mail is a reply; one that a machine may have written counts, is unread and stops the waiting until somebody
/// says what it is; one that a machine certainly wrote only lies there.
pub async fn put_into_case(
    connection: &mut Connection,
    system: &SystemScope,
    mail: &ReceivedMail,
    action: ActionId,
    now: DateTime<Utc>,
) -> Result<Filed> {
    // The case is locked before its mails, here and wherever mails are read.
    let locked = sqlx::query_scalar!("select id from action where id = $1 for update", action.0)
        .fetch_optional(&mut *connection)
        .await?;
    if locked.is_none() {
        return Ok(Filed::NoCase);
    }
    let envelope = json!({
        "from": {"address": mail.sender, "name": mail.sender_name},
        "to": mail.recipients,
    });
    let id = sqlx::query_scalar!(
        "insert into email (action_id, direction, status, email, subject, body, html, created_date, received_date, open, automatic, message_id, in_reply_to,
             mailbox, inbound_id)
         values ($1, 'in', 'received', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         on conflict (inbound_id, action_id) where inbound_id is not null do nothing returning id",
        action.0,
        envelope as Value,
        mail.subject,
        mail.text,
        mail.html,
        now,
        mail.received_at,
        mail.automatic == Automatic::Certain,
        mail.automatic.to_string(),
        mail.message_id,
        mail.in_reply_to,
        mail.mailbox,
        mail.inbound
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(id) = id else { return Ok(Filed::Already) };
    if let Some(message_id) = &mail.message_id {
        sqlx::query!(
            "insert into email_alias (message_id, email_id, source) values ($1, $2, 'sender') on conflict do nothing",
            message_id,
            id
        )
        .execute(&mut *connection)
        .await?;
    }
    for file in &mail.attachments {
        sqlx::query!(
            "insert into attachment (email_id, name, mime_type, sha256, bytes) values ($1, $2, $3, $4, $5)",
            id,
            file.name,
            file.mime_type,
            &file.sha256[..],
            file.bytes
        )
        .execute(&mut *connection)
        .await?;
    }
    match mail.automatic {
        Automatic::No => {
            events::apply(connection, system, ActionEvent::Reply, &[action], now).await?;
        }
        Automatic::Maybe => {
            sqlx::query!(
                "update action set received_count = coalesce(received_count, 0) + 1, unread_count = coalesce(unread_count, 0) + 1, waiting = false,
                     updated_date = $2 where id = $1",
                action.0,
                now
            )
            .execute(connection)
            .await?;
        }
        // Pages that show the case learn of it.
        Automatic::Certain => {
            sqlx::query!("update action set updated_date = $2 where id = $1", action.0, now)
                .execute(connection)
                .await?;
        }
    }
    Ok(Filed::New(EmailId(id)))
}

/// What [`mark_read`] and [`rule`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// It is so now, or was so before.
    Done(ActionId),
    /// There is no such mail of an advertiser, or it is out of scope.
    Unknown,
    /// A mail of which this was decided the other way.
    Decided,
}

/// A mail of an advertiser, locked with its case until the transaction ends.
struct LockedMail {
    action: ActionId,
    is_open: bool,
    automatic: Automatic,
}

/// Locks a received mail and its case; `None` for any other mail, and for one out of scope.
async fn lock(connection: &mut Connection, scope: &Scope, mail: EmailId) -> Result<Option<LockedMail>> {
    let lists = ScopeLists::from_scope(scope);
    let action = sqlx::query_scalar!(
        "select a.id from action a where a.id = (select action_id from email where id = $1 and direction = 'in' and status = 'received')
             and ($2::int[] is null or a.brand_id = any($2)) for update",
        mail.0,
        lists.brands as Option<Vec<i32>>
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(action) = action else { return Ok(None) };
    let row = sqlx::query!(
        r#"select coalesce(open, false) as "is_open!", automatic from email where id = $1 and action_id = $2 for update"#,
        mail.0,
        action
    )
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        Ok(LockedMail {
            action: ActionId(action),
            is_open: row.is_open,
            automatic: parse("email.automatic", &row.automatic)?,
        })
    })
    .transpose()
}

/// Marks a mail of an advertiser as read or unread, with the reader, and moves the count of its case with it. Twice the same changes nothing.
pub async fn mark_read(
    connection: &mut Connection,
    scope: &Scope,
    (mail, reader): (EmailId, UserId),
    is_read: bool,
    now: DateTime<Utc>,
) -> Result<Marked> {
    let Some(locked) = lock(&mut *connection, scope, mail).await? else {
        return Ok(Marked::Unknown);
    };
    // What a machine certainly wrote is never unread.
    if locked.is_open == is_read || locked.automatic == Automatic::Certain {
        return Ok(Marked::Done(locked.action));
    }
    sqlx::query!(
        "update email set open = $2, read_by = case when $2 then $3::int end, read_at = case when $2 then $4::timestamptz end where id = $1",
        mail.0,
        is_read,
        reader.0,
        now
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update action set unread_count = greatest(coalesce(unread_count, 0) + case when $2 then -1 else 1 end, 0), updated_date = $3 where id = $1",
        locked.action.0,
        is_read,
        now
    )
    .execute(connection)
    .await?;
    Ok(Marked::Done(locked.action))
}

/// Records whether a machine wrote a mail that is in doubt. If so, the mail no longer counts, and the case waits for the advertiser again unless
/// something else has come since our last mail; if not, the mail is a reply. The same decision twice changes nothing; the opposite of an earlier one
/// is refused as [`Marked::Decided`].
pub async fn rule(
    connection: &mut Connection,
    scope: &Scope,
    (mail, reader): (EmailId, UserId),
    is_automatic: bool,
    now: DateTime<Utc>,
) -> Result<Marked> {
    let Some(locked) = lock(&mut *connection, scope, mail).await? else {
        return Ok(Marked::Unknown);
    };
    let decided = if is_automatic {
        Automatic::Certain
    } else {
        Automatic::No
    };
    if locked.automatic == decided {
        return Ok(Marked::Done(locked.action));
    }
    if locked.automatic != Automatic::Maybe {
        return Ok(Marked::Decided);
    }
    sqlx::query!(
        "update email set automatic = $2, open = open or $3, read_by = case when $3 then coalesce(read_by, $4) else read_by end,
             read_at = case when $3 then coalesce(read_at, $5) else read_at end where id = $1",
        mail.0,
        decided.to_string(),
        is_automatic,
        reader.0,
        now
    )
    .execute(&mut *connection)
    .await?;
    // It was counted when it came; a reply counts it once more.
    sqlx::query!(
        "update action set received_count = greatest(coalesce(received_count, 0) - 1, 0),
             unread_count = greatest(coalesce(unread_count, 0) - (not $2)::int, 0), updated_date = $3 where id = $1",
        locked.action.0,
        locked.is_open,
        now
    )
    .execute(&mut *connection)
    .await?;
    if is_automatic {
        wait_again(connection, locked.action).await?;
    } else {
        let system = SystemScope::new("a person's reply");
        events::apply(&mut *connection, &system, ActionEvent::Reply, &[locked.action], now).await?;
        sqlx::query!(
            "update action set unread_count = greatest(unread_count - $2::int, 0) where id = $1",
            locked.action.0,
            i32::from(locked.is_open)
        )
        .execute(connection)
        .await?;
    }
    Ok(Marked::Done(locked.action))
}

/// Waits for the advertiser again, if mails are exchanged and nothing that may be an answer has come since our last mail.
async fn wait_again(connection: &mut Connection, action: ActionId) -> Result<()> {
    sqlx::query!(
        "update action a set waiting = true
         where a.id = $1 and a.status in ('inprogress', 'reminded') and a.contacted_at is not null
             and coalesce(a.replied_at <= a.contacted_at, true)
             and not exists (
                 select from email e where e.action_id = a.id and e.status = 'received' and e.automatic <> 'certain' and e.created_date > a.contacted_at
             )",
        action.0
    )
    .execute(connection)
    .await?;
    Ok(())
}

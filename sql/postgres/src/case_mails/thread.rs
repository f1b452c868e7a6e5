//! The mails that were exchanged in a case, as its page shows them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use vocabulary::{
    ActionId, AttachmentId, CaseMailKind, ContactId, DeliveryId, DeliveryState, EmailId, Language, MailStatus, Scope,
    UserId,
};

use crate::captures::Digest;
use crate::scoped::ScopeLists;
use crate::stored::{digest, parse, parse_some};
use crate::{Connection, Result};

/// Mails of a case that are shown, the latest.
const MOST_MAILS: i64 = 500;

/// A user as others name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedUser {
    /// The number of the account.
    pub id: UserId,
    /// First and last name, else the address.
    pub name: String,
}

/// A mail of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadMail {
    /// By which the API names it.
    pub id: EmailId,
    /// The case that it belongs to.
    pub action: ActionId,
    /// Whether it came in; else it is ours.
    pub is_received: bool,
    /// What ours is for.
    pub kind: Option<CaseMailKind>,
    /// The number of a reminder in its cycle.
    pub reminder: Option<i32>,
    /// Where it is on its way.
    pub status: MailStatus,
    /// The subject line.
    pub subject: String,
    /// The whole text.
    pub body: String,
    /// The sanitised HTML of a received one.
    pub html: Option<String>,
    /// Address and name of the sender of a received one.
    pub from: Option<(String, Option<String>)>,
    /// The user that wrote ours; `None` for Vigie.
    pub author: Option<NamedUser>,
    /// When it was written or stored.
    pub created: Option<DateTime<Utc>>,
    /// When it left.
    pub sent: Option<DateTime<Utc>>,
    /// When it came in.
    pub received: Option<DateTime<Utc>>,
    /// Whether a received one was read.
    pub is_open: bool,
    /// The reader of a received one.
    pub reader: Option<NamedUser>,
    /// Whether a machine wrote a received one: `no`, `maybe` or `certain`.
    pub automatic: String,
    /// What happens to the case once ours has left.
    pub then: Option<String>,
    /// The kind of template that ours was made from.
    pub template_type: Option<String>,
    /// What ours is written in.
    pub language: Option<Language>,
    /// The files that go with it.
    pub files: Vec<CaseFile>,
    /// Ours on its way to each recipient, without those that were taken back.
    pub deliveries: Vec<ThreadDelivery>,
}

/// A file of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    /// By which the API names it.
    pub id: AttachmentId,
    /// The name that readers see.
    pub name: String,
    /// What its content is.
    pub mime_type: String,
    /// Length of the content, 0 where it is not known.
    pub bytes: i64,
}

/// A mail on its way to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadDelivery {
    /// By which the API names it.
    pub id: DeliveryId,
    /// The recipient; `None` once the contact is gone.
    pub contact: Option<ContactId>,
    /// Where it goes.
    pub address: String,
    /// Where it is.
    pub state: DeliveryState,
    /// Why it is held, failed, unknown or cancelled.
    pub reason: Option<String>,
    /// The code of the mail server's last reply.
    pub code: Option<i16>,
    /// What the server said with it.
    pub text: Option<String>,
    /// It does not leave before this.
    pub not_before: DateTime<Utc>,
    /// Attempts that the mail server has answered to.
    pub tries: i32,
    /// When it came to its end.
    pub settled: Option<DateTime<Utc>>,
    /// What a person found out: `arrived` or `lost`.
    pub ruling: Option<String>,
    /// When a delivery report said that it bounced.
    pub bounced: Option<DateTime<Utc>>,
    /// When the picture in it was loaded first, which mail programs do by themselves, too.
    pub opened: Option<DateTime<Utc>>,
}

/// The mails of a case, drafts left out, the oldest first; `one` alone where it is given. None for a case that the scope does not see.
pub async fn thread(
    connection: &mut Connection,
    scope: &Scope,
    action: ActionId,
    one: Option<EmailId>,
) -> Result<Vec<ThreadMail>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select e.id, e.direction, e.kind, e.reminder_number, coalesce(e.status, '') as "status!", coalesce(e.subject, '') as "subject!",
               coalesce(e.body, '') as "body!", e.html, e.email -> 'from' as "sender: Value", e.created_date, e.sended_date, e.received_date,
               coalesce(e.open, false) as "is_open!", e.automatic, e.then_event, e.template_type, e.language,
               author.id as "author_id?", coalesce(nullif(btrim(concat_ws(' ', author.first_name, author.last_name)), ''), author.email) as author,
               reader.id as "reader_id?", coalesce(nullif(btrim(concat_ws(' ', reader.first_name, reader.last_name)), ''), reader.email) as reader
           from email e join action a on a.id = e.action_id
               left join user_account author on author.id = e.author_id left join user_account reader on reader.id = e.read_by
           where e.action_id = $2 and ($1::int[] is null or a.brand_id = any($1)) and ($3::int is null or e.id = $3)
               and e.status in ('queued', 'sent', 'failed', 'unknown', 'received')
           order by e.created_date desc nulls last, e.id desc limit $4"#,
        bounds.brands as Option<Vec<i32>>,
        action.0,
        one.map(|one| one.0),
        MOST_MAILS
    )
    .fetch_all(&mut *connection)
    .await?;
    let ids: Vec<i32> = rows.iter().map(|row| row.id).collect();
    let mut files = files(connection, &ids).await?;
    let mut deliveries = deliveries(connection, &ids).await?;
    let named =
        |id: Option<i32>, name: Option<String>| id.zip(name).map(|(id, name)| NamedUser { id: UserId(id), name });
    let mails = rows.into_iter().rev().map(|row| {
        let id = EmailId(row.id);
        let word = |key: &str| row.sender.as_ref()?.get(key)?.as_str().map(str::to_owned);
        Ok(ThreadMail {
            id,
            action,
            is_received: row.direction == "in",
            kind: parse_some("email.kind", row.kind.as_deref())?,
            reminder: row.reminder_number,
            status: parse("email.status", &row.status)?,
            from: word("address").map(|address| (address, word("name"))),
            subject: row.subject,
            body: row.body,
            html: row.html,
            author: named(row.author_id, row.author),
            created: row.created_date,
            sent: row.sended_date,
            received: row.received_date,
            is_open: row.is_open,
            reader: named(row.reader_id, row.reader),
            automatic: row.automatic,
            then: row.then_event,
            template_type: row.template_type,
            language: parse_some("email.language", row.language.as_deref())?,
            files: files.remove(&id).unwrap_or_default(),
            deliveries: deliveries.remove(&id).unwrap_or_default(),
        })
    });
    mails.collect()
}

/// The files of mails, in the order in which they were added.
pub(super) async fn files(connection: &mut Connection, mails: &[i32]) -> Result<BTreeMap<EmailId, Vec<CaseFile>>> {
    let rows = sqlx::query!(
        r#"select id, email_id as "email!", coalesce(name, '') as "name!", coalesce(mime_type, 'application/octet-stream') as "mime_type!",
               coalesce(bytes, 0) as "bytes!"
           from attachment where email_id = any($1) order by id"#,
        mails
    )
    .fetch_all(connection)
    .await?;
    let mut files = BTreeMap::<EmailId, Vec<CaseFile>>::new();
    for row in rows {
        files.entry(EmailId(row.email)).or_default().push(CaseFile {
            id: AttachmentId(row.id),
            name: row.name,
            mime_type: row.mime_type,
            bytes: row.bytes,
        });
    }
    Ok(files)
}

/// The deliveries of mails.
async fn deliveries(connection: &mut Connection, mails: &[i32]) -> Result<BTreeMap<EmailId, Vec<ThreadDelivery>>> {
    let rows = sqlx::query!(
        "select id, email_id, contact_id, address, state, reason, smtp_code, smtp_text, not_before, tries, settled_at, ruling, bounced_at, opened_at
         from mail_delivery where email_id = any($1) and reason is distinct from 'undone' order by id",
        mails
    )
    .fetch_all(connection)
    .await?;
    let mut deliveries = BTreeMap::<EmailId, Vec<ThreadDelivery>>::new();
    for row in rows {
        deliveries
            .entry(EmailId(row.email_id))
            .or_default()
            .push(ThreadDelivery {
                id: DeliveryId(row.id),
                contact: row.contact_id.map(ContactId),
                address: row.address,
                state: parse("mail_delivery.state", &row.state)?,
                reason: row.reason,
                code: row.smtp_code,
                text: row.smtp_text,
                not_before: row.not_before,
                tries: row.tries,
                settled: row.settled_at,
                ruling: row.ruling,
                bounced: row.bounced_at,
                opened: row.opened_at,
            });
    }
    Ok(deliveries)
}

/// The case of a mail; `None` for a mail of none, or of one that the scope does not see.
pub async fn case_of(connection: &mut Connection, scope: &Scope, mail: EmailId) -> Result<Option<ActionId>> {
    let bounds = ScopeLists::from_scope(scope);
    let action = sqlx::query_scalar!(
        "select a.id from email e join action a on a.id = e.action_id where e.id = $2 and ($1::int[] is null or a.brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        mail.0
    );
    Ok(action.fetch_optional(connection).await?.map(ActionId))
}

/// A file of a mail of a case with its content's name; of a draft, for its author alone. `None` for any other, and for one without content.
pub async fn file(
    connection: &mut Connection,
    scope: &Scope,
    reader: UserId,
    action: ActionId,
    id: AttachmentId,
) -> Result<Option<(CaseFile, Digest)>> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select t.id, coalesce(t.name, '') as "name!", coalesce(t.mime_type, 'application/octet-stream') as "mime_type!", coalesce(t.bytes, 0) as "bytes!",
               t.sha256 as "sha256!"
           from attachment t join email e on e.id = t.email_id join action a on a.id = e.action_id
           where t.id = $2 and a.id = $3 and t.sha256 is not null and ($1::int[] is null or a.brand_id = any($1))
               and (e.status <> 'draft' or e.author_id = $4)"#,
        bounds.brands as Option<Vec<i32>>,
        id.0,
        action.0,
        reader.0
    )
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        let file = CaseFile {
            id: AttachmentId(row.id),
            name: row.name,
            mime_type: row.mime_type,
            bytes: row.bytes,
        };
        Ok((file, digest("attachment.sha256", &row.sha256)?))
    })
    .transpose()
}

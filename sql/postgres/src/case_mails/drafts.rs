//! Mails that staff writes: the one draft of each author in a case, its way out and back.

use chrono::{DateTime, Utc};
use vocabulary::{
    ActionEvent, ActionId, ActionStatus, AttachmentId, CaseMailKind, ContactId, EmailId, FileId, Language, Scope,
    TemplateId, UserId,
};

use super::folding::{lock, refold};
use super::queueing::{MailSlot, deliver, is_taken, lock_cycle, recipients};
use super::thread::{CaseFile, case_of, files};
use crate::stored::{parse, parse_some};
use crate::{Connection, Result};

/// Why a delivery is cancelled whose mail was taken back.
const UNDONE: &str = "undone";

/// A mail that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Its id, which stays when it is sent.
    pub id: EmailId,
    /// Raised by each change.
    pub version: i32,
    /// Whom it goes to.
    pub to: Vec<ContactId>,
    /// The subject line.
    pub subject: String,
    /// The whole text.
    pub body: String,
    /// The version of the template that it was begun from.
    pub template: Option<TemplateId>,
    /// What it is written in.
    pub language: Option<Language>,
    /// The files that go with it.
    pub files: Vec<CaseFile>,
    /// When it was last changed.
    pub updated: Option<DateTime<Utc>>,
}

/// What a draft is to say.
#[derive(Clone, Debug)]
pub struct DraftText<'a> {
    /// Whom it goes to; those that are no contacts of the advertiser are left out.
    pub to: &'a [ContactId],
    /// The subject line.
    pub subject: &'a str,
    /// The whole text.
    pub body: &'a str,
    /// The version of the template that it was begun from.
    pub template: Option<TemplateId>,
    /// What it is written in.
    pub language: Language,
    /// Its files; those that it had and that are not here are deleted.
    pub files: &'a [DraftFile],
}

/// A file of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftFile {
    /// It has it already.
    Kept(AttachmentId),
    /// One that the author has uploaded.
    Uploaded(FileId),
}

/// What [`save`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftSaved {
    /// It is saved.
    Saved(Draft),
    /// Nothing was saved: the draft has another version, or is there no more.
    Changed(Option<Draft>),
    /// Nothing was saved: a file is not one of the author's.
    UnknownFile,
    /// Nothing was saved: there is no such template.
    UnknownTemplate,
    /// The scope does not see the case.
    NoCase,
}

/// How a draft is to leave.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The version of the draft that the author sees.
    pub version: i32,
    /// The last mail of the case that the author sees.
    pub seen: Option<EmailId>,
    /// `Accept` or `Refuse`: happens to the case once the mail has left.
    pub then: Option<ActionEvent>,
    /// It does not leave before this.
    pub not_before: DateTime<Utc>,
}

/// What [`send`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftSent {
    /// It is on its way.
    Queued(EmailId),
    /// The draft has another version, or is there no more.
    Changed(Option<Draft>),
    /// A mail of the case is newer than what the author sees.
    Arrived,
    /// The status of the case allows no such mail, or not what is to happen after it.
    NotAllowed,
    /// Nobody of those that it goes to can be written to.
    Nobody,
    /// The scope does not see the case.
    NoCase,
}

/// What [`undo`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It is a draft again.
    Draft(Draft),
    /// It is leaving, or has left.
    Leaving,
    /// There is no such mail of a person.
    NoMail,
}

/// The draft of an author in a case that the caller has found in scope.
pub async fn own(connection: &mut Connection, action: ActionId, author: UserId) -> Result<Option<Draft>> {
    let row = sqlx::query!(
        r#"select e.id, e.draft_version, coalesce(e.subject, '') as "subject!", coalesce(e.body, '') as "body!", e.template_id, e.language, e.created_date,
               array(select r.contact_id from email_recipient r where r.email_id = e.id order by r.id) as "to!"
           from email e where e.action_id = $1 and e.author_id = $2 and e.status = 'draft'"#,
        action.0,
        author.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let id = EmailId(row.id);
    let files = files(connection, &[row.id]).await?.remove(&id).unwrap_or_default();
    Ok(Some(Draft {
        id,
        version: row.draft_version,
        to: row.to.into_iter().map(ContactId).collect(),
        subject: row.subject,
        body: row.body,
        template: row.template_id.map(TemplateId),
        language: parse_some("email.language", row.language.as_deref())?,
        files,
        updated: row.created_date,
    }))
}

/// Saves the draft of an author over its `version`, 0 for a new one. Roll back unless it is saved.
pub async fn save(
    connection: &mut Connection,
    scope: &Scope,
    (action, author, version): (ActionId, UserId, i32),
    text: &DraftText<'_>,
    now: DateTime<Utc>,
) -> Result<DraftSaved> {
    if lock_cycle(connection, scope, action).await?.is_none() {
        return Ok(DraftSaved::NoCase);
    }
    let before = own(connection, action, author).await?;
    if before.as_ref().map_or(0, |draft| draft.version) != version {
        return Ok(DraftSaved::Changed(before));
    }
    let saved = sqlx::query_scalar!(
        "insert into email (action_id, direction, status, author_id, subject, body, template_id, language, created_date, draft_version)
         values ($1, 'out', 'draft', $2, $3, $4, $5, $6, $7, 1)
         on conflict (action_id, author_id) where status = 'draft' and author_id is not null do update
             set subject = $3, body = $4, template_id = $5, language = $6, created_date = $7, draft_version = email.draft_version + 1
         returning id",
        action.0,
        author.0,
        text.subject,
        text.body,
        text.template.map(|template| template.0),
        text.language.to_string(),
        now
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(crate::Error::from);
    let id = match saved {
        Ok(id) => EmailId(id),
        Err(error) if error.violates_reference() => return Ok(DraftSaved::UnknownTemplate),
        Err(error) => return Err(error),
    };
    let to: Vec<i32> = text.to.iter().map(|contact| contact.0).collect();
    sqlx::query!("delete from email_recipient where email_id = $1", id.0)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "insert into email_recipient (email_id, contact_id)
         select $1, t.id from unnest($2::int[]) with ordinality as t (id, place)
         where exists (
             select from dealer_contact l join action a on a.id = $3
             where l.contact_id = t.id and l.dealer_id in (a.advertiser_id, (select own.id from dealer own where own.domain = a.domain))
         )
         order by t.place on conflict do nothing",
        id.0,
        &to,
        action.0
    )
    .execute(&mut *connection)
    .await?;
    if !set_files(connection, id, author, text.files).await? {
        return Ok(DraftSaved::UnknownFile);
    }
    Ok(own(connection, action, author)
        .await?
        .map_or(DraftSaved::NoCase, DraftSaved::Saved))
}

/// Makes these the files of a draft; `false` if one is not the author's.
async fn set_files(connection: &mut Connection, draft: EmailId, author: UserId, files: &[DraftFile]) -> Result<bool> {
    let kept: Vec<i32> = files
        .iter()
        .filter_map(|file| match file {
            DraftFile::Kept(id) => Some(id.0),
            DraftFile::Uploaded(_) => None,
        })
        .collect();
    sqlx::query!(
        "delete from attachment where email_id = $1 and id <> all($2::int[])",
        draft.0,
        &kept
    )
    .execute(&mut *connection)
    .await?;
    let left = sqlx::query_scalar!(
        r#"select count(*) as "count!" from attachment where email_id = $1"#,
        draft.0
    )
    .fetch_one(&mut *connection)
    .await?;
    if usize::try_from(left) != Ok(kept.len()) {
        return Ok(false);
    }
    for file in files {
        let DraftFile::Uploaded(file) = file else { continue };
        let added = sqlx::query!(
            "insert into attachment (email_id, name, mime_type, sha256, bytes)
             select $1, name, mime_type, sha256, bytes from file where id = $2 and owner_id = $3 and purpose = 'attachment' and sha256 is not null",
            draft.0,
            file.0,
            author.0
        )
        .execute(&mut *connection)
        .await?;
        if added.rows_affected() == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Throws the draft of an author in a case away that the caller has found in scope.
pub async fn discard(connection: &mut Connection, action: ActionId, author: UserId) -> Result<()> {
    sqlx::query!(
        "delete from email where action_id = $1 and author_id = $2 and status = 'draft'",
        action.0,
        author.0
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Sends the draft of an author: a notification where the case has had none, else an answer.
pub async fn send(
    connection: &mut Connection,
    scope: &Scope,
    (action, author): (ActionId, UserId),
    departure: &Departure,
    now: DateTime<Utc>,
) -> Result<DraftSent> {
    let Some(cycle) = lock_cycle(connection, scope, action).await? else {
        return Ok(DraftSent::NoCase);
    };
    let draft = match own(connection, action, author).await? {
        Some(draft) if draft.version == departure.version => draft,
        other => return Ok(DraftSent::Changed(other)),
    };
    if is_newer_there(connection, action, departure.seen).await? {
        return Ok(DraftSent::Arrived);
    }
    let status = sqlx::query_scalar!(
        r#"select status::text as "status!" from action where id = $1"#,
        action.0
    )
    .fetch_one(&mut *connection)
    .await?;
    let status: ActionStatus = parse("action.status", &status)?;
    let Some(kind) = kind_in(status, departure.then) else {
        return Ok(DraftSent::NotAllowed);
    };
    let recipients = recipients(connection, action, &draft.to).await?;
    if recipients.is_empty() {
        return Ok(DraftSent::Nobody);
    }
    let slot = MailSlot {
        action: action.0,
        kind,
        cycle,
        reminder: None,
    };
    if is_taken(connection, &slot, true).await? {
        return Ok(DraftSent::Arrived);
    }
    sqlx::query!(
        "update email set status = 'queued', kind = $2, template_type = $2, cycle = $3, then_event = $4, created_date = $5, open = true where id = $1",
        draft.id.0,
        kind.to_string(),
        cycle,
        departure.then.map(|event| event.to_string()),
        now
    )
    .execute(&mut *connection)
    .await?;
    deliver(connection, draft.id, &slot, &recipients, departure.not_before, now).await?;
    Ok(DraftSent::Queued(draft.id))
}

/// What a person's mail is for in a case of this status; `None` where none may leave, or where `then` may not follow.
fn kind_in(status: ActionStatus, then: Option<ActionEvent>) -> Option<CaseMailKind> {
    let kind = match status {
        ActionStatus::New | ActionStatus::Reappearance | ActionStatus::Requested | ActionStatus::Blocked => {
            CaseMailKind::Notification
        }
        _ => CaseMailKind::Answer,
    };
    let next = status.after(kind.event())?;
    match then {
        Some(then) => next.after(then).map(|_| kind),
        None => Some(kind),
    }
}

/// Whether a mail of a case is newer than the last one that somebody sees.
async fn is_newer_there(connection: &mut Connection, action: ActionId, seen: Option<EmailId>) -> Result<bool> {
    let newer = sqlx::query_scalar!(
        r#"select exists (
               select from email e left join email s on s.id = $2 and s.action_id = $1
               where e.action_id = $1 and e.status <> 'draft' and (s.id is null or (e.created_date, e.id) > (s.created_date, s.id))
           ) as "newer!""#,
        action.0,
        seen.map(|seen| seen.0)
    );
    Ok(newer.fetch_one(connection).await?)
}

/// Takes a person's mail back as long as every delivery of it waits: it is a draft of its author again. What the author has begun meanwhile is put after it.
pub async fn undo(connection: &mut Connection, scope: &Scope, mail: EmailId, now: DateTime<Utc>) -> Result<Undone> {
    let Some(action) = case_of(connection, scope, mail).await? else {
        return Ok(Undone::NoMail);
    };
    lock(connection, action, mail).await?;
    let author = sqlx::query_scalar!(
        "select author_id from email where id = $1 and direction = 'out' and author_id is not null and status <> 'draft'",
        mail.0
    );
    let Some(author) = author.fetch_optional(&mut *connection).await?.flatten().map(UserId) else {
        return Ok(Undone::NoMail);
    };
    sqlx::query!(
        "update mail_delivery set state = 'cancelled', reason = $2, settled_at = $3 where email_id = $1 and state in ('queued', 'held')",
        mail.0,
        UNDONE,
        now
    )
    .execute(&mut *connection)
    .await?;
    let counts = sqlx::query!(
        r#"select count(*) filter (where state <> 'cancelled') as "others!", count(*) filter (where state = 'cancelled' and settled_at = $2 and reason = $3) as "taken!"
           from mail_delivery where email_id = $1"#,
        mail.0,
        now,
        UNDONE
    )
    .fetch_one(&mut *connection)
    .await?;
    if counts.others > 0 || counts.taken == 0 {
        return Ok(Undone::Leaving);
    }
    let later = own(connection, action, author).await?;
    if let Some(later) = &later {
        sqlx::query!(
            "update attachment set email_id = $2 where email_id = $1",
            later.id.0,
            mail.0
        )
        .execute(&mut *connection)
        .await?;
        discard(connection, action, author).await?;
    }
    let more = later.as_ref().map_or("", |later| later.body.trim());
    sqlx::query!(
        "update email set status = 'draft', kind = null, cycle = null, then_event = null, draft_version = greatest(draft_version, $2) + 1, created_date = $3,
             body = case when $4 = '' or position($4 in coalesce(body, '')) > 0 then body else concat_ws(E'\n\n', body, $4) end
         where id = $1",
        mail.0,
        later.as_ref().map_or(0, |later| later.version),
        now,
        more
    )
    .execute(&mut *connection)
    .await?;
    Ok(own(connection, action, author)
        .await?
        .map_or(Undone::NoMail, Undone::Draft))
}

/// Records what a person found out about the deliveries of a mail that are unknown: they arrived, or were lost. A mail that nobody got does not count.
/// `false`, and nothing is written, when none is unknown. The caller has found the mail in scope.
pub async fn rule(
    connection: &mut Connection,
    (action, mail): (ActionId, EmailId),
    arrived: bool,
    by: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    lock(connection, action, mail).await?;
    let ruled = sqlx::query!(
        "update mail_delivery set state = case when $2 then 'sent' else 'failed' end, ruling = case when $2 then 'arrived' else 'lost' end,
             ruled_by = $3, ruled_at = $4
         where email_id = $1 and state = 'unknown'",
        mail.0,
        arrived,
        by.0,
        now
    )
    .execute(&mut *connection)
    .await?;
    if ruled.rows_affected() == 0 {
        return Ok(false);
    }
    if refold(connection, mail).await? == vocabulary::MailStatus::Failed {
        sqlx::query!(
            "update action set sended_count = greatest(sended_count - 1, 0), updated_date = $2 where id = $1",
            action.0,
            now
        )
        .execute(connection)
        .await?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_writes_first_and_then_answers_and_closes_what_can_be_closed() {
        use ActionStatus::{Accepted, Blocked, Ignored, Reminded, Requested};
        for (status, then, kind) in [
            (Requested, None, Some(CaseMailKind::Notification)),
            (Blocked, Some(ActionEvent::Accept), Some(CaseMailKind::Notification)),
            (Reminded, Some(ActionEvent::Refuse), Some(CaseMailKind::Answer)),
            (Accepted, None, Some(CaseMailKind::Answer)),
            (Accepted, Some(ActionEvent::Accept), None),
            (Ignored, None, None),
        ] {
            assert_eq!(kind_in(status, then), kind, "{status} {then:?}");
        }
    }
}

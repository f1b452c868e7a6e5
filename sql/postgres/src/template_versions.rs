//! Versions of templates, of mails to advertisers and of alerts alike.

use chrono::{DateTime, Utc};
use vocabulary::{BrandId, Language, Scope, TemplateId, UserId};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A version that is to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewVersion<'a> {
    /// What its mails are for: a value of `email_template.type`.
    pub(crate) kind: &'a str,
    pub(crate) language: Language,
    pub(crate) label: &'a str,
    /// The brand it is for; `None` for all.
    pub(crate) brand: Option<BrandId>,
    /// The reminder it is for; `None` for any, and for other kinds.
    pub(crate) reminder: Option<u32>,
    pub(crate) subject: &'a str,
    pub(crate) body: &'a str,
}

/// Stores a version with its number; of a first one (`None`) the id is that of the template. An error for a brand that the scope does not see.
pub(crate) async fn store(
    connection: &mut Connection,
    scope: &Scope,
    new: NewVersion<'_>,
    (first, number): (Option<TemplateId>, i32),
    (author, now): (UserId, DateTime<Utc>),
) -> Result<TemplateId> {
    let bounds = ScopeLists::from_scope(scope);
    let id = sqlx::query_scalar!(
        "insert into email_template (id, first_version_id, type, language, label, brand_id, reminder_number, subject, body, version, author_id, created_at)
         select n.id, coalesce($2, n.id), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
         from (select nextval(pg_get_serial_sequence('email_template', 'id'))::int as id) n
         where $1::int[] is null or $6::int = any($1)
         returning id",
        bounds.brands as Option<Vec<i32>>,
        first.map(|first| first.0),
        new.kind,
        new.language.to_string(),
        new.label,
        new.brand.map(|brand| brand.0),
        new.reminder.and_then(|number| i32::try_from(number).ok()),
        new.subject,
        new.body,
        number,
        author.0,
        now
    )
    .fetch_one(connection)
    .await?;
    Ok(TemplateId(id))
}

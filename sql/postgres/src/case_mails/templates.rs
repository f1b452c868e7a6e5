//! Templates of the mails to advertisers. A version that was used never changes: a change makes the next one (decision D181).

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CaseMailKind, Language, Scope, TemplateId, UserId};

use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::template_versions::{self, NewVersion};
use crate::{Connection, Result};

/// A version of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The number of the version.
    pub id: TemplateId,
    /// What all versions of a template share: the number of the first.
    pub first: TemplateId,
    /// What it says and what for.
    pub facts: TemplateFacts,
    /// The name of its brand on screens; `None` for all brands.
    pub brand_label: Option<String>,
    /// Which version it is, from 1.
    pub version: i32,
    /// Whether it is the newest and not put away.
    pub is_active: bool,
    /// Name of the person who wrote it; `None` for one that came with the program.
    pub author: Option<String>,
    /// When it was written.
    pub created: DateTime<Utc>,
    /// What came of the mails that it was used for.
    pub uses: TemplateUses,
}

/// What came of the mails of a version. A mail counts from when it left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateUses {
    /// Mails that were made from it, whatever became of them.
    pub made: i64,
    /// Mails that left.
    pub sent: i64,
    /// Those after which the advertiser wrote.
    pub replied: i64,
    /// Those whose case was accepted within 30 days.
    pub accepted: i64,
    /// Those whose case reappeared within 90 days.
    pub reappeared: i64,
}

/// What a template says, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFacts {
    /// What its mails are for.
    pub kind: CaseMailKind,
    /// What it is written in.
    pub language: Language,
    /// Its name in lists.
    pub label: String,
    /// The brand it is for; `None` for all.
    pub brand: Option<BrandId>,
    /// The reminder it is for; `None` for any, and for other kinds.
    pub reminder: Option<u32>,
    /// The subject, as a template.
    pub subject: String,
    /// The text, as a template.
    pub body: String,
}

/// What [`change`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateChange {
    /// The version was never used and has changed.
    Same,
    /// The version stays as it was; this one is the newest.
    Next(TemplateId),
    /// There is no such version, or it is not the newest.
    Outdated,
}

/// Which templates are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateQuery {
    /// Those of this kind.
    pub kind: Option<CaseMailKind>,
    /// Those in this language.
    pub language: Option<Language>,
    /// Those for this brand and for all brands.
    pub brand: Option<BrandId>,
    /// All versions of the template with this first one, put away or not.
    pub versions_of: Option<TemplateId>,
    /// This version alone, put away or not.
    pub id: Option<TemplateId>,
}

/// The active templates of a query, those of brands before those for all, by kind, reminder, name and language; all versions of one, the newest first.
/// Templates of brands that the scope does not see are left out.
pub async fn list(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    query: TemplateQuery,
    limit: i64,
) -> Result<Vec<Template>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select t.id, t.first_version_id, t.type, t.language, t.label, t.brand_id, t.reminder_number, t.subject, t.body, t.version, t.is_active,
               t.created_at, nullif(concat_ws(' ', u.first_name, u.last_name), '') as author, coalesce(nullif(b.label, ''), b.name) as brand_label,
               uses.made as "made!", uses.sent as "sent!", uses.replied as "replied!", uses.accepted as "accepted!", uses.reappeared as "reappeared!"
           from email_template t left join user_account u on u.id = t.author_id left join brand b on b.id = t.brand_id
               cross join lateral (
                   select count(*) filter (where e.status <> 'draft') as made,
                       count(*) filter (where e.left_at is not null) as sent,
                       count(*) filter (where exists (
                           select from email r where r.action_id = e.action_id and r.direction = 'in' and r.automatic = 'no' and r.received_date > e.left_at
                       )) as replied,
                       count(*) filter (where exists (
                           select from action_history h where h.action_id = e.action_id and h.status = 'accepted'
                               and h.at between e.left_at and e.left_at + interval '30 days'
                       )) as accepted,
                       count(*) filter (where exists (
                           select from action_history h where h.action_id = e.action_id and h.status = 'reappearance'
                               and h.at between e.left_at and e.left_at + interval '90 days'
                       )) as reappeared
                   from email e where e.template_id = t.id
               ) uses
           where t.type in ('notification', 'reminder', 'answer')
               and ($1::int[] is null or t.brand_id is null or t.brand_id = any($1))
               and ($2::text is null or t.type = $2) and ($3::text is null or t.language = $3)
               and ($4::int is null or t.brand_id is null or t.brand_id = $4)
               and ($5::int is null or t.first_version_id = $5) and ($6::int is null or t.id = $6)
               and (t.is_active or $5 is not null or $6 is not null)
           order by case t.type when 'notification' then 1 when 'reminder' then 2 else 3 end, t.reminder_number nulls last,
               t.brand_id nulls last, t.label, t.language, t.version desc, t.id
           limit $7"#,
        bounds.brands as Option<Vec<i32>>,
        query.kind.map(|kind| kind.to_string()),
        query.language.map(|language| language.to_string()),
        query.brand.map(|brand| brand.0),
        query.versions_of.map(|id| id.0),
        query.id.map(|id| id.0),
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Template {
                id: TemplateId(row.id),
                first: TemplateId(row.first_version_id),
                facts: TemplateFacts {
                    kind: parse("email_template.type", &row.r#type)?,
                    language: parse("email_template.language", &row.language)?,
                    label: row.label,
                    brand: row.brand_id.map(BrandId),
                    reminder: row.reminder_number.map(i32::unsigned_abs),
                    subject: row.subject,
                    body: row.body,
                },
                brand_label: row.brand_label,
                version: row.version,
                is_active: row.is_active,
                author: row.author,
                created: row.created_at,
                uses: TemplateUses {
                    made: row.made,
                    sent: row.sent,
                    replied: row.replied,
                    accepted: row.accepted,
                    reappeared: row.reappeared,
                },
            })
        })
        .collect()
}

/// The template that Vigie writes a notification or reminder with: one of the brand, else one for all; of reminders the one for this number, else for the
/// nearest before it, else for any. Of several the first by name. `None` without a template in this language.
pub fn choose(
    templates: &[Template],
    (kind, reminder): (CaseMailKind, Option<u32>),
    language: Language,
    brand: Option<BrandId>,
) -> Option<&Template> {
    let fits = |template: &&Template| {
        let facts = &template.facts;
        facts.kind == kind
            && facts.language == language
            && (facts.brand.is_none() || facts.brand == brand)
            && facts.reminder <= reminder
    };
    // The last of equals is the maximum, and the first by name is wanted.
    let ranked = templates.iter().filter(fits).rev();
    ranked.max_by_key(|template| (template.facts.brand.is_some(), template.facts.reminder))
}

/// Stores the first version of a template.
pub async fn add(
    connection: &mut Connection,
    scope: &Scope,
    facts: &TemplateFacts,
    (author, now): (UserId, DateTime<Utc>),
) -> Result<TemplateId> {
    insert(connection, scope, facts, (None, 1), (author, now)).await
}

/// Changes the newest version `id` of a template, or puts it away: in place if no mail was made from it, else as the next version.
pub async fn change(
    connection: &mut Connection,
    scope: &Scope,
    id: TemplateId,
    (facts, is_active): (&TemplateFacts, bool),
    (author, now): (UserId, DateTime<Utc>),
) -> Result<TemplateChange> {
    let known = sqlx::query!(
        r#"select first_version_id, version, subject, body, label, language, brand_id, reminder_number, type,
               id = (select max(n.id) from email_template n where n.first_version_id = t.first_version_id) as "is_newest!",
               exists (select from email e where e.template_id = t.id and e.status <> 'draft') as "is_used!"
           from email_template t where id = $1 for update"#,
        id.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(known) = known.filter(|known| known.is_newest) else {
        return Ok(TemplateChange::Outdated);
    };
    let says_the_same = known.subject == facts.subject
        && known.body == facts.body
        && known.label == facts.label
        && known.language == facts.language.to_string()
        && known.r#type == facts.kind.to_string()
        && known.brand_id == facts.brand.map(|brand| brand.0)
        && known.reminder_number.map(i32::unsigned_abs) == facts.reminder;
    if known.is_used && !says_the_same {
        sqlx::query!("update email_template set is_active = false where id = $1", id.0)
            .execute(&mut *connection)
            .await?;
        let place = (Some(TemplateId(known.first_version_id)), known.version + 1);
        let next = insert(&mut *connection, scope, facts, place, (author, now)).await?;
        if !is_active {
            sqlx::query!("update email_template set is_active = false where id = $1", next.0)
                .execute(connection)
                .await?;
        }
        return Ok(TemplateChange::Next(next));
    }
    sqlx::query!(
        "update email_template set type = $2, language = $3, label = $4, brand_id = $5, reminder_number = $6, subject = $7, body = $8, is_active = $9,
             author_id = case when $10 then author_id else $11 end, created_at = case when $10 then created_at else $12 end
         where id = $1",
        id.0,
        facts.kind.to_string(),
        facts.language.to_string(),
        facts.label,
        facts.brand.map(|brand| brand.0),
        facts.reminder.and_then(|number| i32::try_from(number).ok()),
        facts.subject,
        facts.body,
        is_active,
        says_the_same,
        author.0,
        now
    )
    .execute(connection)
    .await?;
    Ok(TemplateChange::Same)
}

/// Stores a version, as [`template_versions::store`] does.
async fn insert(
    connection: &mut Connection,
    scope: &Scope,
    facts: &TemplateFacts,
    place: (Option<TemplateId>, i32),
    author: (UserId, DateTime<Utc>),
) -> Result<TemplateId> {
    let new = NewVersion {
        kind: &facts.kind.to_string(),
        language: facts.language,
        label: &facts.label,
        brand: facts.brand,
        reminder: facts.reminder,
        subject: &facts.subject,
        body: &facts.body,
    };
    template_versions::store(connection, scope, new, place, author).await
}

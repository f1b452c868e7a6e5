//! Texts of alerts, which their owners choose in place of that of the product (decisions D150, D181). A changed text is a new version; those before it are
//! kept as they were sent.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, Language, Scope, TemplateId, UserId};

use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::template_versions::{self, NewVersion};
use crate::{Connection, Result};

/// Texts of one answer at most.
const MOST: i64 = 500;

/// What the mails of an alert say, as a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertText {
    /// What it is written in.
    pub language: Language,
    /// The subject, as a template.
    pub subject: String,
    /// The text, as a template.
    pub body: String,
}

/// A text as it is written, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertTextFacts {
    /// Its name in lists.
    pub label: String,
    /// The brand whose alerts can have it; `None` for all.
    pub brand: Option<BrandId>,
    /// What it says.
    pub text: AlertText,
}

/// The newest version of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAlertText {
    /// Id of the version.
    pub id: TemplateId,
    /// The number of the version, from 1.
    pub version: i32,
    /// What it is.
    pub facts: AlertTextFacts,
    /// The name of its brand on screens; `None` for all brands.
    pub brand_label: Option<String>,
    /// Alerts that have it.
    pub alerts: i64,
}

/// The texts that alerts of brands in scope can have, those for all brands first, by name; with `brand`, those of alerts of this one.
pub async fn list(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brand: Option<BrandId>,
) -> Result<Vec<StoredAlertText>> {
    read(executor, scope, brand, None).await
}

/// The newest version `id` of a text. `None` without one in scope, and for one that was put away or has a newer version.
pub async fn get(executor: impl PgExecutor<'_>, scope: &Scope, id: TemplateId) -> Result<Option<StoredAlertText>> {
    Ok(read(executor, scope, None, Some(id)).await?.pop())
}

async fn read(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brand: Option<BrandId>,
    id: Option<TemplateId>,
) -> Result<Vec<StoredAlertText>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select t.id, t.version, t.label, t.brand_id, coalesce(nullif(b.label, ''), b.name) as brand_label, t.language, t.subject, t.body,
               (select count(*) from alert a join email_template v on v.id = a.template_id where v.first_version_id = t.first_version_id) as "alerts!"
           from email_template t left join brand b on b.id = t.brand_id
           where t.type = 'alert' and t.is_active
               and ($1::int[] is null or t.brand_id is null or t.brand_id = any($1))
               and ($2::int is null or t.brand_id is null or t.brand_id = $2) and ($3::int is null or t.id = $3)
           order by t.brand_id nulls first, t.label, t.language, t.id limit $4"#,
        bounds.brands as Option<Vec<i32>>,
        brand.map(|brand| brand.0),
        id.map(|id| id.0),
        MOST
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(StoredAlertText {
                id: TemplateId(row.id),
                version: row.version,
                brand_label: row.brand_label,
                alerts: row.alerts,
                facts: AlertTextFacts {
                    label: row.label,
                    brand: row.brand_id.map(BrandId),
                    text: AlertText {
                        language: parse("email_template.language", &row.language)?,
                        subject: row.subject,
                        body: row.body,
                    },
                },
            })
        })
        .collect()
}

/// Stores a text. The caller has found its brand in scope.
pub async fn add(
    connection: &mut Connection,
    scope: &Scope,
    facts: &AlertTextFacts,
    author: (UserId, DateTime<Utc>),
) -> Result<TemplateId> {
    insert(connection, scope, facts, (None, 1), author).await
}

/// Puts the newest version `id` of a text away and, with `facts`, stores the next one, which its alerts have from now on. `None` when nothing is stored;
/// `false` when there is no such version in scope, or it is not the newest.
pub async fn replace(
    connection: &mut Connection,
    scope: &Scope,
    id: TemplateId,
    facts: Option<&AlertTextFacts>,
    author: (UserId, DateTime<Utc>),
) -> Result<(bool, Option<TemplateId>)> {
    let bounds = ScopeLists::from_scope(scope);
    let former = sqlx::query!(
        "update email_template set is_active = false
         where id = $2 and type = 'alert' and is_active and ($1::int[] is null or brand_id is null or brand_id = any($1))
         returning first_version_id, version",
        bounds.brands as Option<Vec<i32>>,
        id.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(former) = former else { return Ok((false, None)) };
    let Some(facts) = facts else { return Ok((true, None)) };
    let place = (Some(TemplateId(former.first_version_id)), former.version + 1);
    let next = insert(connection, scope, facts, place, author).await?;
    Ok((true, Some(next)))
}

async fn insert(
    connection: &mut Connection,
    scope: &Scope,
    facts: &AlertTextFacts,
    place: (Option<TemplateId>, i32),
    author: (UserId, DateTime<Utc>),
) -> Result<TemplateId> {
    let new = NewVersion {
        kind: "alert",
        language: facts.text.language,
        label: &facts.label,
        brand: facts.brand,
        reminder: None,
        subject: &facts.text.subject,
        body: &facts.text.body,
    };
    template_versions::store(connection, scope, new, place, author).await
}

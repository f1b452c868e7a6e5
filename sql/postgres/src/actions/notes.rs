//! Notes on cases and on advertisers, always within one brand (decision D52).

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, Scope};

use super::events::user_of;
use crate::Result;
use crate::scoped::ScopeLists;

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum NoteSubject {
    /// One action alone.
    Action,
    /// An advertiser of a brand in one country, on all engines.
    Advertiser,
    /// An advertiser of a brand in all countries.
    BrandAdvertiser,
}

/// A note with its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Number of the note.
    pub id: i32,
    /// What it says.
    pub message: String,
    /// When it was written.
    pub created: DateTime<Utc>,
    /// When it was changed last.
    pub updated: DateTime<Utc>,
    /// First and last name of the author; `None` where the account is gone.
    pub author: Option<(Option<String>, Option<String>)>,
}

/// What notes can be written about from one action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoteSubjects {
    has_advertiser: bool,
    is_in_other_countries: bool,
}

impl NoteSubjects {
    /// Whether there are notes of this subject.
    pub const fn include(self, subject: NoteSubject) -> bool {
        match subject {
            NoteSubject::Action => true,
            NoteSubject::Advertiser => self.has_advertiser,
            NoteSubject::BrandAdvertiser => self.has_advertiser && self.is_in_other_countries,
        }
    }
}

/// What notes can be written about from an action: its advertiser where it is known, in all countries where its brand has cases against it in several.
/// `None` for an action that the scope does not see.
pub async fn subjects(executor: impl PgExecutor<'_>, scope: &Scope, action: ActionId) -> Result<Option<NoteSubjects>> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select (a.brand_id is not null and a.advertiser_id is not null and a.country is not null) as "has_advertiser!",
               exists (select from action other
                   where other.brand_id = a.brand_id and other.advertiser_id = a.advertiser_id and other.country <> a.country) as "is_elsewhere!"
           from action a where a.id = $2 and ($1::int[] is null or a.brand_id = any($1))"#,
        bounds.brands as Option<Vec<i32>>,
        action.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| NoteSubjects {
        has_advertiser: row.has_advertiser,
        is_in_other_countries: row.is_elsewhere,
    }))
}

/// The notes that are seen from an action, the oldest first, at most `limit` of the newest. A company user sees those of the staff and of the own company;
/// none for an action that the scope does not see.
pub async fn of_action(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    action: ActionId,
    subject: NoteSubject,
    limit: i64,
) -> Result<Vec<Note>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select n.id, n.message, n.created_date, n.updated_date, u.id as "author?", u.first_name, u.last_name
           from action a
               join note n on n.scope = $3 and (n.action_id = a.id
                   or n.brand_id = a.brand_id and n.advertiser_id = a.advertiser_id and (n.country = a.country or n.scope = 'brand-advertiser'))
               left join user_account u on u.id = n.user_id
           where a.id = $2 and ($1::int[] is null or a.brand_id = any($1))
               and ($4 or n.company_account_id is null or n.company_account_id = $5)
           order by n.created_date desc, n.id desc limit $6"#,
        bounds.brands as Option<Vec<i32>>,
        action.0,
        subject.to_string(),
        scope.is_everything(),
        bounds.company,
        limit
    )
    .fetch_all(executor)
    .await?;
    let notes = rows.into_iter().rev().map(|row| Note {
        id: row.id,
        message: row.message,
        created: row.created_date,
        updated: row.updated_date,
        author: row.author.map(|_| (row.first_name, row.last_name)),
    });
    Ok(notes.collect())
}

/// Writes the same note of the scope's user on each of these actions, at `now`, and returns how many were written: none for an action that the scope does
/// not see or that has no advertiser to write about.
pub async fn add(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    actions: &[ActionId],
    (subject, message): (NoteSubject, &str),
    now: DateTime<Utc>,
) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let actions: Vec<i32> = actions.iter().map(|action| action.0).collect();
    let written = sqlx::query!(
        "insert into note (scope, brand_id, action_id, advertiser_id, country, message, user_id, company_account_id, created_date, updated_date)
         select $3, a.brand_id, case $3 when 'action' then a.id end, case when $3 <> 'action' then a.advertiser_id end,
             case $3 when 'advertiser' then a.country end, $4, $5, $6, $7, $7
         from action a
         where a.id = any($2) and ($1::int[] is null or a.brand_id = any($1))
             and ($3 = 'action' or a.brand_id is not null and a.advertiser_id is not null and a.country is not null)
         order by a.id",
        bounds.brands as Option<Vec<i32>>,
        &actions,
        subject.to_string(),
        message,
        user_of(scope),
        bounds.company,
        now
    )
    .execute(executor)
    .await?;
    Ok(written.rows_affected())
}

//! What the search in the header finds in Postgres beside brands: terms, cases and, for administrators, users.

use sqlx::{PgExecutor, Row};
use vocabulary::{ActionId, ActionStatus, Scope, TermId, UserId};

use crate::Result;
use crate::scoped::ScopeLists;
use crate::stored::parse;

/// A term whose words hold the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTerm {
    /// Id of the term.
    pub id: TermId,
    /// The words it searches.
    pub words: String,
    /// The search engine.
    pub engine: Option<String>,
    /// Country of its place, two letters.
    pub country: Option<String>,
    /// Its brand, if the scope sees it.
    pub brand: Option<String>,
}

/// A case whose domain holds the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCase {
    /// Id of the case.
    pub id: ActionId,
    /// The advertiser's host.
    pub domain: String,
    /// The brand it is against.
    pub brand: Option<String>,
    /// Country of the searches, two letters.
    pub country: Option<String>,
    /// The search engine.
    pub engine: Option<String>,
    /// The present status.
    pub status: ActionStatus,
}

/// A user whose name or address holds the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundUser {
    /// Id of the user.
    pub id: UserId,
    /// First and last name as far as known.
    pub name: String,
    /// The address to sign in with.
    pub email: String,
}

/// The terms in scope whose words hold a text, without regard to case: those that begin with it first, then by their words.
pub async fn terms(executor: impl PgExecutor<'_>, scope: &Scope, text: &str, limit: i64) -> Result<Vec<FoundTerm>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query(
        "select t.id, t.term, t.engine, nullif(split_part(l.locale, '_', 2), '') as country,
            case when $1::int[] is null or b.id = any($1) then coalesce(b.label, b.name) end as brand
        from term t left join localization l on l.id = t.localization_id left join brand b on b.id = t.brand_id
        where ($1::int[] is null or t.brand_id = any($1) or t.id = any($2)) and lower(t.term) like '%' || $3 || '%'
        order by lower(t.term) like $3 || '%' desc, t.term, t.id limit $4",
    )
    .bind(bounds.brands)
    .bind(bounds.terms)
    .bind(literal(text))
    .bind(limit)
    .fetch_all(executor)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(FoundTerm {
                id: TermId(row.try_get("id")?),
                words: row.try_get("term")?,
                engine: row.try_get("engine")?,
                country: row.try_get("country")?,
                brand: row.try_get("brand")?,
            })
        })
        .collect()
}

/// The cases in scope whose domain holds a text, without regard to case: the most viewed first.
pub async fn cases(executor: impl PgExecutor<'_>, scope: &Scope, text: &str, limit: i64) -> Result<Vec<FoundCase>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query(
        "select a.id, a.domain, coalesce(b.label, b.name) as brand, a.country, a.engine, a.status::text as status
        from action a left join brand b on b.id = a.brand_id
        where ($1::int[] is null or a.brand_id = any($1)) and lower(a.domain) like '%' || $2 || '%'
        order by a.priority desc nulls last, a.id desc limit $3",
    )
    .bind(bounds.brands)
    .bind(literal(text))
    .bind(limit)
    .fetch_all(executor)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(FoundCase {
                id: ActionId(row.try_get("id")?),
                domain: row.try_get("domain")?,
                brand: row.try_get("brand")?,
                country: row.try_get("country")?,
                engine: row.try_get("engine")?,
                status: parse("action.status", row.try_get("status")?)?,
            })
        })
        .collect()
}

/// The users whose name or address holds a text, without regard to case, by address. Nobody for a scope that does not see the accounts of others.
pub async fn users(executor: impl PgExecutor<'_>, scope: &Scope, text: &str, limit: i64) -> Result<Vec<FoundUser>> {
    if !scope.administers() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select id, concat_ws(' ', first_name, last_name) as name, email from user_account
        where program_of is null and (lower(email) like '%' || $1 || '%' or lower(concat_ws(' ', first_name, last_name)) like '%' || $1 || '%')
        order by email, id limit $2",
    )
    .bind(literal(text))
    .bind(limit)
    .fetch_all(executor)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(FoundUser {
                id: UserId(row.try_get("id")?),
                name: row.try_get("name")?,
                email: row.try_get("email")?,
            })
        })
        .collect()
}

/// A text in lower case, as a pattern that holds nothing but it.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for letter in text.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

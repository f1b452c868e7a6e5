//! The keywords of an item: terms of its brand whose figures are read.

use sqlx::PgExecutor;
use vocabulary::{Scope, TermId};

use crate::Result;
use crate::scoped::ScopeLists;

/// A term of an item, or one that could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoogleKeyword {
    /// Id of the term.
    pub id: i32,
    /// Words of the term.
    pub content: String,
    /// Two letters of the country.
    pub country: String,
    /// Names of the country by language, as the place has them.
    pub country_name: Option<String>,
}

/// The terms of an item in scope, by their words.
pub async fn linked(executor: impl PgExecutor<'_>, scope: &Scope, item: i32) -> Result<Vec<GoogleKeyword>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_as!(
        GoogleKeyword,
        r#"select t.id, coalesce(t.term, '') as "content!", upper(right(coalesce(l.locale, ''), 2)) as "country!", l.country ->> 'en' as country_name
           from google_keyword k join google_connect c on c.id = k.google_connect_id join term t on t.id = k.term_id
             left join localization l on l.id = t.localization_id
           where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) order by t.term, t.id"#,
        bounds.brands as Option<Vec<i32>>,
        item
    )
    .fetch_all(executor)
    .await?)
}

/// The terms of the item's brand that could be mapped: of Google, with words, not archived, not mapped yet.
pub async fn linkable(executor: impl PgExecutor<'_>, scope: &Scope, item: i32) -> Result<Vec<GoogleKeyword>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_as!(
        GoogleKeyword,
        r#"select t.id, coalesce(t.term, '') as "content!", upper(right(coalesce(l.locale, ''), 2)) as "country!", l.country ->> 'en' as country_name
           from google_connect c join term t on t.brand_id = c.brand_id left join localization l on l.id = t.localization_id
           where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) and coalesce(t.engine, 'GOOGLE') = 'GOOGLE' and t.state <> 'archived'
             and btrim(coalesce(t.term, '')) <> ''
             and not exists (select from google_keyword k where k.google_connect_id = c.id and k.term_id = t.id)
           order by t.term, t.id"#,
        bounds.brands as Option<Vec<i32>>,
        item
    )
    .fetch_all(executor)
    .await?)
}

/// Maps terms of the item's brand; returns how many were not mapped before. Terms of other brands are left out.
pub async fn link(executor: impl PgExecutor<'_>, scope: &Scope, item: i32, terms: &[TermId]) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "insert into google_keyword (google_connect_id, term_id)
         select c.id, t.id from google_connect c join term t on t.brand_id = c.brand_id
         where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) and t.id = any($3) and coalesce(t.engine, 'GOOGLE') = 'GOOGLE'
         on conflict do nothing",
        bounds.brands as Option<Vec<i32>>,
        item,
        &ids(terms)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Takes terms off an item, with their figures; returns how many were mapped.
pub async fn unlink(executor: impl PgExecutor<'_>, scope: &Scope, item: i32, terms: &[TermId]) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query_scalar!(
        r#"with item as (
             select id from google_connect where id = $2 and ($1::int[] is null or brand_id = any($1))
           ), figures as (
             delete from google_statistic s using item where s.google_connect_id = item.id and s.term_id = any($3)
           ), gone as (
             delete from google_keyword k using item where k.google_connect_id = item.id and k.term_id = any($3) returning 1
           )
           select count(*) as "count!" from gone"#,
        bounds.brands as Option<Vec<i32>>,
        item,
        &ids(terms)
    )
    .fetch_one(executor)
    .await?;
    Ok(u64::try_from(done).unwrap_or_default())
}

fn ids(terms: &[TermId]) -> Vec<i32> {
    terms.iter().map(|id| id.0).collect()
}

//! What was done to one row, from the audit log, as far as a reader may know it.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use sqlx::types::Json as Typed;
use sqlx::{PgExecutor, Postgres, QueryBuilder};
use vocabulary::Scope;
use vocabulary::resources::Model;
use vocabulary::resources::models::{BRAND, CATEGORY, TERM};

use crate::Result;
use crate::as_of::{AsOf, push_not_seen};
use crate::audit::Event;
use crate::authors::{KnownAuthor, push_known_author};
use crate::stored::parse;

/// Something that was done to a row.
#[derive(Clone, Debug, PartialEq)]
pub struct TrailEntry {
    /// Its number; later entries have higher ones.
    pub id: i64,
    /// When it was done.
    pub at: DateTime<Utc>,
    /// The author, as far as the reader may know.
    pub by: KnownAuthor,
    /// What was done.
    pub event: Event,
    /// What it was before and is now, as the audit log has it.
    pub details: Json,
}

/// What was done to a term, brand or tag that the scope sees (the caller has checked that), newest first, at most `limit` entries: where they are given,
/// those with numbers below `before` and those that `since` did not see. A company user gets nothing of before the row came to its company, nothing that other companies did, and no links
/// with what it does not see.
pub async fn of_row(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    model: &'static Model,
    id: i32,
    (before, since): (Option<i64>, Option<&AsOf>),
    limit: i64,
) -> Result<Vec<TrailEntry>> {
    let mut sql = QueryBuilder::new(
        "select e.id, e.at, k.author, e.event, e.details from audit_entry e cross join lateral (select ",
    );
    push_known_author(
        &mut sql,
        scope,
        "e.actor_id, e.acting_as_id, e.actor_name, e.acting_as_name",
    );
    sql.push(" as author) k where k.author is not null and e.event in ('create', 'change', 'remove', 'return', 'link', 'unlink')");
    push_about(&mut sql, "e", model, id);
    if let Some(before) = before {
        sql.push(" and e.id < ").push_bind(before);
    }
    if let Some(since) = since {
        push_not_seen(&mut sql, since);
    }
    if let Some(brands) = scope.brands() {
        let brands: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
        let company = scope.company().map(|company| company.0);
        push_since_own(&mut sql, model, id, &brands, company);
        push_seen_links(&mut sql, &brands, company);
    }
    sql.push(" order by e.id desc limit ").push_bind(limit);
    let rows: Vec<StoredEntry> = sql.build_query_as().fetch_all(executor).await?;
    rows.into_iter()
        .map(|(id, at, by, event, details)| {
            Ok(TrailEntry {
                id,
                at,
                by: by.0,
                event: parse("audit_entry.event", &event)?,
                details,
            })
        })
        .collect()
}

/// The number, time, author, event and details of an entry.
type StoredEntry = (i64, DateTime<Utc>, Typed<KnownAuthor>, String, Json);

/// Appends the condition that the entry `alias` is about a row.
fn push_about(sql: &mut QueryBuilder<Postgres>, alias: &'static str, model: &Model, id: i32) {
    sql.push(" and ")
        .push(alias)
        .push(".model = ")
        .push_bind(model.name)
        .push(" and ")
        .push(alias)
        .push(".target = ")
        .push_bind(id.to_string());
}

/// Appends the condition that the entry `e` is not older than the last one by which the row came from a brand of others, or from none, to one of these;
/// where it is seen by a link to the company account alone, than that link.
fn push_since_own(sql: &mut QueryBuilder<Postgres>, model: &Model, id: i32, brands: &[i32], company: Option<i32>) {
    let brand_field = match model.name {
        name if name == TERM.name => "brandId",
        name if name == CATEGORY.name => "brandOwnerId",
        _ => "",
    };
    sql.push(" and e.id >= coalesce((select max(o.id) from audit_entry o where true");
    push_about(sql, "o", model, id);
    sql.push(" and (o.event = 'change' and o.details -> 'after' ? ")
        .push_bind(brand_field)
        .push(" and coalesce((o.details -> 'before' ->> ")
        .push_bind(brand_field)
        .push(")::integer, 0) <> all(")
        .push_bind(brands.to_vec())
        .push(") or o.event = 'link' and o.details ->> 'model' = 'CompanyAccount' and (o.details ->> 'id')::integer = ")
        .push_bind(company);
    if model.name != BRAND.name {
        sql.push(" and not exists (select from term where term.id = ")
            .push_bind(id)
            .push(" and term.brand_id = any(")
            .push_bind(brands.to_vec())
            .push("))");
    }
    sql.push(")), 0)");
}

/// Appends the condition that the entry `e` is about no link, or about one with a row that a company user sees.
fn push_seen_links(sql: &mut QueryBuilder<Postgres>, brands: &[i32], company: Option<i32>) {
    sql.push(
        " and (e.event not in ('link', 'unlink') or case e.details ->> 'model'
             when 'CompanyAccount' then (e.details ->> 'id')::integer = ",
    )
    .push_bind(company)
    .push(
        " when 'Category' then exists (
             select from category c where c.id = (e.details ->> 'id')::integer and (c.visibility = 'all' or c.brand_owner_id = any(",
    )
    .push_bind(brands.to_vec())
    .push("))) else true end)");
}

//! Giving the history of a term to its present brand: the journal, and the effects on the ledger.

use serde_json::json;
use sqlx::PgExecutor;
use vocabulary::{BrandId, Role, SystemScope, TermId, UserId};

use crate::audit::{self, AuditActor, AuditedChange, Event};
use crate::{Connection, Result};

/// A reattribution under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reattribution {
    /// Its number in the journal.
    pub id: i64,
    /// The term whose ads are given to another brand.
    pub term: TermId,
    /// The brand that gets its ads; `None` for none.
    pub brand: Option<BrandId>,
    /// What its words are about.
    pub keyword_type: String,
}

/// How many captures [`begin`] changed, or why it changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginOutcome {
    /// It was written into the journal.
    Captures(u64),
    /// There is no such term.
    NoTerm,
    /// No administrator has this address.
    NoAdministrator,
}

/// Journals that all ads of a term get its present brand and keyword type, changes its captures and corrected ads in Postgres, and writes an audit
/// entry by the administrator with the address `author`; without such a term or administrator, changes nothing. The ads in ClickHouse are the
/// caller's. Begun again before it ended, it takes over the new brand and type. Call it in a transaction.
pub async fn begin(
    connection: &mut Connection,
    _system: &SystemScope,
    term: TermId,
    author: &str,
) -> Result<BeginOutcome> {
    let actor = sqlx::query_scalar!(
        "select u.id from user_account u
             join role_mapping m on m.principal_id = u.id::text and coalesce(m.principal_type, 'USER') = 'USER'
             join role r on r.id = m.role_id
         where lower(u.email) = lower($1) and r.name = $2
         order by (u.email = $1) desc, u.id limit 1",
        author,
        Role::Admin.to_string()
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(actor) = actor else {
        return Ok(BeginOutcome::NoAdministrator);
    };
    let row = sqlx::query!(
        r#"insert into reattribution (term_id, brand_id, keyword_type)
           select id, brand_id, coalesce(keyword_type, 'GENERIC') from term where id = $1
           on conflict (term_id) where applied_at is null
               do update set brand_id = excluded.brand_id, keyword_type = excluded.keyword_type
           returning brand_id, keyword_type"#,
        term.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else {
        return Ok(BeginOutcome::NoTerm);
    };
    let moved = sqlx::query!(
        "update capture set brand_id = $2, brand = (select label from brand where id = $2), keyword_type = $3
         where term_id = $1 and (brand_id is distinct from $2 or keyword_type <> $3)",
        term.0,
        row.brand_id,
        row.keyword_type
    )
    .execute(&mut *connection)
    .await?;
    // Corrected ads are stored again as the journal of corrections has them.
    sqlx::query!(
        "update ad_correction set ad = ad || jsonb_build_object('brand_id', coalesce($2::int, 0), 'keyword_type', $3::text)
         where (ad ->> 'term_id')::bigint = $1::int",
        term.0,
        row.brand_id,
        row.keyword_type
    )
    .execute(&mut *connection)
    .await?;
    let author = AuditActor {
        actor: UserId(actor),
        acting_as: None,
        request: "vigie reattribute".to_owned(),
    };
    let done = AuditedChange {
        event: Event::Change,
        model: "Term",
        target: term.to_string(),
        details: json!({"reattributed": {"brandId": row.brand_id, "keywordType": row.keyword_type, "captures": moved.rows_affected()}}),
    };
    audit::record(connection, &author, &[done]).await?;
    Ok(BeginOutcome::Captures(moved.rows_affected()))
}

/// The reattributions that are begun and not ended, in the order of their numbers.
pub async fn open(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<Reattribution>> {
    let rows = sqlx::query!(
        "select id, term_id, brand_id, keyword_type from reattribution where applied_at is null order by id"
    )
    .fetch_all(executor)
    .await?;
    let open = rows.into_iter().map(|row| Reattribution {
        id: row.id,
        term: TermId(row.term_id),
        brand: row.brand_id.map(BrandId),
        keyword_type: row.keyword_type,
    });
    Ok(open.collect())
}

/// Marks a reattribution as done once its ads were changed. `false`, and nothing changed, when it was begun again with another brand or
/// type meanwhile.
pub async fn end(executor: impl PgExecutor<'_>, done: &Reattribution) -> Result<bool> {
    let ended = sqlx::query!(
        "update reattribution set applied_at = now()
         where id = $1 and brand_id is not distinct from $2 and keyword_type = $3",
        done.id,
        done.brand.map(|brand| brand.0),
        done.keyword_type
    )
    .execute(executor)
    .await?;
    Ok(ended.rows_affected() == 1)
}

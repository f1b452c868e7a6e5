//! Keywords with Stop and Go: a term of a brand, which belongs to a lane.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, Scope, SystemScope, TermId};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A keyword, with its lane.
#[derive(Clone, Debug, PartialEq)]
pub struct StopGoKeyword {
    /// Id of the row.
    pub id: i32,
    /// The brand it is linked to.
    pub brand: BrandId,
    /// Its name on screens.
    pub brand_label: String,
    /// The term that is searched.
    pub term: TermId,
    /// What is searched.
    pub words: String,
    /// The English name of the country.
    pub country: Option<String>,
    /// Its two letters.
    pub iso2: String,
    /// As typed (decision D192).
    pub average_ctr: Option<String>,
    /// Also as typed.
    pub average_cpc: Option<String>,
    /// When it was linked.
    pub created: DateTime<Utc>,
    /// Whether its lane may decide.
    pub enable: bool,
    /// Goes up with each change.
    pub version: i32,
    /// The lane that it stops and goes with.
    pub lane: KeywordLane,
}

/// A lane as far as its keywords show it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeywordLane {
    /// Id of the lane.
    pub id: i32,
    /// Where it is.
    pub state: String,
    /// When it came into this state.
    pub since: DateTime<Utc>,
    /// The rule that decided last.
    pub reason: String,
    /// Whether its text should be in the negative list.
    pub desired: bool,
    /// Whether it is, as last read.
    pub observed: Option<bool>,
    /// What the list refused the last change with.
    pub refused: Option<String>,
    /// Whether a Google account is connected.
    pub is_connected: bool,
    /// The text that is added to the list.
    pub text: String,
    /// Its country, two letters.
    pub country: String,
    /// Other keywords of the lane.
    pub siblings: i64,
}

/// Which keywords are listed; everything for the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeywordQuery {
    /// Only the one with this id.
    pub only: Option<i32>,
    /// Only of this brand.
    pub brand: Option<BrandId>,
    /// Only of the brands of this company account.
    pub company: Option<CompanyAccountId>,
}

/// The keywords that the scope sees, by brand and words; without hidden ones.
pub async fn list(executor: impl PgExecutor<'_>, scope: &Scope, query: KeywordQuery) -> Result<Vec<StopGoKeyword>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select k.id, k.brand_id, coalesce(nullif(b.label, ''), b.name, '') as "brand_label!", k.term_id,
               coalesce(t.term, '') as "words!", l.country ->> 'en' as country, right(l.locale, 2) as "iso2",
               k.average_ctr_text, k.average_cpc_text, k.created_date, k.enable, k.version,
               n.id as lane, n.state, n.since, n.reason, n.desired, n.observed, n.refused,
               n.google_connect_id is not null as "is_connected!", n.text_folded, n.country as lane_country,
               (select count(*) - 1 from stop_go_keyword o where o.lane_id = n.id and o.removed_at is null) as "siblings!"
           from stop_go_keyword k join brand b on b.id = k.brand_id join term t on t.id = k.term_id
               join stop_go_lane n on n.id = k.lane_id left join localization l on l.id = t.localization_id
           where k.removed_at is null and ($2::int is null or k.id = $2) and ($3::int is null or k.brand_id = $3)
               and ($4::int is null or exists (select from brand_company_account c where c.brand_id = k.brand_id and c.company_account_id = $4))
               and ($1::int[] is null or k.brand_id = any($1))
           order by 3, 5, k.id"#,
        bounds.brands as Option<Vec<i32>>,
        query.only,
        query.brand.map(|brand| brand.0),
        query.company.map(|company| company.0)
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| StopGoKeyword {
        id: row.id,
        brand: BrandId(row.brand_id),
        brand_label: row.brand_label,
        term: TermId(row.term_id),
        words: row.words,
        country: row.country,
        iso2: row.iso2.unwrap_or_default(),
        average_ctr: row.average_ctr_text,
        average_cpc: row.average_cpc_text,
        created: row.created_date,
        enable: row.enable,
        version: row.version,
        lane: KeywordLane {
            id: row.lane,
            state: row.state,
            since: row.since,
            reason: row.reason,
            desired: row.desired,
            observed: row.observed,
            refused: row.refused,
            is_connected: row.is_connected,
            text: row.text_folded,
            country: row.lane_country,
            siblings: row.siblings,
        },
    });
    Ok(found.collect())
}

/// A term that can be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkableTerm {
    /// The term that is searched.
    pub term: TermId,
    /// What is searched.
    pub words: String,
    /// The English name of the country.
    pub country: Option<String>,
    /// Its two letters.
    pub iso2: String,
}

/// The Google terms of a brand in scope that are not linked yet, by their words (decision D199).
pub async fn linkable(executor: impl PgExecutor<'_>, scope: &Scope, brand: BrandId) -> Result<Vec<LinkableTerm>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select t.id, t.term as "words!", l.country ->> 'en' as country, right(l.locale, 2) as "iso2!"
           from term t join localization l on l.id = t.localization_id
           where t.brand_id = $2 and t.engine = 'GOOGLE' and t.state <> 'archived' and btrim(t.term) <> ''
               and l.locale ~ '^[a-z]{2,3}_[A-Z]{2}$' and ($1::int[] is null or t.brand_id = any($1))
               and not exists (select from stop_go_keyword k where k.term_id = t.id and k.brand_id = $2 and k.removed_at is null)
           order by t.term, t.id"#,
        bounds.brands as Option<Vec<i32>>,
        brand.0
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| LinkableTerm {
        term: TermId(row.id),
        words: row.words,
        country: row.country,
        iso2: row.iso2,
    });
    Ok(found.collect())
}

/// What somebody typed of a keyword, and the numbers in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Averages {
    /// Click rate in percent, as typed.
    pub ctr_text: Option<String>,
    /// The same as a number.
    pub ctr: Option<f64>,
    /// Price of a click, as typed.
    pub cpc_text: Option<String>,
    /// The same as a number.
    pub cpc: Option<f64>,
}

/// Links a linkable term of a brand in scope, in the lane of its account, country and text, which is made if it is new. Returns the ids of the keyword and the
/// lane; `None` if the term cannot be linked.
pub async fn link(
    connection: &mut Connection,
    scope: &Scope,
    (brand, term): (BrandId, TermId),
    averages: &Averages,
    now: DateTime<Utc>,
) -> Result<Option<(i32, i32)>> {
    let terms = linkable(&mut *connection, scope, brand).await?;
    if terms.iter().all(|found| found.term != term) {
        return Ok(None);
    }
    let lane = sqlx::query_scalar!(
        "insert into stop_go_lane (account, google_connect_id, country, text_folded, since)
         select coalesce('customer:' || g.customer_id, 'brand:' || $2::int), g.id, right(l.locale, 2), lane_text(t.term), $3
         from term t join localization l on l.id = t.localization_id
             left join lateral (select id, customer_id from google_connect where brand_id = $2 order by id limit 1) g on true
         where t.id = $1
         on conflict (account, country, text_folded) do update set google_connect_id = coalesce(stop_go_lane.google_connect_id, excluded.google_connect_id)
         returning id",
        term.0,
        brand.0,
        now
    )
    .fetch_one(&mut *connection)
    .await?;
    let id = sqlx::query_scalar!(
        "insert into stop_go_keyword (brand_id, term_id, average_ctr, average_cpc, average_ctr_text, average_cpc_text, lane_id, created_date)
         values ($1, $2, $3::float8::numeric, $4::float8::numeric, $5, $6, $7, $8)
         on conflict (brand_id, term_id) do update set average_ctr = excluded.average_ctr, average_cpc = excluded.average_cpc,
             average_ctr_text = excluded.average_ctr_text, average_cpc_text = excluded.average_cpc_text, lane_id = excluded.lane_id,
             created_date = excluded.created_date, removed_at = null, enable = true
         returning id",
        brand.0,
        term.0,
        averages.ctr,
        averages.cpc,
        averages.ctr_text,
        averages.cpc_text,
        lane,
        now
    )
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query!("update stop_go_lane set read_back = false where id = $1", lane)
        .execute(connection)
        .await?;
    Ok(Some((id, lane)))
}

/// Switches a keyword in scope on or off. Returns its lane; `None` if there is no such keyword.
pub async fn switch(connection: &mut Connection, scope: &Scope, id: i32, on: bool) -> Result<Option<i32>> {
    let bounds = ScopeLists::from_scope(scope);
    let lane = sqlx::query_scalar!(
        r#"update stop_go_keyword set enable = $3, version = version + 1
           where id = $2 and removed_at is null and ($1::int[] is null or brand_id = any($1)) returning lane_id as "lane!""#,
        bounds.brands as Option<Vec<i32>>,
        id,
        on
    );
    Ok(lane.fetch_optional(connection).await?)
}

/// Gives a keyword in scope other averages. `false` if there is no such keyword.
pub async fn set_averages(connection: &mut Connection, scope: &Scope, id: i32, averages: &Averages) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "update stop_go_keyword set average_ctr = $3::float8::numeric, average_cpc = $4::float8::numeric, average_ctr_text = $5,
             average_cpc_text = $6, version = version + 1
         where id = $2 and removed_at is null and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        id,
        averages.ctr,
        averages.cpc,
        averages.ctr_text,
        averages.cpc_text
    );
    Ok(done.execute(connection).await?.rows_affected() > 0)
}

/// Hides a keyword in scope at once; [`purge_removed`] removes it once its lane has nothing in the list (decision D211). Returns its lane; `None` if there is
/// no such keyword.
pub async fn hide(connection: &mut Connection, scope: &Scope, id: i32, now: DateTime<Utc>) -> Result<Option<i32>> {
    let bounds = ScopeLists::from_scope(scope);
    let lane = sqlx::query_scalar!(
        r#"update stop_go_keyword set removed_at = $3, version = version + 1
           where id = $2 and removed_at is null and ($1::int[] is null or brand_id = any($1)) returning lane_id as "lane!""#,
        bounds.brands as Option<Vec<i32>>,
        id,
        now
    );
    Ok(lane.fetch_optional(connection).await?)
}

/// Removes the hidden keywords whose lane has other keywords or nothing in the list, and then hidden brands without keywords. Returns how many keywords went.
pub async fn purge_removed(connection: &mut Connection, _system: &SystemScope) -> Result<u64> {
    let gone = sqlx::query!(
        "delete from stop_go_keyword k using stop_go_lane n
         where n.id = k.lane_id and k.removed_at is not null
             and (not n.desired and n.observed is not true and n.state <> 'resuming'
                 or exists (select from stop_go_keyword o where o.lane_id = n.id and o.removed_at is null))"
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "delete from stop_go_brand s where s.removed_at is not null
             and not exists (select from stop_go_keyword k where k.brand_id = s.brand_id)"
    )
    .execute(connection)
    .await?;
    Ok(gone.rows_affected())
}

//! The cases of a brand against hosts that some domains cover, to say what a change of these domains does before it is made.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, ActionStatus, BrandId, Engine, Scope};

use crate::Result;
use crate::scoped::ScopeLists;
use crate::stored::parse_some;

/// How many cases of a brand against one host have one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCases {
    /// The advertiser's host.
    pub domain: String,
    /// How many cases, at least one.
    pub cases: i64,
}

/// A case against an advertiser's host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseOfHost {
    /// Id of the case.
    pub id: ActionId,
    /// The advertiser's host.
    pub domain: String,
    /// The registrable domain of the advertiser; the host where it is not known.
    pub master: String,
    /// Country of the searches, two letters.
    pub country: Option<String>,
    /// The search engine.
    pub engine: Option<Engine>,
    /// Since when it has its status.
    pub since: Option<DateTime<Utc>>,
}

/// The hosts with cases of a brand that have one of the statuses, in alphabetical order, each with how many; none for a brand out of scope.
pub async fn hosts_with_cases(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brand: BrandId,
    statuses: &[ActionStatus],
) -> Result<Vec<HostCases>> {
    let bounds = ScopeLists::from_scope(scope);
    let statuses: Vec<String> = statuses.iter().map(ToString::to_string).collect();
    let rows = sqlx::query!(
        r#"select domain as "domain!", count(*) as "cases!" from action
           where brand_id = $2 and status::text = any($3) and domain is not null and ($1::int[] is null or brand_id = any($1))
           group by domain order by domain"#,
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        &statuses
    )
    .fetch_all(executor)
    .await?;
    let hosts = rows.into_iter().map(|row| HostCases {
        domain: row.domain,
        cases: row.cases,
    });
    Ok(hosts.collect())
}

/// The cases of a brand against these hosts that have a status, the latest first, at most `limit`; none for a brand out of scope.
pub async fn cases_of_hosts(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brand: BrandId,
    hosts: &[String],
    status: ActionStatus,
    limit: i64,
) -> Result<Vec<CaseOfHost>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select a.id, a.domain as "domain!", coalesce(d.domain, a.domain) as "master!", a.country, a.engine, a.last_status_date
           from action a left join dealer d on d.id = a.advertiser_id
           where a.brand_id = $2 and a.domain = any($3) and a.status::text = $4 and ($1::int[] is null or a.brand_id = any($1))
           order by a.last_status_date desc nulls last, a.id
           limit $5"#,
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        hosts,
        status.to_string(),
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(CaseOfHost {
                id: ActionId(row.id),
                domain: row.domain,
                master: row.master,
                country: row.country,
                engine: parse_some("action.engine", row.engine.as_deref())?,
                since: row.last_status_date,
            })
        })
        .collect()
}

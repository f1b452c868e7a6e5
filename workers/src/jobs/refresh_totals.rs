//! Counting the views of brands, company accounts and tags (decision D72).

use std::collections::HashSet;

use analytics::reports::totals;
use chrono::TimeDelta;
use postgres::categories;
use postgres::view_totals::{self, Views};
use vocabulary::SystemScope;

use crate::Error;
use crate::context::WorkerContext;

/// Today (in UTC) and the days before it.
const DAYS: TimeDelta = TimeDelta::days(30);

const SCOPE: SystemScope = SystemScope::new("refreshing view totals");

/// Counts the views of the last [`DAYS`] per brand, company account and tag, stores the totals that changed (0 without views), and returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let store = context.analytics.for_housekeeping();
    let since = (context.clock.now() - DAYS + TimeDelta::days(1)).date_naive();
    let tagged: HashSet<String> = view_totals::tagged_domains(&context.postgres, &SCOPE)
        .await?
        .into_iter()
        .collect();
    let mut of_domains = totals::views_by_domain(&store, since).await?;
    of_domains.retain(|(_, domain, _)| tagged.contains(domain) || tagged.contains(&categories::master(domain)));
    let views = Views {
        of_terms: totals::views_by_term(&store, since).await?,
        of_domains,
    };
    let mut tx = postgres::begin(&context.postgres).await?;
    let changed = view_totals::set(&mut tx, &SCOPE, &views).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(format!("{changed} totals changed"))
}

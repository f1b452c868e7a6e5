//! Views over the last days, for figures that are kept in Postgres (decision D72).

use chrono::NaiveDate;
use vocabulary::{BrandId, TermId};

use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Views since the beginning of a UTC day by the brand and term of the results, in no order; brand 0 is none. Ads without a domain do not count, as
/// on the lists.
pub async fn views_by_term(client: &Client, since: NaiveDate) -> Result<Vec<(BrandId, TermId, u64)>, Error> {
    let rows: Vec<(u32, u32, u64)> = client.fetch_all(totals_statement("brand_id, term_id", since)).await?;
    let views = rows
        .into_iter()
        .map(|(brand, term, views)| (BrandId(brand.cast_signed()), TermId(term.cast_signed()), views));
    Ok(views.collect())
}

/// Views since the beginning of a UTC day by the brand of the results and the domain, in no order; brand 0 is none. Ads without a domain do not
/// count.
pub async fn views_by_domain(client: &Client, since: NaiveDate) -> Result<Vec<(BrandId, String, u64)>, Error> {
    let rows: Vec<(u32, String, u64)> = client.fetch_all(totals_statement("brand_id, domain", since)).await?;
    let views = rows
        .into_iter()
        .map(|(brand, domain, views)| (BrandId(brand.cast_signed()), domain, views));
    Ok(views.collect())
}

/// Views since the beginning of a UTC day, by these columns.
fn totals_statement(columns: &str, since: NaiveDate) -> Statement {
    Statement::new(include_str!("../../../sql/clickhouse/queries/recent_views.sql"))
        .fill("columns", columns)
        .with("first", Value::Integer(since.to_epoch_days().into()))
}

//! The Domains list.

use clickhouse::Row;
use futures::{Stream, TryStreamExt};
use serde::Deserialize;
use strum::{Display, EnumString, VariantArray};
use vocabulary::Scope;

use super::page::{Direction, Page, page_of};
use super::source;
use crate::filter::Filters;
use crate::statement::Statement;
use crate::{Client, Error};

/// The list of terms collects words and places for each result, this one does not: roll-ups become faster at 650,000 results instead of
/// 150,000 (measured).
const EASE: u64 = 4;

/// What to order by. Equal rows are ordered by domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub enum Sort {
    /// The domain's name.
    Domain,
    /// Number of countries, then their codes.
    Countries,
    /// Times that an ad was seen.
    #[default]
    NbViews,
    /// Distinct ads of the domain.
    NbAds,
    /// Mean rank of the views.
    AveragePosition,
    /// Share of the views; the same order as views.
    Visibility,
}

/// The filters, order and page of a request for the Domains list.
#[derive(Clone, Debug)]
pub struct DomainsQuery {
    /// What narrows it.
    pub filters: Filters,
    /// What orders it.
    pub sort: Sort,
    /// Which end of the order comes first.
    pub direction: Direction,
    /// The part that is read.
    pub page: Page,
}

/// One domain over the filtered results (decision D70).
#[derive(Clone, Debug, PartialEq)]
pub struct DomainRow {
    /// The advertiser's host.
    pub domain: String,
    /// Countries it was seen in, ascending.
    pub countries: Vec<String>,
    /// Results that show it.
    pub nb_views: u64,
    /// Distinct ads (decision D76), exact.
    pub nb_ads: u64,
    /// Mean of the real positions of text ads and the positions of shopping ads, 4 decimals.
    pub average_position: f64,
    /// Percentage of all views under the same filters, 2 decimals, at least 0.01.
    pub visibility: f64,
}

/// A page of the list with the totals of the whole list (decision D71).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DomainsPage {
    /// The rows of the page.
    pub rows: Vec<DomainRow>,
    /// Domains under the filters.
    pub total: u64,
    /// Views under the filters.
    pub total_views: u64,
    /// Distinct ads under the filters.
    pub total_ads: u64,
}

/// A [`DomainRow`] as ClickHouse returns it, with the totals of the whole list in each row.
#[derive(Clone, Row, Deserialize)]
struct StoredDomain {
    name: String,
    countries: Vec<String>,
    nb_views: u64,
    nb_ads: u64,
    average_position: f64,
    total: u64,
    total_views: u64,
    total_ads: u64,
}

/// A page of the domains that a scope sees under the filters, in the order of the query, with the totals of the whole list, which a page past the
/// last has, too.
///
/// # Errors
/// [`Error::TooMany`] when all rows are asked for and there are more than [`MOST_ROWS`](super::page::MOST_ROWS).
pub async fn list(client: &Client, scope: &Scope, query: &DomainsQuery) -> Result<DomainsPage, Error> {
    let list = list_statement(client, scope, query).await?;
    let (stored, first) = query.page.fetch(client, list, |row: &StoredDomain| row.total).await?;
    let (total, total_views, total_ads) = first
        .map(|row| (row.total, row.total_views, row.total_ads))
        .unwrap_or_default();
    Ok(DomainsPage {
        rows: stored.into_iter().map(domain_row).collect(),
        total,
        total_views,
        total_ads,
    })
}

/// The first `most` domains that a scope sees under the filters, in the order of the query, streamed as the engine finds them. The query's page is
/// ignored.
pub async fn all(
    client: &Client,
    scope: &Scope,
    query: &DomainsQuery,
    most: u32,
) -> Result<impl Stream<Item = Result<DomainRow, Error>> + Send + use<>, Error> {
    let list = list_statement(client, scope, query).await?;
    Ok(client.stream(page_of(list, most, 0)).map_ok(domain_row))
}

/// The statement that lists the domains a scope sees under the filters, in the order of the query; limit and offset are still to be set.
async fn list_statement(client: &Client, scope: &Scope, query: &DomainsQuery) -> Result<Statement, Error> {
    let domains = Statement::new(include_str!("../../../sql/clickhouse/queries/domains.sql"));
    let statement = source::fill(client, domains, scope, &query.filters, EASE).await?;
    Ok(statement.fill("order", order_by(query.sort, query.direction)))
}

/// The `ORDER BY` of a sort, without the domain that orders equal rows. Countries are ordered by their number first; visibility as views.
const fn order_by(sort: Sort, direction: Direction) -> &'static str {
    match (sort, direction) {
        (Sort::Domain, Direction::Asc) => "domain ASC",
        (Sort::Domain, Direction::Desc) => "domain DESC",
        (Sort::Countries, Direction::Asc) => "length(countries) ASC, countries ASC",
        (Sort::Countries, Direction::Desc) => "length(countries) DESC, countries DESC",
        (Sort::NbViews | Sort::Visibility, Direction::Asc) => "nb_views ASC",
        (Sort::NbViews | Sort::Visibility, Direction::Desc) => "nb_views DESC",
        (Sort::NbAds, Direction::Asc) => "nb_ads ASC",
        (Sort::NbAds, Direction::Desc) => "nb_ads DESC",
        (Sort::AveragePosition, Direction::Asc) => "average_position ASC",
        (Sort::AveragePosition, Direction::Desc) => "average_position DESC",
    }
}

/// The row of a domain: its visibility is computed from its views and those of all, its average position rounded to 4 decimals.
fn domain_row(stored: StoredDomain) -> DomainRow {
    DomainRow {
        visibility: visibility(stored.nb_views, stored.total_views),
        average_position: (stored.average_position * 1e4).round() / 1e4,
        domain: stored.name,
        countries: stored.countries,
        nb_views: stored.nb_views,
        nb_ads: stored.nb_ads,
    }
}

/// The share of all views in per cent with 2 decimals. What was seen at all is at least 0.01, and 0 only if `views` or `total` is 0.
#[expect(clippy::cast_precision_loss, reason = "views are far below 2^52")]
fn visibility(views: u64, total: u64) -> f64 {
    const FLOOR: f64 = 0.01;
    if views == 0 || total == 0 {
        return 0.0;
    }
    let percent = views as f64 * 100.0 / total as f64;
    ((percent * 100.0).round() / 100.0).max(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visibility_has_two_decimals_and_a_floor() {
        let shown = |views, total| format!("{}", visibility(views, total));
        assert_eq!(shown(1, 1_000_000), "0.01");
        assert_eq!(shown(1, 3), "33.33");
        assert_eq!(shown(0, 3), "0");
        assert_eq!(shown(0, 0), "0");
    }
}

//! The Terms list.

use clickhouse::Row;
use futures::{Stream, TryStreamExt};
use serde::Deserialize;
use strum::{Display, EnumString, VariantArray};
use vocabulary::{BrandId, LocalizationId, Scope, TermId, has_subdomains};

use super::hosts::hosts_of;
use super::page::{Direction, Page, page_of};
use super::source;
use crate::filter::Filters;
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// What to order by. Equal rows are ordered by the term's id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub enum Sort {
    /// Words of the term.
    Content,
    /// The search engine.
    Engine,
    /// The place, in the order of [`TermsQuery::places`], then the targeted place.
    Locale,
    /// Distinct domains of competitors.
    #[default]
    NbCompetitors,
    /// Distinct ads seen on the term.
    NbAds,
    /// Times that an ad was seen.
    NbViews,
}

/// The filters, order and page of a request for the Terms list.
#[derive(Clone, Debug)]
pub struct TermsQuery {
    /// What narrows it.
    pub filters: Filters,
    /// What orders it.
    pub sort: Sort,
    /// Which end of the order comes first.
    pub direction: Direction,
    /// The part that is read.
    pub page: Page,
    /// The brands' own domains and those of their partners: what they cover is no competitor (decisions D98, D213).
    pub officials: Vec<(BrandId, String)>,
    /// The localizations as [`Sort::Locale`] orders them; what is not among them comes first.
    pub places: Vec<LocalizationId>,
}

/// One term over the filtered results (decision D70).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermRow {
    /// Id of the term.
    pub id: TermId,
    /// Its words when it was seen last; the same holds for the fields below.
    pub content: String,
    /// The search engine.
    pub engine: String,
    /// From where it is searched.
    pub localization: LocalizationId,
    /// The targeted place, or empty.
    pub region: String,
    /// Distinct domains, without those that the brand's own ones cover.
    pub nb_competitors: u64,
    /// Distinct ads (decision D76), exact.
    pub nb_ads: u64,
    /// Results that it shows.
    pub nb_views: u64,
}

/// A page of the list with the totals of the whole list (decision D71).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermsPage {
    /// The rows of the page.
    pub rows: Vec<TermRow>,
    /// Terms under the filters.
    pub total: u64,
    /// Views under the filters.
    pub total_views: u64,
    /// Distinct ads under the filters.
    pub total_ads: u64,
}

/// A [`TermRow`] as ClickHouse returns it, with the totals of the whole list in each row.
#[derive(Clone, Row, Deserialize)]
struct StoredTerm {
    term_id: u32,
    content: String,
    on_engine: String,
    place: u32,
    target: String,
    nb_competitors: u64,
    nb_ads: u64,
    nb_views: u64,
    total: u64,
    total_views: u64,
    total_ads: u64,
}

/// A page of the terms that a scope sees under the filters, in the order of the query, with the totals of the whole list, which a page past the last
/// has, too.
///
/// # Errors
/// [`Error::TooMany`] when all rows are asked for and there are more than [`MOST_ROWS`](super::page::MOST_ROWS).
pub async fn list(client: &Client, scope: &Scope, query: &TermsQuery) -> Result<TermsPage, Error> {
    let list = list_statement(client, scope, query).await?;
    let (stored, first) = query.page.fetch(client, list, |row: &StoredTerm| row.total).await?;
    let (total, total_views, total_ads) = first
        .map(|row| (row.total, row.total_views, row.total_ads))
        .unwrap_or_default();
    Ok(TermsPage {
        rows: stored.into_iter().map(term_row).collect(),
        total,
        total_views,
        total_ads,
    })
}

/// The first `most` terms that a scope sees under the filters, in the order of the query, streamed as the engine finds them. The query's page is
/// ignored.
pub async fn all(
    client: &Client,
    scope: &Scope,
    query: &TermsQuery,
    most: u32,
) -> Result<impl Stream<Item = Result<TermRow, Error>> + Send + use<>, Error> {
    let list = list_statement(client, scope, query).await?;
    Ok(client.stream(page_of(list, most, 0)).map_ok(term_row))
}

/// The condition that a row's domain is none of its brand's own, as [`vocabulary::Officials`] decides it. Most hosts are no official
/// domain: the pattern, which is matched once for each, spares them the search of the list.
const COMPETITOR: &str = "NOT (match(domain, {own_hosts:String}) AND arrayExists(
                own -> own.1 = brand_id AND (toString(domain) = own.2 OR own.3 AND endsWith(toString(domain), concat('.', own.2))),
                {officials:Array(Tuple(UInt32, String, Bool))}))";

/// The official domains as the engine takes them: brand, domain, and whether the domain covers the hosts below it.
fn official_domains(officials: &[(BrandId, String)]) -> Vec<(u32, String, bool)> {
    let owned = officials
        .iter()
        .map(|(brand, domain)| (brand.0.unsigned_abs(), domain.clone(), has_subdomains(domain)));
    owned.collect()
}

/// The statement that lists the terms a scope sees under the filters, in the order of the query; the official domains in the query do not count as
/// competitors. Limit and offset are still to be set.
async fn list_statement(client: &Client, scope: &Scope, query: &TermsQuery) -> Result<Statement, Error> {
    let (competitor, own) = if query.officials.is_empty() {
        ("1", Vec::new())
    } else {
        (COMPETITOR, official_domains(&query.officials))
    };
    let places = query.places.iter().map(|place| place.0.into());
    let terms = Statement::new(include_str!("../../../sql/clickhouse/queries/terms.sql"));
    let statement = source::fill(client, terms, scope, &query.filters, 1).await?;
    Ok(statement
        .fill("competitor", competitor)
        .fill("order", order_by(query.sort, query.direction))
        .with(
            "own_hosts",
            Value::Text(hosts_of(own.iter().map(|(_, domain, _)| domain.as_str()))),
        )
        .with("officials", Value::Officials(own))
        .with("places", Value::Integers(places.collect())))
}

/// The `ORDER BY` of a sort, without the id that orders equal rows. The locale is ordered by the place's index in the parameter `places`, then the
/// region.
const fn order_by(sort: Sort, direction: Direction) -> &'static str {
    match (sort, direction) {
        (Sort::Content, Direction::Asc) => "content ASC",
        (Sort::Content, Direction::Desc) => "content DESC",
        (Sort::Engine, Direction::Asc) => "on_engine ASC",
        (Sort::Engine, Direction::Desc) => "on_engine DESC",
        (Sort::Locale, Direction::Asc) => "indexOf({places:Array(UInt32)}, place) ASC, target ASC",
        (Sort::Locale, Direction::Desc) => "indexOf({places:Array(UInt32)}, place) DESC, target DESC",
        (Sort::NbCompetitors, Direction::Asc) => "nb_competitors ASC",
        (Sort::NbCompetitors, Direction::Desc) => "nb_competitors DESC",
        (Sort::NbAds, Direction::Asc) => "nb_ads ASC",
        (Sort::NbAds, Direction::Desc) => "nb_ads DESC",
        (Sort::NbViews, Direction::Asc) => "nb_views ASC",
        (Sort::NbViews, Direction::Desc) => "nb_views DESC",
    }
}

/// Takes every figure as it is stored; the localization and the region are those that the term was searched with.
fn term_row(stored: StoredTerm) -> TermRow {
    TermRow {
        id: TermId(stored.term_id.cast_signed()),
        content: stored.content,
        engine: stored.on_engine,
        localization: LocalizationId(stored.place.cast_signed()),
        region: stored.target,
        nb_competitors: stored.nb_competitors,
        nb_ads: stored.nb_ads,
        nb_views: stored.nb_views,
    }
}

//! The ads of one advertiser or term, as a list shows them under its row.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use clickhouse::Row;
use futures::{Stream, TryStreamExt};
use serde::Deserialize;
use vocabulary::Scope;

use super::{conditions, source};
use crate::filter::Filters;
use crate::statement::{Conditions, Statement, Value};
use crate::{Client, Error};

/// Which ads are asked for.
#[derive(Clone, Debug)]
pub struct AdsQuery {
    /// The filters, with the domain or term of the row.
    pub filters: Filters,
    /// Only what was seen in this hour of the week.
    pub hour: Option<HourOfWeek>,
}

/// One hour of every week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourOfWeek {
    /// 1 for Monday to 7 for Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// Where it is that hour.
    pub zone: Tz,
}

/// One distinct ad (decision D76) over the filtered results.
#[derive(Clone, Debug, PartialEq)]
pub struct Ad {
    /// The latest capture that shows it.
    pub capture: String,
    /// The advertiser's host.
    pub domain: String,
    /// As [`vocabulary::AdKind`] displays.
    pub kind: String,
    /// As [`vocabulary::Engine`] displays.
    pub engine: String,
    /// As [`vocabulary::Device`] displays.
    pub device: String,
    /// Two letters, upper case.
    pub country: String,
    /// ISO 639 code.
    pub language: String,
    /// The ad's headline.
    pub title: String,
    /// The ad's text below the headline.
    pub description: String,
    /// The address shown.
    pub display_url: String,
    /// The landing page of the latest capture.
    pub target_url: String,
    /// The addresses the engine counts clicks with; never to be followed.
    pub aclk_urls: Vec<String>,
    /// Picture of a shopping ad.
    pub image: String,
    /// Price of a shopping ad, as written.
    pub price: String,
    /// The comparison service a shopping ad came through.
    pub comparator_name: String,
    /// Address of the comparison service.
    pub comparator_url: String,
    /// Words of the terms that show it, most viewed first.
    pub keywords: Vec<String>,
    /// Results that show it.
    pub views: u64,
    /// Mean of the real positions of a text ad, of the positions of a shopping ad.
    pub position: f64,
    /// When it was first seen.
    pub first_seen: DateTime<Utc>,
    /// When it was last seen.
    pub last_seen: DateTime<Utc>,
}

/// How many distinct ads there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Row, Deserialize)]
pub struct AdCount {
    /// Distinct text ads.
    pub text_ads: u64,
    /// Distinct shopping ads.
    pub shopping_ads: u64,
}

#[derive(Clone, Row, Deserialize)]
struct MixedRow {
    mixed: u8,
}

/// The figures of an ad, by its hash.
#[derive(Clone, Row, Deserialize)]
struct CountedRow {
    ad: u64,
    domain: String,
    brand: u32,
    views: u64,
    mean_rank: f64,
    first_seen: u32,
    last_seen: u32,
    keywords: Vec<String>,
}

/// What an ad shows, by its hash.
#[derive(Clone, Row, Deserialize)]
struct TextsRow {
    ad: u64,
    ad_kind: String,
    on_engine: String,
    on_device: String,
    in_country: String,
    in_language: String,
    title: String,
    description: String,
    display_url: String,
    image: String,
    price: String,
    comparator: String,
    comparator_url: String,
}

/// A latest result of an ad, by the ad's hash.
#[derive(Clone, Row, Deserialize)]
struct LatestRow {
    ad: u64,
    capture: String,
    target_url: String,
    aclk_urls: Vec<String>,
}

/// A streamed ad with figures and texts in one row.
#[derive(Row, Deserialize)]
struct WholeRow {
    host: String,
    ad_kind: String,
    on_engine: String,
    on_device: String,
    in_country: String,
    in_language: String,
    headline: String,
    text: String,
    shown_url: String,
    landing_url: String,
    amount: String,
    capture: String,
    views: u64,
    mean_rank: f64,
    first_seen: u32,
    last_seen: u32,
    keywords: Vec<String>,
}

/// The `limit` most viewed ads, most viewed first, then by the hash of the ad. An ad whose texts retention drops meanwhile is left out.
pub async fn most_viewed(client: &Client, scope: &Scope, query: &AdsQuery, limit: u32) -> Result<Vec<Ad>, Error> {
    let ads = Statement::new(include_str!("../../../sql/clickhouse/queries/ads.sql"));
    let statement = from_source(client, ads, scope, query).await?;
    let seen: Vec<CountedRow> = client
        .fetch_shared(statement.with("limit", Value::Unsigned(limit.into())))
        .await?;
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    let (texts, latest) = futures::try_join!(texts_of(client, &seen), latest_of(client, scope, query, &seen))?;
    let mut texts: HashMap<u64, TextsRow> = texts.into_iter().map(|texts| (texts.ad, texts)).collect();
    let mut latest: HashMap<u64, LatestRow> = latest.into_iter().map(|latest| (latest.ad, latest)).collect();
    // Retention may drop the month of an ad between the two queries.
    let shown = seen
        .into_iter()
        .filter_map(|seen| Some(assemble_ad(texts.remove(&seen.ad)?, latest.remove(&seen.ad)?, seen)));
    Ok(shown.collect())
}

/// How many distinct ads the query finds in all, by kind.
pub async fn count(client: &Client, scope: &Scope, query: &AdsQuery) -> Result<AdCount, Error> {
    let count = Statement::new(include_str!("../../../sql/clickhouse/queries/count_ads.sql"));
    let statement = from_source(client, count, scope, query).await?;
    Ok(client.fetch_shared(statement).await?.pop().unwrap_or_default())
}

/// Whether the mean ranks of the text ads of a query mix ranks over the whole page with older ones, which counted ads alone. Shopping ads are not
/// looked at.
pub async fn mixes_ranks(client: &Client, scope: &Scope, query: &AdsQuery) -> Result<bool, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/mixed_ranks.sql"));
    let found: Vec<MixedRow> = client
        .fetch_shared(statement.restricted(ads_conditions(scope, query)))
        .await?;
    Ok(found.first().is_some_and(|found| found.mixed > 0))
}

/// The `most` most viewed ads, most viewed first, as a stream that its first error ends. Images, comparison services and click addresses are empty,
/// and the words of the terms are in alphabetical order.
pub fn stream(
    client: &Client,
    scope: &Scope,
    query: &AdsQuery,
    most: u32,
) -> impl Stream<Item = Result<Ad, Error>> + Send + use<> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/all_ads.sql"))
        .restricted(ads_conditions(scope, query))
        .with("limit", Value::Unsigned(most.into()));
    client.stream(statement).map_ok(ad_for_file)
}

/// Fills `${source}` and the conditions of a query. One for an hour of the week reads the results alone, since roll-ups do not have the hours.
async fn from_source(
    client: &Client,
    statement: Statement,
    scope: &Scope,
    query: &AdsQuery,
) -> Result<Statement, Error> {
    if query.hour.is_some() {
        return Ok(source::fill_with_results(statement, ads_conditions(scope, query)));
    }
    source::fill(client, statement, scope, &query.filters, 1).await
}

/// The texts of these ads, in no order. An ad whose texts were dropped is left out.
async fn texts_of(client: &Client, seen: &[CountedRow]) -> Result<Vec<TextsRow>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/ad_texts.sql"));
    client.fetch_shared(of_ads(statement, seen)).await
}

/// A latest result of each of these ads under the query, in no order. An ad whose results were dropped is left out.
async fn latest_of(
    client: &Client,
    scope: &Scope,
    query: &AdsQuery,
    seen: &[CountedRow],
) -> Result<Vec<LatestRow>, Error> {
    let latest = seen.iter().map(|seen| (seen.ad, seen.last_seen)).collect();
    let brands: BTreeSet<i64> = seen.iter().map(|seen| seen.brand.into()).collect();
    let days: BTreeSet<i64> = seen
        .iter()
        .map(|seen| instant(seen.last_seen).date_naive().to_epoch_days().into())
        .collect();
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/latest_results.sql"))
        .restricted(ads_conditions(scope, query))
        .with("brands", Value::Integers(brands.into_iter().collect()))
        .with("days", Value::Integers(days.into_iter().collect()))
        .with("latest", Value::Instants(latest));
    client.fetch_shared(of_ads(statement, seen)).await
}

/// Sets the parameters `domains` and `ads` to those of these ads.
fn of_ads(statement: Statement, seen: &[CountedRow]) -> Statement {
    let domains: BTreeSet<&String> = seen.iter().map(|seen| &seen.domain).collect();
    statement
        .with("domains", Value::Texts(domains.into_iter().cloned().collect()))
        .with("ads", Value::Unsigneds(seen.iter().map(|seen| seen.ad).collect()))
}

/// The conditions of the scope and the filters and, if the query names an hour of the week, of that hour in the query's time zone.
fn ads_conditions(scope: &Scope, query: &AdsQuery) -> Conditions {
    let mut conditions = conditions(scope, &query.filters);
    if let Some(HourOfWeek { weekday, hour, zone }) = query.hour {
        let zone = || Value::Text(zone.name().to_owned());
        conditions.push_pair(
            "toDayOfWeek(seen_at, 0, {$1:String}) = {$2:UInt8}",
            [zone(), Value::Unsigned(weekday.into())],
        );
        conditions.push_pair(
            "toHour(seen_at, {$1:String}) = {$2:UInt8}",
            [zone(), Value::Unsigned(hour.into())],
        );
    }
    conditions
}

/// The time that many seconds after 1970.
fn instant(seconds: u32) -> DateTime<Utc> {
    DateTime::from_timestamp_secs(seconds.into()).unwrap_or_default()
}

/// Puts together an ad: domain, keywords, views, position and times from `seen`, capture and addresses from its latest result, the rest from its
/// texts.
fn assemble_ad(texts: TextsRow, latest: LatestRow, seen: CountedRow) -> Ad {
    Ad {
        capture: latest.capture,
        domain: seen.domain,
        kind: texts.ad_kind,
        engine: texts.on_engine,
        device: texts.on_device,
        country: texts.in_country,
        language: texts.in_language,
        title: texts.title,
        description: texts.description,
        display_url: texts.display_url,
        target_url: latest.target_url,
        aclk_urls: latest.aclk_urls,
        image: texts.image,
        price: texts.price,
        comparator_name: texts.comparator,
        comparator_url: texts.comparator_url,
        keywords: seen.keywords,
        views: seen.views,
        position: seen.mean_rank,
        first_seen: instant(seen.first_seen),
        last_seen: instant(seen.last_seen),
    }
}

/// Makes a streamed row an ad for a file. Files do not show click addresses, image and comparison service, so these stay empty.
fn ad_for_file(row: WholeRow) -> Ad {
    Ad {
        capture: row.capture,
        domain: row.host,
        kind: row.ad_kind,
        engine: row.on_engine,
        device: row.on_device,
        country: row.in_country,
        language: row.in_language,
        title: row.headline,
        description: row.text,
        display_url: row.shown_url,
        target_url: row.landing_url,
        aclk_urls: Vec::new(),
        image: String::new(),
        price: row.amount,
        comparator_name: String::new(),
        comparator_url: String::new(),
        keywords: row.keywords,
        views: row.views,
        position: row.mean_rank,
        first_seen: instant(row.first_seen),
        last_seen: instant(row.last_seen),
    }
}

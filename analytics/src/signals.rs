//! What ads show about the advertisers behind them, by day: kept for the links between domains, and read by readers of some brands.

use chrono::NaiveDate;
use clickhouse::Row;
use futures::Stream;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vocabulary::Scope;

use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Signals of a domain that are read, those of most ads first.
const MOST_OF_DOMAIN: u32 = 2_000;

/// A distinct ad of a day.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct AdOfDay {
    /// The number of the brand whose terms showed it.
    pub brand: u32,
    /// The country of the page, ISO 3166.
    pub place: String,
    /// The advertiser's host.
    pub host: String,
    /// The headline, as the page shows it.
    pub headline: String,
    /// The text below it.
    pub words: String,
    /// Address of the product's picture; empty for none.
    pub picture: String,
    /// The engine's id of the merchant; empty for none.
    pub merchant_number: String,
    /// A landing page of it.
    pub target: String,
    /// Addresses that count a click on it.
    pub clicks: Vec<String>,
    /// The name of the latest capture that shows it.
    pub capture: String,
}

/// What ads of one domain show on one day, for one brand and country.
#[derive(Clone, Debug, PartialEq, Eq, Row, Serialize)]
pub struct SignalOfDay {
    /// The day, UTC.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub day: NaiveDate,
    /// The number of the brand whose terms showed the ads.
    pub brand_id: u32,
    /// The country of the pages, ISO 3166.
    pub country: String,
    /// The advertiser's host.
    pub domain: String,
    /// What it is, such as `merchant`.
    pub kind: String,
    /// Equal for equal things.
    pub value: String,
    /// Distinct ads that show it.
    pub ads: u32,
    /// A capture that shows one of them.
    #[serde(with = "clickhouse::serde::uuid")]
    pub capture_id: Uuid,
}

/// What ads of one domain show.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct SignalOfDomain {
    /// The advertiser's host.
    pub host: String,
    /// What it is, such as `merchant`.
    pub sort: String,
    /// Equal for equal things.
    pub value: String,
    /// Distinct ads that show it, those of each day for themselves.
    pub shown: u64,
    /// The countries of the ads, in no order.
    pub countries: Vec<String>,
    /// The name of a late capture that shows it.
    pub capture: String,
}

/// The domains that show one thing.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct DomainsOfSignal {
    /// What it is, such as `merchant`.
    pub sort: String,
    /// Equal for equal things.
    pub value: String,
    /// Some of those that the reader sees, 16 at most, in no order.
    pub hosts: Vec<String>,
    /// How many there are of all brands.
    pub users: u64,
}

/// The last day of which signals are stored; `None` without any.
pub async fn stored_until(client: &Client) -> Result<Option<NaiveDate>, Error> {
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/signalled_until.sql"));
    let latest: u16 = client.fetch_one(statement).await?;
    Ok(NaiveDate::from_epoch_days(i32::from(latest)).filter(|_| latest > 0))
}

/// The distinct ads of a day (UTC) that brands have, one by one, in no order.
pub fn ads_of_day(client: &Client, day: NaiveDate) -> impl Stream<Item = Result<AdOfDay, Error>> + Send + use<> {
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/ads_of_day.sql"));
    client.stream(statement.with("day", Value::Text(day.to_string())))
}

/// Stores signals; those that are stored already are replaced by equal ones.
pub async fn store(client: &Client, signals: &[SignalOfDay]) -> Result<(), Error> {
    if signals.is_empty() {
        return Ok(());
    }
    let failed = |error| client.error(error);
    let inserted = async {
        let mut insert = client
            .database()
            .insert::<SignalOfDay>("ad_signals")
            .await
            .map_err(failed)?;
        for signal in signals {
            insert.write(signal).await.map_err(failed)?;
        }
        insert.end().await.map_err(failed)
    };
    client.while_alive(inserted).await
}

/// Forgets the signals of days before `day`.
pub async fn forget_before(client: &Client, day: NaiveDate) -> Result<(), Error> {
    let statement = Statement::new(include_str!("../../sql/clickhouse/queries/forget_signals.sql"));
    client
        .change(statement.with("before", Value::Text(day.to_string())))
        .await
}

/// What the ads of these domains show to a reader since a day, those of most ads first; 2,000 signals of a domain at most.
pub async fn of_domains(
    client: &Client,
    scope: &Scope,
    domains: &[String],
    since: NaiveDate,
) -> Result<Vec<SignalOfDomain>, Error> {
    let file = include_str!("../../sql/clickhouse/queries/signals_of_domains.sql");
    let statement = of_reader(file, scope, domains, since).with("most", Value::Unsigned(MOST_OF_DOMAIN.into()));
    client.fetch_shared(statement).await
}

/// For each thing that the ads of these domains show to a reader since a day, and those of others, too: the domains that show it.
pub async fn shared(
    client: &Client,
    scope: &Scope,
    domains: &[String],
    since: NaiveDate,
) -> Result<Vec<DomainsOfSignal>, Error> {
    let file = include_str!("../../sql/clickhouse/queries/domains_of_signals.sql");
    client.fetch_shared(of_reader(file, scope, domains, since)).await
}

/// A statement over what a reader sees of these domains: that of own brands, without single terms of others.
fn of_reader(file: &str, scope: &Scope, domains: &[String], since: NaiveDate) -> Statement {
    let brands = scope.brands();
    let numbers = brands.unwrap_or_default().iter().map(|brand| brand.0.into()).collect();
    Statement::new(file)
        .with("domains", Value::Texts(domains.to_vec()))
        .with("since", Value::Text(since.to_string()))
        .with("all_brands", Value::Flag(brands.is_none()))
        .with("brands", Value::Integers(numbers))
}

//! How much of all views an advertiser has: by day, and by where a change came from.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::conditions;
use crate::filter::{Comparison, Filters};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// Views of one domain on one day; under the empty name those of all domains that were not asked for.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct DayOfDomain {
    /// The day, in the time zone of the query.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub local_day: NaiveDate,
    /// The domain, or empty.
    pub name: String,
    /// Views of text ads.
    pub text_ads: u64,
    /// Views of shopping ads.
    pub shopping_ads: u64,
}

/// Views of one domain in one country and on one kind of device.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct PlaceOfDomain {
    /// Country of the searches, two letters.
    pub in_country: String,
    /// As [`vocabulary::Device`] displays.
    pub on_device: String,
    /// Views in the period.
    pub now_views: u64,
    /// Views in the time it is compared with.
    pub earlier_views: u64,
}

/// The views by day of both times of a comparison, which replace the period of the filters: of each of the `names`, and of all others together. Days
/// are those of the zone, ascending; those without views are left out.
pub async fn by_day(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    names: &[String],
    (compared, zone): (&Comparison, Tz),
) -> Result<Vec<DayOfDomain>, Error> {
    let statement = of_both_times(
        include_str!("../../../sql/clickhouse/queries/days_of_domains.sql"),
        scope,
        filters,
        compared,
    )
    .with("names", Value::Texts(names.to_vec()))
    .with("zone", Value::Text(zone.name().to_owned()));
    client.fetch_shared(statement).await
}

/// The views of a domain in both times of a comparison by country and device.
pub async fn by_place(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    domain: &str,
    compared: &Comparison,
) -> Result<Vec<PlaceOfDomain>, Error> {
    let statement = of_both_times(
        include_str!("../../../sql/clickhouse/queries/places_of_domain.sql"),
        scope,
        filters,
        compared,
    )
    .with("name", Value::Text(domain.to_owned()))
    .with("since", Value::Integer(compared.from.timestamp().max(0)));
    client.fetch_shared(statement).await
}

/// A statement over the results of both times of a comparison.
fn of_both_times(file: &str, scope: &Scope, filters: &Filters, compared: &Comparison) -> Statement {
    let mut conditions = conditions(scope, &filters.without_date().0);
    let seconds = |at: DateTime<Utc>| at.timestamp().max(0);
    let within = conditions.within_any(&[
        (seconds(compared.earlier_from), seconds(compared.earlier_until)),
        (seconds(compared.from), seconds(compared.until)),
    ]);
    Statement::new(file).fill("within", &within).restricted(conditions)
}

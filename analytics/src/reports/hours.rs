//! The hours of the week in which something was seen, and in which it was searched.

use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::{conditions, source};
use crate::filter::{Condition, Filters};
use crate::statement::{Conditions, Statement, Value};
use crate::{Client, Error};

/// What was seen in one hour of every week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct SeenHour {
    /// 1 for Monday to 7 for Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// Times that an ad was seen.
    pub views: u64,
    /// Distinct ads among the views.
    pub ads: u64,
    /// Captures that show one of them.
    pub captures: u64,
}

/// Captures of a term in one hour of every week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct CapturesOfHour {
    /// The number of the term.
    pub term: u32,
    /// 1 for Monday to 7 for Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// Captures of the term in that hour that show an ad.
    pub captures: u64,
}

/// What was seen under the filters, by hour of the week in a time zone, in no order. Hours without anything are left out.
pub async fn seen(client: &Client, scope: &Scope, filters: &Filters, zone: Tz) -> Result<Vec<SeenHour>, Error> {
    let file = include_str!("../../../sql/clickhouse/queries/hours.sql");
    client
        .fetch_shared(hours_statement(file, conditions(scope, filters), zone))
        .await
}

/// How many captures show an ad, by term and hour of the week in a time zone, in no order; hours without any are left out. Conditions on ads are
/// ignored, so that only what was searched counts.
pub async fn captures_with_ads(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    zone: Tz,
) -> Result<Vec<CapturesOfHour>, Error> {
    let file = include_str!("../../../sql/clickhouse/queries/captures_with_ads.sql");
    let conditions = conditions(scope, &filters.of_captures());
    client.fetch_shared(hours_statement(file, conditions, zone)).await
}

/// Captures with ads in one hour of every week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct PresenceOfHour {
    /// 1 for Monday to 7 for Sunday.
    pub weekday: u8,
    /// 0 to 23.
    pub hour: u8,
    /// Captures that show an ad of others.
    pub with_others: u64,
    /// Captures that show any ad.
    pub captures: u64,
}

/// How many captures under the filters show an ad that `others` holds for, and how many any ad at all, by hour of the week in a time zone, in no order;
/// hours without any are left out. A capture whose ads were corrected to several days counts once for each. Conditions of the filters on ads are ignored.
pub async fn presence(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    others: &Condition,
    zone: Tz,
) -> Result<Vec<PresenceOfHour>, Error> {
    let (filters, instants) = filters.of_captures().without_date();
    let times = [(*instants.start(), *instants.end())];
    let cover = source::days_with_hosts(client, (scope, &filters), &times).await?;
    let mut sources = Vec::new();
    if !cover.days.is_empty() {
        sources.push(include_str!("../../../sql/clickhouse/queries/captures_of_days.sql"));
    }
    if sources.is_empty() || !cover.rest.is_empty() {
        sources.push(include_str!("../../../sql/clickhouse/queries/captures_of_results.sql"));
    }
    let file = include_str!("../../../sql/clickhouse/queries/presence.sql");
    let mut conditions = conditions(scope, &filters);
    let of_others = conditions.fragment(|conditions| others.add_to(conditions));
    let within = conditions.within_any(&cover.rest);
    let statement = Statement::new(file)
        .fill("source", &sources.join(source::UNION))
        .fill("others", &of_others)
        .fill("within", &within)
        .restricted(conditions)
        .with("zone", Value::Text(zone.name().to_owned()));
    client.fetch_shared(source::with_days(statement, cover.days)).await
}

/// A statement of this file with the conditions and the name of the time zone.
fn hours_statement(file: &str, conditions: Conditions, zone: Tz) -> Statement {
    Statement::new(file)
        .restricted(conditions)
        .with("zone", Value::Text(zone.name().to_owned()))
}

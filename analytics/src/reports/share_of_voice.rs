//! How much of all views an advertiser has: in all, by day, and by where a change came from.

use chrono::NaiveDate;
use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::{conditions, source};
use crate::filter::{Comparison, Condition, Filters};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// As for the list of domains.
const EASE: u64 = 4;

/// The views of both times of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Voices {
    /// Hosts with views in either time: the brands' own first, then the others, each with most views in the period first.
    pub hosts: Vec<VoiceOfHost>,
    /// Totals of the period over all hosts.
    pub period: VoiceTotals,
    /// The same of the time it is compared with.
    pub earlier: VoiceTotals,
}

/// The views of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceOfHost {
    /// The advertiser's host.
    pub domain: String,
    /// Whether it is one of the brands' own.
    pub is_own: bool,
    /// Views in the period.
    pub views: u64,
    /// Views in the time it is compared with.
    pub earlier_views: u64,
}

/// What the list of domains says of all its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VoiceTotals {
    /// Hosts that were seen.
    pub domains: u64,
    /// Their distinct ads.
    pub ads: u64,
    /// Results that show them.
    pub views: u64,
}

/// A [`VoiceOfHost`] as ClickHouse returns it, with the totals in each row.
#[derive(Clone, Row, Deserialize)]
struct StoredVoice {
    name: String,
    is_own: bool,
    period_views: u64,
    earlier_views: u64,
    period_domains: u64,
    earlier_domains: u64,
    period_total_views: u64,
    earlier_total_views: u64,
    period_total_ads: u64,
    earlier_total_ads: u64,
}

/// The views of one advertiser on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct DayOfVoice {
    /// The day, in the time zone of the query.
    #[serde(with = "clickhouse::serde::chrono::date")]
    pub local_day: NaiveDate,
    /// The advertiser, counted from 1; 0 for all others together.
    pub voice: u16,
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

/// The views that a scope sees in both times of a comparison, which replace the period of the filters, by host: up to `most` hosts of the brands' own,
/// which `own` holds for, and as many others.
pub async fn by_host(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    own: &Condition,
    (compared, most): (&Comparison, u32),
) -> Result<Voices, Error> {
    let mut conditions = conditions(scope, &filters.without_date().0);
    let of_own = conditions.fragment(|conditions| own.add_to(conditions));
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/voices.sql")).fill("own", &of_own);
    let statement = source::fill_both_times(client, statement, (scope, filters), conditions, compared, EASE)
        .await?
        .with("since", since(compared))
        .with("most", Value::Unsigned(most.into()));
    let stored: Vec<StoredVoice> = client.fetch_shared(statement).await?;
    let Some(first) = stored.first() else {
        return Ok(Voices::default());
    };
    let (period, earlier) = (
        VoiceTotals {
            domains: first.period_domains,
            ads: first.period_total_ads,
            views: first.period_total_views,
        },
        VoiceTotals {
            domains: first.earlier_domains,
            ads: first.earlier_total_ads,
            views: first.earlier_total_views,
        },
    );
    let hosts = stored.into_iter().map(|row| VoiceOfHost {
        domain: row.name,
        is_own: row.is_own,
        views: row.period_views,
        earlier_views: row.earlier_views,
    });
    Ok(Voices {
        hosts: hosts.collect(),
        period,
        earlier,
    })
}

/// The views by day of both times of a comparison, which replace the period of the filters: of each of the `voices`, which are hosts taken together,
/// and of all others. Days are those of the zone, ascending; those without views are left out.
pub async fn by_day(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    voices: &[Vec<String>],
    (compared, zone): (&Comparison, Tz),
) -> Result<Vec<DayOfVoice>, Error> {
    let numbered = voices.iter().zip(1_i64..);
    let (hosts, numbers) = numbered
        .flat_map(|(hosts, number)| hosts.iter().map(move |host| (host.clone(), number)))
        .unzip();
    let statement = of_both_times(
        include_str!("../../../sql/clickhouse/queries/days_of_voices.sql"),
        scope,
        filters,
        compared,
    )
    .with("hosts", Value::Texts(hosts))
    .with("numbers", Value::Integers(numbers))
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
    .with("since", since(compared));
    client.fetch_shared(statement).await
}

/// A statement over the results of both times of a comparison.
fn of_both_times(file: &str, scope: &Scope, filters: &Filters, compared: &Comparison) -> Statement {
    let mut conditions = conditions(scope, &filters.without_date().0);
    let within = conditions.within_any(&compared.times());
    Statement::new(file).fill("within", &within).restricted(conditions)
}

/// The parameter that tells the period of a comparison from the time before.
fn since(compared: &Comparison) -> Value {
    Value::Integer(compared.from.timestamp().max(0))
}

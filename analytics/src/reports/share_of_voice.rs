//! How much of all views an advertiser has: in all, by day, and by where a change came from.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use chrono_tz::Tz;
use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::day_split::{self, DaySplit, HOURS_OF_DAY};
use super::{conditions, source};
use crate::filter::{Comparison, Condition, Filters};
use crate::roll_up::{Build, Coverage};
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

/// The views of one advertiser on one closed day of UTC.
#[derive(Clone, Copy, Row, Deserialize)]
struct ClosedDayOfVoice {
    #[serde(with = "clickhouse::serde::chrono::date")]
    day: NaiveDate,
    voice: u16,
    text_ads: u64,
    shopping_ads: u64,
    /// Those of them on the first day of its [`DaySplit`].
    text_ads_of_first: u64,
    shopping_ads_of_first: u64,
}

/// Views of text and of shopping ads by local day and voice.
type ViewsByDay = BTreeMap<(NaiveDate, u16), (u64, u64)>;

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
    let times = compared.times();
    let mut cover = source::days_with_hosts(client, (scope, filters), &times).await?;
    let mut splits = day_split::of_builds(&cover.days, zone);
    if splits.len() < cover.days.len() {
        (cover, splits) = (Coverage::of_results(&times), BTreeMap::new());
    }
    let question = (scope, filters, voices);
    let (of_results, of_closed_days) = tokio::try_join!(
        days_of_results(client, question, &cover.rest, zone),
        closed_days(client, question, cover.days, &splits)
    )?;
    let mut found = ViewsByDay::new();
    let mut add = |day: NaiveDate, voice: u16, (text_ads, shopping_ads): (u64, u64)| {
        if text_ads + shopping_ads > 0 {
            let views = found.entry((day, voice)).or_default();
            views.0 += text_ads;
            views.1 += shopping_ads;
        }
    };
    for day in of_results {
        add(day.local_day, day.voice, (day.text_ads, day.shopping_ads));
    }
    for day in of_closed_days {
        let Some(DaySplit { first, .. }) = splits.get(&day.day) else {
            continue;
        };
        let of_first = (day.text_ads_of_first, day.shopping_ads_of_first);
        add(*first, day.voice, of_first);
        let of_next = (day.text_ads - of_first.0, day.shopping_ads - of_first.1);
        add(first.succ_opt().unwrap_or(*first), day.voice, of_next);
    }
    let days = found
        .into_iter()
        .map(|((local_day, voice), (text_ads, shopping_ads))| DayOfVoice {
            local_day,
            voice,
            text_ads,
            shopping_ads,
        });
    Ok(days.collect())
}

/// Whose views are asked for: scope, filters and voices.
type VoicesQuestion<'a> = (&'a Scope, &'a Filters, &'a [Vec<String>]);

/// The views by local day in the results of these spans of seconds.
async fn days_of_results(
    client: &Client,
    (scope, filters, voices): VoicesQuestion<'_>,
    spans: &[(i64, i64)],
    zone: Tz,
) -> Result<Vec<DayOfVoice>, Error> {
    if spans.is_empty() {
        return Ok(Vec::new());
    }
    let mut conditions = conditions(scope, &filters.without_date().0);
    let within = conditions.within_any(spans);
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/days_of_voices.sql"))
        .fill("within", &within)
        .restricted(conditions)
        .with("zone", Value::Text(zone.name().to_owned()));
    client.fetch_shared(of_voices(statement, voices)).await
}

/// The views of these closed days, whose splits are known.
async fn closed_days(
    client: &Client,
    (scope, filters, voices): VoicesQuestion<'_>,
    days: Vec<Build>,
    splits: &BTreeMap<NaiveDate, DaySplit>,
) -> Result<Vec<ClosedDayOfVoice>, Error> {
    if days.is_empty() {
        return Ok(Vec::new());
    }
    let file = include_str!("../../../sql/clickhouse/queries/closed_days_of_voices.sql");
    let statement =
        with_first_part(Statement::new(file), splits).restricted(conditions(scope, &filters.without_date().0));
    client
        .fetch_shared(source::with_days(of_voices(statement, voices), days))
        .await
}

/// Fills `${of_first}` with the views of a day before the hour of its split.
fn with_first_part(mut statement: Statement, splits: &BTreeMap<NaiveDate, DaySplit>) -> Statement {
    let mut days_by_hour: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for (day, split) in splits {
        let days = days_by_hour.entry(split.hour).or_default();
        days.push(day.to_epoch_days().into());
    }
    let views_until = |hour: u32| match hour {
        HOURS_OF_DAY => "views".to_owned(),
        hour => format!("views_before.h{hour}"),
    };
    let last = days_by_hour.pop_last();
    let mut of_first = last.map_or_else(String::new, |(hour, _)| views_until(hour));
    // Only where clocks were changed in between.
    for (hour, days) in days_by_hour {
        let name = format!("days_until_{hour}");
        of_first = format!(
            "if(toUInt16(day) IN {{{name}:Array(UInt16)}}, {}, {of_first})",
            views_until(hour)
        );
        statement = statement.with(&name, Value::Integers(days));
    }
    statement.fill("of_first", &of_first)
}

/// Names the hosts of the voices and their numbers.
fn of_voices(statement: Statement, voices: &[Vec<String>]) -> Statement {
    let (hosts, numbers) = voices
        .iter()
        .zip(1_i64..)
        .flat_map(|(hosts, number)| hosts.iter().map(move |host| (host.clone(), number)))
        .unzip();
    statement
        .with("hosts", Value::Texts(hosts))
        .with("numbers", Value::Integers(numbers))
}

/// The views of a domain in both times of a comparison by country and device.
pub async fn by_place(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    domain: &str,
    compared: &Comparison,
) -> Result<Vec<PlaceOfDomain>, Error> {
    let mut conditions = conditions(scope, &filters.without_date().0);
    let within = conditions.within_any(&compared.times());
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/places_of_domain.sql"))
        .fill("within", &within)
        .restricted(conditions)
        .with("name", Value::Text(domain.to_owned()))
        .with("since", since(compared));
    client.fetch_shared(statement).await
}

/// The parameter that tells the period of a comparison from the time before.
fn since(compared: &Comparison) -> Value {
    Value::Integer(compared.from.timestamp().max(0))
}

//! Adding up what lanes saved on the days that are over.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use postgres::Pool;
use postgres::stop_go::days::{self, LaneFigures, StoredDay};
use postgres::stop_go::{decisions, lanes, readings};
use stop_go::live;
use stop_go::{Base, DaySaving, LaneDay, Rates, Settings, TypedAverages, saving_of_day, typed_saving};
use vocabulary::SystemScope;

use crate::Error;

/// Google's figures come late: what is shown ends this many days ago (decision D197).
const LATE_DAYS: u64 = 4;
/// Days that are added up again until they are final.
const OPEN_DAYS: u64 = 8;
/// Days without a stop that the expectation is made of, and how far back they are looked for.
const BASE_DAYS: usize = 14;
const BASE_SPAN: Days = Days::new(28);
/// Days whose cost counts for the cap on cost.
const COST_SPAN: Days = Days::new(30);
/// Readings of a lane on a day.
const MOST_READINGS: i64 = 5_000;

const SCOPE: SystemScope = SystemScope::new("adding up what lanes saved");

/// Adds up the last days of the lanes that were stopped on them: stopped time by the decisions, less the time in which the own ad was still shown, and what it
/// saved by Google's figures, or by typed averages until Google has them. Notes what each lane costs.
pub async fn add_up(pool: &Pool, now: DateTime<Utc>) -> Result<(), Error> {
    let costs_end = now.date_naive() - Days::new(LATE_DAYS);
    lanes::note_costs(pool, &SCOPE, (costs_end - COST_SPAN, costs_end)).await?;
    let since = now.date_naive() - Days::new(OPEN_DAYS);
    for lane in days::lanes_stopped_since(pool, &SCOPE, since).await? {
        let members = lanes::members(pool, &SCOPE, lane).await?;
        let settings = members
            .first()
            .and_then(|member| live::settings_of(&member.settings).ok())
            .unwrap_or_default();
        let today = now.with_timezone(&settings.zone).date_naive();
        let first = today - Days::new(OPEN_DAYS);
        let (value_per_click, pmax_percent) = days::worth(pool, &SCOPE, lane).await?;
        let known = Known {
            typed: days::typed_averages(pool, &SCOPE, lane).await?,
            figures: days::figures(pool, &SCOPE, lane, (first - BASE_SPAN, today)).await?,
            rates: Rates {
                value_per_click,
                ..Rates::default()
            },
            covered: 1.0 - pmax_percent.unwrap_or(0.0).clamp(0.0, 100.0) / 100.0,
        };
        let closed = days::final_days(pool, &SCOPE, lane, first).await?;
        for day in first.iter_days().take_while(|day| *day <= today) {
            if closed.contains(&day) {
                continue;
            }
            let stored = day_of(pool, (lane, day), &settings, &known, today).await?;
            let mut tx = postgres::begin(pool).await?;
            days::save(&mut tx, &SCOPE, &stored).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
        }
    }
    Ok(())
}

/// What the saving of a lane is made of, beside the time that it was stopped.
struct Known {
    /// Click rate in percent, price of a click and monthly searches, as they were typed.
    typed: Option<(f64, f64, f64)>,
    figures: Vec<LaneFigures>,
    rates: Rates,
    /// The share of cost that lists cover.
    covered: f64,
}

impl Known {
    /// What a day on which a lane was stopped for this share of it saved, by Google's figures, and the days that these are compared with; `None` while
    /// Google has none of that day, or too few of the days before.
    fn by_google(&self, day: NaiveDate, stopped_share: f64) -> Option<(DaySaving, u32)> {
        let on_day = self
            .figures
            .iter()
            .find(|figures| figures.date == day && figures.is_final)?;
        let impressions = u64::try_from(on_day.impressions?).ok()?;
        let before = self.figures.iter().rev().filter(|figures| {
            figures.date < day
                && figures.date >= day - BASE_SPAN
                && !figures.was_stopped
                && figures.impressions.is_some()
        });
        let before: Vec<&LaneFigures> = before.take(BASE_DAYS).collect();
        let base_of = |days: &mut dyn Iterator<Item = &&LaneFigures>| {
            let days: Vec<LaneDay> = days.map(|figures| lane_day(figures)).collect();
            Base::of_days(&days)
        };
        // Days of rest are compared with days of rest, where there are enough of them.
        let same = base_of(&mut before.iter().filter(|figures| rests(figures.date) == rests(day)));
        let base = same.or_else(|| base_of(&mut before.iter()))?;
        let stopped = LaneDay {
            impressions,
            stopped_share: stopped_share * self.covered,
            ..LaneDay::default()
        };
        Some((saving_of_day(&base, &stopped, &self.rates), base.days))
    }
}

fn rests(day: NaiveDate) -> bool {
    matches!(day.weekday(), Weekday::Sat | Weekday::Sun)
}

fn lane_day(figures: &LaneFigures) -> LaneDay {
    let whole = |count: i64| u64::try_from(count).unwrap_or(0);
    LaneDay {
        ad_clicks: whole(figures.ad_clicks),
        // A hundredth of the currency is enough, and an exact number.
        cost: f64::from(i32::try_from(figures.cost_micros / 10_000).unwrap_or(i32::MAX)) / 100.0,
        impressions: whole(figures.impressions.unwrap_or(0)),
        stopped_share: 0.0,
    }
}

async fn day_of(
    pool: &Pool,
    (lane, day): (i32, NaiveDate),
    settings: &Settings,
    known: &Known,
    today: NaiveDate,
) -> Result<StoredDay, Error> {
    let span = (
        midnight(day, settings.zone),
        midnight(day + Days::new(1), settings.zone),
    );
    let states = decisions::states(pool, &SCOPE, lane, span).await?;
    let seen = readings::between(pool, &SCOPE, lane, span, MOST_READINGS).await?;
    let stopped = stopped_spans(&states, span);
    let total: TimeDelta = stopped.iter().map(|(from, until)| *until - *from).sum();
    let harm: TimeDelta = seen
        .iter()
        .filter(|reading| reading.verdict == "rival")
        .filter_map(|reading| {
            let (_, until) = stopped
                .iter()
                .find(|(from, until)| (*from..*until).contains(&reading.at))?;
            Some(*until - reading.at)
        })
        .max()
        .unwrap_or_default();
    // An own ad on the page means that the negative does not work: nothing was saved.
    let is_shown = seen.iter().any(|reading| {
        reading.own_ad
            && stopped
                .iter()
                .any(|(from, until)| (*from..*until).contains(&reading.at))
    });
    let counted = if is_shown { TimeDelta::zero() } else { total - harm };
    let share = counted.as_seconds_f64() / (span.1 - span.0).as_seconds_f64().max(1.0);
    let by_google = known.by_google(day, share);
    let by_typing = known.typed.map(|(ctr_percent, cpc, monthly_searches)| {
        let averages = TypedAverages {
            ctr_percent,
            cpc,
            monthly_searches,
        };
        typed_saving(&averages, counted.as_seconds_f64() / 3_600.0, &known.rates)
    });
    let (source, saving, base_days) = match (by_google, by_typing) {
        (Some((saving, days)), _) => ("google", saving, days),
        (None, Some(saving)) => ("typed", saving, 0),
        (None, None) => ("none", DaySaving::default(), 0),
    };
    // Google's figures may come late; then the day is not added up any more.
    let is_last = day + Days::new(OPEN_DAYS) <= today;
    Ok(StoredDay {
        lane,
        day,
        stopped_seconds: whole_seconds(total),
        harm_seconds: whole_seconds(harm),
        toggles: i32::try_from(stopped.len() * 2).unwrap_or(i32::MAX),
        gross: saving.gross,
        lost_clicks: saving.lost_clicks,
        net_low: saving.net_low,
        net_high: saving.net_high,
        base_days: i32::try_from(base_days).unwrap_or(i32::MAX),
        source: source.to_owned(),
        is_final: is_last || source == "google" && day + Days::new(LATE_DAYS) <= today,
    })
}

/// The spans of a day in which a lane was stopped, by the states that it entered.
fn stopped_spans(
    states: &[(DateTime<Utc>, String)],
    (from, until): (DateTime<Utc>, DateTime<Utc>),
) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
    let ends = states.iter().skip(1).map(|(at, _)| *at).chain([until]);
    let spans = states.iter().zip(ends).filter(|((_, state), _)| state == "stopped");
    spans
        .map(|((at, _), end)| ((*at).max(from), end.min(until)))
        .filter(|(from, until)| from < until)
        .collect()
}

/// The beginning of a day in a time zone; the first minute that exists where the clock is moved at midnight.
fn midnight(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    let at = day.and_hms_opt(0, 0, 0).unwrap_or_default();
    let local = zone.from_local_datetime(&at).earliest();
    local.map_or_else(|| at.and_utc(), |local| local.with_timezone(&Utc))
}

fn whole_seconds(span: TimeDelta) -> i32 {
    i32::try_from(span.num_seconds()).unwrap_or(i32::MAX)
}

//! The questions of the home page about a period and the time before it: from results and from roll-ups alike, and as lists say.

use std::collections::{BTreeMap, BTreeSet};

use analytics::Client;
use analytics::filter::{Comparison, Condition, Field, Filters, Operator};
use analytics::ingest::AdRow;
use analytics::reports::domains::{self, DomainsPage, DomainsQuery, Sort};
use analytics::reports::page::{Direction, Page};
use analytics::reports::{creatives, hours, newcomers, share_of_voice};
use analytics::roll_up::{self, seal_closed_days};
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use vocabulary::{Scope, UserId};

use crate::engine::Engine;
use crate::sample::{DAY, START, row, store};

const OWN: &str = "one.example";
const MOST: u32 = 500;

fn at(seconds: u32) -> DateTime<Utc> {
    DateTime::from_timestamp_secs(seconds.into()).unwrap()
}

/// A period that begins and ends within a day.
fn period() -> (DateTime<Utc>, DateTime<Utc>) {
    (at(START + 5 * DAY + 7_200), at(START + 9 * DAY + 3_599))
}

/// Ten days of results, most of them rolled up; one advertiser is first seen in the period and one in the time before.
async fn filled() -> (Engine, Client, Vec<AdRow>) {
    let (engine, client) = Engine::migrated().await;
    let first_seen = |domain: &str, seen_at: u32, seed: u32| AdRow {
        domain: domain.to_owned(),
        master: domain.to_owned(),
        seen_at,
        slot_time: seen_at,
        ..row(seed)
    };
    // Results of one capture, corrected by hand: one to another term, one to another day.
    let corrected = |seen_at: u32, seed: u32, term_id: u32| AdRow {
        capture_id: row(5_001).capture_id,
        term_id,
        ..first_seen("fresh.example", seen_at, seed)
    };
    let fresh = [
        corrected(START + 6 * DAY, 5_005, 77),
        corrected(START + 7 * DAY, 5_006, row(5_001).term_id),
        first_seen("fresh.example", START + 6 * DAY, 5_001),
        first_seen("fresh.example", START + 8 * DAY, 5_002),
        first_seen("early.example", START + 3 * DAY, 5_003),
        first_seen("early.example", START + 7 * DAY, 5_004),
    ];
    let mut rows = store(&client, 1, (0..2_000).map(row).chain(fresh)).await;
    seal_closed_days(&client).await.unwrap();
    rows.extend(store(&client, 2, (0..40).map(row)).await);
    (engine, client, rows)
}

fn asked() -> (Scope, Filters, Comparison) {
    let (from, until) = period();
    let filters: Filters = [Condition::seen_between(Some(from), Some(until))].into_iter().collect();
    let now = until + TimeDelta::days(30);
    let compared = filters.comparison(Tz::UTC, now).unwrap();
    (Scope::everything(UserId(1)), filters, compared)
}

/// The condition that the field has an `e` somewhere, as most texts of the sample have.
fn holds(field: Field) -> Condition {
    Condition::read(field, Operator::Contain, &["e".to_owned()]).unwrap()
}

async fn listed(client: &Client, scope: &Scope, filters: Filters) -> DomainsPage {
    let query = DomainsQuery {
        filters,
        sort: Sort::NbViews,
        direction: Direction::Desc,
        page: Page::All,
    };
    domains::list(client, scope, &query).await.unwrap()
}

#[tokio::test]
async fn voices_of_both_times_are_those_of_the_list_of_each() {
    let (_engine, results, _) = filled().await;
    let (scope, filters, compared) = asked();
    let own = Condition::advertisers(true, vec![OWN.to_owned()]);
    for client in [results.clone(), results.always_rolled_up()] {
        let now = listed(&client, &scope, filters.clone()).await;
        let before = filters.within(compared.earlier_from, compared.earlier_until);
        let before = listed(&client, &scope, before).await;
        let voices = share_of_voice::by_host(&client, &scope, &filters, &own, (&compared, MOST))
            .await
            .unwrap();
        for (totals, list) in [(voices.period, &now), (voices.earlier, &before)] {
            assert_eq!(
                (totals.domains, totals.ads, totals.views),
                (list.total, list.total_ads, list.total_views)
            );
        }
        let views = |list: &DomainsPage, domain: &str| {
            let row = list.rows.iter().find(|row| row.domain == domain);
            row.map_or(0, |row| row.nb_views)
        };
        assert_eq!(voices.hosts.len(), 7);
        for host in &voices.hosts {
            assert_eq!(host.is_own, host.domain == OWN);
            assert_eq!(host.views, views(&now, &host.domain), "{host:?}");
            assert_eq!(host.earlier_views, views(&before, &host.domain), "{host:?}");
        }
        assert!(voices.hosts[0].is_own);
        assert!(voices.hosts[1..].is_sorted_by(|one, next| one.views >= next.views));
        // As many of the own and of the others as asked for, however they compare.
        let few = share_of_voice::by_host(&client, &scope, &filters, &own, (&compared, 1)).await;
        let few: Vec<bool> = few.unwrap().hosts.iter().map(|host| host.is_own).collect();
        assert_eq!(few, [true, false]);
    }
}

#[tokio::test]
async fn days_of_voices_add_up_to_their_views() {
    let (_engine, client, _) = filled().await;
    let (scope, filters, compared) = asked();
    let voices = [
        vec![OWN.to_owned(), "two.example".to_owned()],
        vec!["three.example".to_owned()],
    ];
    let days = share_of_voice::by_day(&client, &scope, &filters, &voices, (&compared, Tz::UTC))
        .await
        .unwrap();
    let now = listed(&client, &scope, filters.clone()).await;
    let first = compared.from.date_naive();
    for (number, hosts) in (1..).zip(&voices) {
        let of_list = now.rows.iter().filter(|row| hosts.contains(&row.domain));
        let of_days = days
            .iter()
            .filter(|day| day.voice == number && day.local_day > first)
            .map(|day| day.text_ads + day.shopping_ads);
        let of_first = days
            .iter()
            .filter(|day| day.voice == number && day.local_day == first)
            .map(|day| day.text_ads + day.shopping_ads);
        // The first day of the period is also the last of the time before.
        let (of_days, of_first): (u64, u64) = (of_days.sum(), of_first.sum());
        let of_list: u64 = of_list.map(|row| row.nb_views).sum();
        assert!(of_days < of_list && of_list <= of_days + of_first, "{number}");
    }
    let all: u64 = days.iter().map(|day| day.text_ads + day.shopping_ads).sum();
    let before = filters.within(compared.earlier_from, compared.earlier_until);
    assert_eq!(all, now.total_views + listed(&client, &scope, before).await.total_views);
}

#[tokio::test]
async fn days_of_voices_are_the_same_from_roll_ups_in_every_time_zone() {
    let (_engine, results, _) = filled().await;
    let (scope, _, _) = asked();
    let voices = [vec![OWN.to_owned()], vec!["three.example".to_owned()]];
    let (from, until) = (at(START + 4 * DAY), at(START + 9 * DAY - 1));
    for zone in [
        Tz::UTC,
        Tz::Europe__Paris,
        Tz::America__New_York,
        Tz::Asia__Kolkata,
        Tz::Pacific__Auckland,
        Tz::Pacific__Honolulu,
    ] {
        for field in [
            None,
            Some(Condition::of_brands(&[vocabulary::BrandId(1)])),
            Some(holds(Field::AdTitle)),
            Some(holds(Field::AdDescription)),
            Some(holds(Field::Domain)),
            Some(holds(Field::KeywordContent)),
        ] {
            let filters: Filters = [Condition::seen_between(Some(from), Some(until))]
                .into_iter()
                .chain(field)
                .collect();
            let compared = filters.comparison(zone, until + TimeDelta::days(30)).unwrap();
            let ask = async |client: &Client| {
                let days = share_of_voice::by_day(client, &scope, &filters, &voices, (&compared, zone)).await;
                days.unwrap()
            };
            let (from_results, from_roll_ups) = (ask(&results).await, ask(&results.always_rolled_up()).await);
            assert!(from_results.len() > 5, "{zone}");
            assert_eq!(from_results, from_roll_ups, "{zone}");
        }
    }
}

#[tokio::test]
async fn days_that_were_built_without_hosts_are_read_from_the_results_and_built_again() {
    let (engine, client, _) = filled().await;
    let (scope, filters, compared) = asked();
    let rolled_up = client.always_rolled_up();
    let ask = async || {
        let voices = [vec![OWN.to_owned()]];
        let days = share_of_voice::by_day(&rolled_up, &scope, &filters, &voices, (&compared, Tz::UTC)).await;
        days.unwrap()
    };
    let before = ask().await;
    let change = async |statement: &str| {
        engine.plain().query(statement).execute().await.unwrap();
        // The next question does not use what was read before.
        roll_up::open(&client, at(START + 20 * DAY).date_naive()).await.unwrap();
    };
    // As an earlier version leaves them.
    change("ALTER TABLE ad_day_builds UPDATE hosts = 0 WHERE true SETTINGS mutations_sync = 2").await;
    change("TRUNCATE TABLE host_days").await;
    assert_eq!(ask().await, before);
    seal_closed_days(&client).await.unwrap();
    assert_eq!(ask().await, before);
    change("TRUNCATE TABLE host_days").await;
    assert_ne!(ask().await, before, "it was read from the hosts");
}

#[tokio::test]
async fn newcomers_of_both_times_are_those_of_each() {
    let (_engine, results, _) = filled().await;
    let (scope, filters, compared) = asked();
    let earlier = (compared.earlier_from, compared.earlier_until);
    for client in [results.clone(), results.always_rolled_up()] {
        let both = newcomers::list_compared(&client, &scope, &filters, period(), &compared)
            .await
            .unwrap();
        let now = newcomers::list(&client, &scope, &filters, period()).await.unwrap();
        let before = newcomers::list(&client, &scope, &filters, earlier).await.unwrap();
        let names: Vec<&str> = now.iter().map(|newcomer| newcomer.domain.as_str()).collect();
        assert_eq!(names, ["fresh.example"]);
        assert_eq!(both.list, now);
        assert_eq!(both.earlier_new, before.len() as u64);
        assert!(before.iter().any(|newcomer| newcomer.domain == "early.example"));
        assert_eq!(both.earlier_returning, 0);
    }
}

#[tokio::test]
async fn who_is_back_was_away_for_thirty_days() {
    let (_engine, results) = Engine::migrated().await;
    let away = 30 * DAY;
    let often: Vec<u32> = (0..9).map(|number| number * 5 * DAY).collect();
    let seen: [(&str, &[u32]); 6] = [
        ("back.example", &[DAY, DAY + away]),
        ("almost.example", &[2 * DAY, 2 * DAY + away - 900]),
        // Several sightings of a week, and again when it is back.
        ("busy.example", &[DAY, 3 * DAY, 4 * DAY, 4 * DAY + away, 5 * DAY + away]),
        ("often.example", &often),
        ("gone.example", &[DAY, 3 * DAY]),
        ("fresh.example", &[33 * DAY, 34 * DAY]),
    ];
    let rows = seen.iter().flat_map(|(domain, times)| {
        times.iter().zip(0..).map(|(time, seed)| AdRow {
            domain: (*domain).to_owned(),
            master: (*domain).to_owned(),
            seen_at: START + time,
            slot_time: START + time,
            ..row(seed)
        })
    });
    store(&results, 1, rows).await;
    seal_closed_days(&results).await.unwrap();
    let period = (at(START + 31 * DAY), at(START + 40 * DAY - 1));
    let (scope, filters) = (Scope::everything(UserId(1)), Filters::none());
    for client in [results.clone(), results.always_rolled_up()] {
        let found = newcomers::list(&client, &scope, &filters, period).await.unwrap();
        let mut found: Vec<_> = found
            .into_iter()
            .map(|newcomer| (newcomer.domain, newcomer.since, newcomer.away))
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                (
                    "back.example".to_owned(),
                    at(START + DAY + away),
                    Some(TimeDelta::days(30))
                ),
                (
                    "busy.example".to_owned(),
                    at(START + 4 * DAY + away),
                    Some(TimeDelta::days(30))
                ),
                ("fresh.example".to_owned(), at(START + 33 * DAY), None),
            ]
        );
    }
}

#[tokio::test]
async fn two_times_within_one_quarter_of_an_hour_are_not_mixed_up() {
    let (_engine, client, _) = filled().await;
    let period = (at(START + 6 * DAY + 300), at(START + 6 * DAY + 599));
    let filters: Filters = [Condition::seen_between(Some(period.0), Some(period.1))]
        .into_iter()
        .collect();
    let compared = filters.comparison(Tz::UTC, period.1 + TimeDelta::days(30)).unwrap();
    let scope = Scope::everything(UserId(1));
    let both = newcomers::list_compared(&client, &scope, &filters, period, &compared)
        .await
        .unwrap();
    let mut names: Vec<_> = both.list.iter().map(|newcomer| &newcomer.domain).collect();
    names.dedup();
    assert_eq!(names.len(), both.list.len());
}

#[tokio::test]
async fn top_creatives_are_those_with_most_views() {
    let (_engine, results, rows) = filled().await;
    let (scope, mut filters, _) = asked();
    filters.push(Condition::advertisers(false, vec![OWN.to_owned()]));
    let (from, until) = period();
    let mut counted: BTreeMap<(String, String, String), (u64, BTreeSet<String>)> = BTreeMap::new();
    for row in rows {
        if row.domain != OWN && (from..=until).contains(&at(row.seen_at)) {
            let creative = counted.entry((row.domain, row.kind, row.title)).or_default();
            creative.0 += 1;
            creative.1.insert(row.country);
        }
    }
    let mut expected: Vec<_> = counted.into_iter().collect();
    expected.sort_by_key(|(name, (views, _))| (u64::MAX - views, name.clone()));
    expected.truncate(5);
    for client in [results.clone(), results.always_rolled_up()] {
        let found = creatives::top(&client, &scope, &filters, 5).await.unwrap();
        let found: Vec<_> = found
            .into_iter()
            .map(|row| {
                let countries = row.countries.into_iter().collect();
                ((row.host, row.ad_kind, row.headline), (row.nb_views, countries))
            })
            .collect();
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn captures_with_others_are_counted_once() {
    let (_engine, client, rows) = filled().await;
    let (scope, filters, _) = asked();
    let (from, until) = period();
    let others = Condition::advertisers(false, vec![OWN.to_owned()]);
    let ask = async |client: &Client| {
        let mut hours = hours::presence(client, &scope, &filters, &others, Tz::Europe__Paris)
            .await
            .unwrap();
        hours.sort_by_key(|hour| (hour.weekday, hour.hour));
        hours
    };
    let found = ask(&client).await;
    assert_eq!(ask(&client.always_rolled_up()).await, found);
    let seen = rows.iter().filter(|row| (from..=until).contains(&at(row.seen_at)));
    let capture = |row: &AdRow| (row.capture_id, at(row.seen_at).date_naive());
    let captures: BTreeSet<_> = seen.clone().map(capture).collect();
    let with_others: BTreeSet<_> = seen.filter(|row| row.domain != OWN).map(capture).collect();
    assert_eq!(
        found.iter().map(|hour| hour.captures).sum::<u64>(),
        captures.len() as u64
    );
    assert_eq!(
        found.iter().map(|hour| hour.with_others).sum::<u64>(),
        with_others.len() as u64
    );
    assert!(with_others.len() < captures.len());
}

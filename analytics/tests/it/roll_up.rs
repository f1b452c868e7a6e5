use analytics::Client;
use analytics::filter::Filters;
use analytics::ingest::delete;
use analytics::reports::domains::{DomainsQuery, Sort, list};
use analytics::reports::page::{Direction, Page};
use analytics::roll_up::{check, open, seal_closed_days};
use chrono::NaiveDate;
use vocabulary::{Scope, UserId};

use crate::engine::Engine;
use crate::sample::{row, store};

#[tokio::test]
async fn sealed_days_say_what_the_results_say() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    assert_eq!(seal_closed_days(&client).await.unwrap(), 10);
    assert_eq!(check(&client).await.unwrap(), []);
    let views = "SELECT sum(views) FROM ad_days WHERE (day, build) IN (SELECT day, build FROM ad_day_builds FINAL WHERE sealed)";
    assert_eq!(engine.plain().query(views).fetch_one::<u64>().await.unwrap(), 2_000);
    let weeks = "SELECT toString(week), sum(views) FROM ad_weeks GROUP BY week";
    assert_eq!(
        engine.plain().query(weeks).fetch_all::<(String, u64)>().await.unwrap(),
        [("2026-01-01".to_owned(), 1_424), ("2026-01-08".to_owned(), 576)]
    );
    assert_eq!(seal_closed_days(&client).await.unwrap(), 0);
}

#[tokio::test]
async fn a_late_batch_opens_its_days_and_the_next_build_holds_it() {
    let (_engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    store(&client, 2, [row(3)]).await;
    assert_eq!(views(&client).await, 2_001, "no roll-up of its day or week hides it");
    assert_eq!(seal_closed_days(&client).await.unwrap(), 1);
    assert_eq!(check(&client).await.unwrap(), []);
    assert_eq!(views(&client).await, 2_001);
}

#[tokio::test]
async fn a_deletion_opens_its_days_and_the_next_build_lacks_it() {
    let (_engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    store(&client, 2, [row(3)]).await;
    seal_closed_days(&client).await.unwrap();
    delete(&client, 2).await.unwrap();
    assert_eq!(views(&client).await, 2_000);
    assert_eq!(seal_closed_days(&client).await.unwrap(), 1);
    assert_eq!(check(&client).await.unwrap(), []);
    assert_eq!(views(&client).await, 2_000);
}

#[tokio::test]
async fn the_checker_finds_a_broken_roll_up() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    // Another sum of ranks, one view in another hour, and a capture that shows one more host.
    for (number, change) in [
        "ad_days UPDATE rank_sum = rank_sum + 1 WHERE day = '2026-01-04' AND ad IN (SELECT min(ad) FROM ad_days WHERE day = '2026-01-04')",
        "host_days UPDATE views_before = $MOVED WHERE day = '2026-01-05'",
        "capture_days UPDATE hosts = arrayConcat(hosts, ['another.example']) WHERE day = '2026-01-06' AND seen_at IN \
            (SELECT min(seen_at) FROM capture_days WHERE day = '2026-01-06')",
    ]
    .iter()
    .enumerate()
    {
        let others: Vec<String> = (2..24).map(|hour| format!("views_before.h{hour}")).collect();
        let moved = format!("(views_before.h1 + 1, {})", others.join(", "));
        let change = format!("ALTER TABLE {} SETTINGS mutations_sync = 2", change.replace("$MOVED", &moved));
        engine.plain().query(&change).execute().await.unwrap();
        let found = check(&client).await.unwrap();
        let days: Vec<String> = found.iter().map(|difference| difference.day.to_string()).collect();
        assert_eq!(days, ["2026-01-04", "2026-01-05", "2026-01-06"][..=number]);
    }
}

#[tokio::test]
async fn a_broken_week_is_found_and_rebuilt_when_one_of_its_days_is_opened() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    let moved = "ALTER TABLE ad_weeks UPDATE title = 'another' WHERE week = '2026-01-08' SETTINGS mutations_sync = 2";
    engine.plain().query(moved).execute().await.unwrap();
    let found = check(&client).await.unwrap();
    assert_eq!(found.len(), 1);
    open(&client, found[0].day).await.unwrap();
    assert_eq!(seal_closed_days(&client).await.unwrap(), 1);
    assert_eq!(check(&client).await.unwrap(), []);
}

#[tokio::test]
async fn builds_that_no_day_is_read_from_go_an_hour_after_their_days_changed() {
    let (engine, client) = Engine::migrated().await;
    store(&client, 1, (0..2_000).map(row)).await;
    seal_closed_days(&client).await.unwrap();
    // Builds of long ago: of a day that did not change since, of one that changed just now, and of both.
    for (table, first, changed) in [
        ("ad_days", "day", "2026-01-04"),
        ("host_days", "day", "2026-01-04"),
        ("capture_days", "day", "2026-01-04"),
        ("ad_weeks", "week", "2026-01-08"),
    ] {
        for (build, day) in [(1, "2025-12-01"), (2, changed), (3, "2025-12-01"), (3, changed)] {
            let copy = format!(
                "INSERT INTO {table} SELECT * REPLACE({build} AS build, toDate('{day}') AS {first}) FROM \
                 (SELECT * FROM {table} WHERE {first} = '{changed}' AND build > 3)"
            );
            engine.plain().query(&copy).execute().await.unwrap();
        }
    }
    open(&client, NaiveDate::from_ymd_opt(2026, 1, 4).unwrap())
        .await
        .unwrap();
    seal_closed_days(&client).await.unwrap();
    for table in ["ad_days", "host_days", "capture_days", "ad_weeks"] {
        let left = format!("SELECT DISTINCT build FROM {table} WHERE build <= 3 ORDER BY build");
        let left: Vec<u64> = engine.plain().query(&left).fetch_all().await.unwrap();
        assert_eq!(left, [2, 3], "{table}");
    }
}

/// All views of the Domains list.
async fn views(client: &Client) -> u64 {
    let everything = DomainsQuery {
        filters: Filters::none(),
        sort: Sort::default(),
        direction: Direction::default(),
        page: Page::All,
    };
    let page = list(&client.always_rolled_up(), &Scope::everything(UserId(1)), &everything)
        .await
        .unwrap();
    page.total_views
}

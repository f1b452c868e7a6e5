//! Counts of cases that are kept with each change.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::DateTime;
use postgres::actions::list::{self, ActionsQuery, Sort};
use postgres::actions::{Condition, DateField};
use postgres::invariants;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, RngExt, SeedableRng};
use strum::VariantArray;
use testkit::Postgres;
use vocabulary::{ActionStatus, BrandId, Engine, KeywordType, Scope, SystemScope, UserId};

const SYSTEM: SystemScope = SystemScope::new("test");
/// Ninety cases of three brands, each on terms of up to three types.
const CASES: &str = "
    insert into brand (name, label, validated) select 'brand' || n, 'Brand ' || n, true from generate_series(1, 3) n;
    insert into term (term, keyword_type) select 'term ' || n, (array['GENERIC', 'BRAND', 'GENERIC_BRAND', 'MULTIBRAND', null])[1 + n % 5]
        from generate_series(1, 12) n;
    insert into action (brand_id, domain, country, engine)
        select 1 + n % 3, 'shop' || n || '.example', (array['FR', 'BE'])[1 + n % 2], (array['google', 'bing'])[1 + n / 2 % 2]
        from generate_series(1, 90) n;
    insert into action_term (action_id, term_id, last_seen)
        select a.id, t.id, '2026-01-01' from action a join term t on t.id % 12 in (a.id % 12, a.id / 12 % 12, a.id * 5 % 12)";
/// What may happen to cases and their terms, drawn by the number `$1`.
const CHANGES: [&str; 12] = [
    "update action set status = case when status = 'new' then 'requested' else 'new' end where id % 7 = $1 % 7",
    "update action set status = 'inprogress', waiting = not coalesce(waiting, false) where id % 5 = $1 % 5",
    "update action set unread_count = $1 % 3 where id % 11 = $1 % 11",
    "update action set waiting = null, unread_count = null where id % 13 = $1 % 13",
    "update action set brand_id = 1 + $1 % 3, country = null where id % 17 = $1 % 17",
    "update action set last_view = now(), priority = $1 where id % 3 = $1 % 3",
    "update term set keyword_type = (array['GENERIC', 'BRAND', 'GENERIC_BRAND', null])[1 + $1 % 4] where id % 4 = $1 / 4 % 4",
    "insert into action_term (action_id, term_id, last_seen) select a.id, t.id, now() from action a, term t
         where a.id % 9 = $1 % 9 and t.id = 1 + $1 % 12 order by a.brand_id, a.country, a.engine, a.domain on conflict do nothing",
    "delete from action_term where action_id % 6 = $1 % 6 and term_id % 5 = $1 % 5",
    "delete from action where id = $1 % 100",
    "insert into action (brand_id, domain, country, engine) values (1 + $1 % 3, 'new' || $1 || '.example', 'DE', 'bing') on conflict do nothing",
    "select fold_case_counts() where $1 > 0",
];

async fn cases() -> Postgres {
    let store = Postgres::new().await;
    store.execute(CASES).await;
    store
}

/// Changes the cases as the number draws.
async fn change(connection: &mut postgres::Connection, number: i32) -> Result<(), postgres::Error> {
    let change = CHANGES[usize::try_from(number).unwrap() % CHANGES.len()];
    sqlx::query(change).bind(number).execute(connection).await?;
    Ok(())
}

/// What breaks the invariants of the counts.
async fn broken(store: &Postgres) -> Vec<String> {
    let found = invariants::violations(&store.pool, DateTime::UNIX_EPOCH, Duration::from_hours(24)).await;
    let of_counts = |broken: &invariants::Violation| ["O15", "O16"].contains(&broken.invariant.as_str());
    let found = found.unwrap().into_iter().filter(of_counts);
    found
        .map(|broken| format!("{} {}", broken.subject, broken.detail))
        .collect()
}

/// A few conditions that cases are counted by.
fn conditions(random: &mut StdRng) -> Vec<Condition> {
    let include = random.random_bool(0.6);
    let types = |random: &mut StdRng| {
        let count = random.random_range(1..=2);
        KeywordType::VARIANTS.sample(random, count).copied().collect()
    };
    let all = [
        Condition::Brands(include, vec![BrandId(random.random_range(1..=3))]),
        Condition::Engines(include, vec![Some(Engine::Bing), None]),
        Condition::Countries(include, vec!["FR".to_owned(), "DE".to_owned()]),
        Condition::Statuses(include, vec![ActionStatus::Requested]),
        Condition::Waiting(include),
        Condition::UnreadMails(include),
        Condition::KeywordTypes(include, types(random)),
        Condition::Between(DateField::LastView, None, None),
    ];
    let count = random.random_range(0..=3);
    all.into_iter().sample(random, count)
}

/// How many of the listed cases are in each status.
async fn listed(store: &Postgres, scope: &Scope, conditions: Vec<Condition>) -> BTreeMap<ActionStatus, u64> {
    let query = ActionsQuery {
        conditions,
        sort: Sort::Priority,
        descending: true,
        limit: 10_000,
        offset: 0,
    };
    let mut counts = BTreeMap::new();
    for case in list::page(&store.pool, scope, &query, None).await.unwrap() {
        *counts.entry(case.status).or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn cases_are_counted_as_they_are_listed_after_any_changes() {
    let seed = rand::rng().next_u64();
    let mut random = StdRng::seed_from_u64(seed);
    let store = cases().await;
    let company = Scope::within(UserId(1), vec![BrandId(1), BrandId(3)], vec![]);
    for round in 0..testkit::repeats(30, 200) {
        let mut connection = store.pool.acquire().await.unwrap();
        for _ in 0..10 {
            change(&mut connection, random.random_range(0..100_000)).await.unwrap();
        }
        drop(connection);
        assert_eq!(broken(&store).await, Vec::<String>::new(), "seed {seed}, round {round}");
        for scope in [&*SYSTEM, &company] {
            let conditions = conditions(&mut random);
            let of_any_status = conditions.iter().filter(|one| !one.is_of_status()).cloned().collect();
            assert_eq!(
                list::count(&store.pool, scope, &conditions).await.unwrap(),
                listed(&store, scope, of_any_status).await,
                "seed {seed}, round {round}: {conditions:?}"
            );
        }
    }
    store
        .execute("delete from brand where id = 2; delete from term where id < 6")
        .await;
    assert_eq!(broken(&store).await, Vec::<String>::new(), "seed {seed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cases_are_counted_whole_while_many_change_them() {
    const AT_ONCE: i32 = 6;
    const EACH: i32 = 25;
    let store = cases().await;
    let changing = (0..AT_ONCE).map(|place| {
        let pool = store.pool.clone();
        tokio::spawn(async move {
            for n in 0..EACH {
                let numbers = [n * 7 + place, n * 31 + place * 11];
                loop {
                    let mut tx = postgres::begin(&pool).await.unwrap();
                    let done = async {
                        // Circles are many here, and found by waiting.
                        sqlx::raw_sql("set local deadlock_timeout = '10ms'")
                            .execute(&mut *tx)
                            .await?;
                        for number in numbers {
                            change(&mut tx, number).await?;
                        }
                        Ok::<_, postgres::Error>(())
                    };
                    match done.await {
                        Ok(()) => break tx.commit().await.unwrap(),
                        // Two that change the same cases in another order: one of them begins again.
                        Err(error) if error.is_contended() => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
            }
        })
    });
    for one in changing.collect::<Vec<_>>() {
        one.await.unwrap();
    }
    assert_eq!(broken(&store).await, Vec::<String>::new());
    let rows = "select count(*) from case_count";
    let before = store.fetch::<i64>(rows).await;
    store.execute("select fold_case_counts()").await;
    assert!(store.fetch::<i64>(rows).await < before);
    assert_eq!(broken(&store).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_type_that_changes_while_a_case_is_noted_on_its_term_is_that_of_the_case() {
    const NOTE: &str =
        "insert into action_term (action_id, term_id, last_seen) values (1, 12, now()) on conflict do nothing";
    const CHANGE: &str = "update term set keyword_type = 'MULTIBRAND' where id = 12";
    for (first, second) in [(NOTE, CHANGE), (CHANGE, NOTE)] {
        let store = cases().await;
        store.execute("delete from action_term where term_id = 12").await;
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        sqlx::query(first).execute(&mut *tx).await.unwrap();
        let pool = store.pool.clone();
        let other = tokio::spawn(async move { sqlx::query(second).execute(&pool).await });
        let waiting =
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        while store.fetch::<i64>(waiting).await < 1 {
            assert!(!other.is_finished(), "{second} does not wait for {first}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tx.commit().await.unwrap();
        other.await.unwrap().unwrap();
        assert_eq!(broken(&store).await, Vec::<String>::new(), "{first}");
        let has = "select 'MULTIBRAND' = any(keyword_types) from action where id = 1";
        assert!(store.fetch::<bool>(has).await, "{first}");
    }
}

#[tokio::test]
async fn counting_by_what_is_kept_reads_no_case() {
    let store = cases().await;
    let mut gate = postgres::begin(&store.pool).await.unwrap();
    sqlx::raw_sql("lock table action in access exclusive mode")
        .execute(&mut *gate)
        .await
        .unwrap();
    let conditions = [
        Condition::KeywordTypes(true, vec![KeywordType::Brand]),
        Condition::UnreadMails(false),
    ];
    let counting = async { list::count(&store.pool, &SYSTEM, &conditions).await };
    let counts = tokio::time::timeout(Duration::from_secs(20), counting)
        .await
        .expect("nothing is waited for");
    assert!(counts.unwrap()[&ActionStatus::New] > 0);
}

#[tokio::test]
async fn changes_are_added_up_once_they_are_many() {
    let store = cases().await;
    let rows = "select count(*) from case_count";
    let kinds = "select count(*) from (
        select distinct brand_id, country, engine, status, waiting, unread_count > 0, keyword_types from action) of_each_kind";
    store
        .execute("alter sequence case_count_change restart with 19998")
        .await;
    let change = "update action set status = 'requested' where id = 1";
    let change_back = "update action set status = 'new' where id = 1";
    store.execute(change).await;
    assert!(store.fetch::<i64>(rows).await > store.fetch::<i64>(kinds).await);
    store.execute(change_back).await;
    assert_eq!(store.fetch::<i64>(rows).await, store.fetch::<i64>(kinds).await);
    // What they were added up to is no change.
    assert_eq!(
        store.fetch::<i64>("select last_value from case_count_change").await,
        20_001
    );
    assert_eq!(broken(&store).await, Vec::<String>::new());
}

#[tokio::test]
async fn types_of_keywords_are_no_news_of_a_case_but_what_follows_is() {
    let store = cases().await;
    let mut listener = sqlx::postgres::PgListener::connect_with(&store.pool).await.unwrap();
    listener.listen("resource_changes").await.unwrap();
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    sqlx::raw_sql("update term set keyword_type = 'MULTIBRAND'; update action set status = 'requested' where id = 1")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    loop {
        let told = listener.recv().await.unwrap();
        let told: serde_json::Value = serde_json::from_str(told.payload()).unwrap();
        if told["table"] == "action" {
            let ids: Vec<_> = told["was"].as_array().unwrap().iter().map(|was| &was["id"]).collect();
            assert_eq!(ids, [1]);
            break;
        }
    }
}

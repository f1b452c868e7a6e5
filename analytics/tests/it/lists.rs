//! Lists against a model that walks over the rows in memory.

mod model;

use analytics::Client;
use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::ingest::AdRow;
use analytics::reports::domains::{DomainRow, DomainsPage, DomainsQuery, Sort, list};
use analytics::reports::page::{Direction, Page};
use analytics::reports::terms::{self, TermRow, TermsPage, TermsQuery};
use analytics::reports::{stats, suggest};
use analytics::roll_up;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use vocabulary::{BrandId, LocalizationId, Scope};

use crate::engine::Engine;
use model::{FieldTest, OWN, READER, field_tests, filled, model_of_domains, model_of_terms, scopes};

/// What a column orders by.
type Key = fn(&DomainRow) -> (f64, String);

const CASES: u32 = 200;

fn query_of_terms(filters: Filters) -> TermsQuery {
    TermsQuery {
        filters,
        sort: terms::Sort::NbCompetitors,
        direction: Direction::Desc,
        page: Page::All,
        officials: vec![(BrandId(1), OWN.to_owned())],
        places: Vec::new(),
    }
}

fn query(filters: Filters) -> DomainsQuery {
    DomainsQuery {
        filters,
        sort: Sort::NbViews,
        direction: Direction::Desc,
        page: Page::All,
    }
}

/// Runs random questions against the model.
fn agrees_with_the_model(runtime: &tokio::runtime::Runtime, client: &Client, rows: &[AdRow]) {
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&(scopes(), field_tests()), |(scope, tests)| {
            let filters: Filters = tests.iter().map(FieldTest::condition).collect();
            let found = runtime
                .block_on(terms::list(client, &scope, &query_of_terms(filters.clone())))
                .unwrap();
            let expected = model_of_terms(rows, &scope, &tests, &found);
            prop_assert_eq!(found, expected);
            let found = runtime.block_on(list(client, &scope, &query(filters))).unwrap();
            prop_assert_eq!(found, model_of_domains(rows, &scope, &tests));
            Ok(())
        })
        .unwrap();
}

#[test]
fn figures_equal_a_count_over_the_rows_for_any_filter_and_scope() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (_engine, client, rows) = runtime.block_on(filled());
    agrees_with_the_model(&runtime, &client, &rows);
}

#[test]
fn figures_stay_equal_when_days_are_rolled_up() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (_engine, client, rows) = runtime.block_on(filled());
    runtime.block_on(roll_up::seal_closed_days(&client)).unwrap();
    let client = client.always_rolled_up();
    agrees_with_the_model(&runtime, &client, &rows);
}

#[tokio::test]
async fn pages_follow_one_another_and_carry_the_totals() {
    let (_engine, client, rows) = filled().await;
    let scope = Scope::everything(READER);
    let whole = model_of_domains(&rows, &scope, &[]);
    let mut pages = Vec::new();
    for number in 1..=4 {
        let listing = DomainsQuery {
            page: Page::Of { number, size: 2 },
            ..query(Filters::none())
        };
        let page = list(&client, &scope, &listing).await.unwrap();
        assert_eq!(
            (page.total, page.total_views, page.total_ads),
            (whole.total, whole.total_views, whole.total_ads)
        );
        pages.extend(page.rows);
    }
    assert_eq!(pages, whole.rows);
}

#[tokio::test]
async fn every_column_orders_both_ways() {
    let (_engine, client, _rows) = filled().await;
    let scope = Scope::everything(READER);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand rows")]
    let keys: [(Sort, Key); 6] = [
        (Sort::Domain, |row| (0.0, row.domain.clone())),
        (Sort::Countries, |row| {
            (row.countries.len() as f64, row.countries.concat())
        }),
        (Sort::NbViews, |row| (row.nb_views as f64, String::new())),
        (Sort::NbAds, |row| (row.nb_ads as f64, String::new())),
        (Sort::AveragePosition, |row| (row.average_position, String::new())),
        (Sort::Visibility, |row| (row.visibility, String::new())),
    ];
    for (sort, key) in keys {
        for direction in [Direction::Asc, Direction::Desc] {
            let listing = DomainsQuery {
                sort,
                direction,
                ..query(Filters::none())
            };
            let rows = list(&client, &scope, &listing).await.unwrap().rows;
            let mut found: Vec<_> = rows.iter().map(key).collect();
            if direction == Direction::Desc {
                found.reverse();
            }
            assert!(
                found.is_sorted_by(|a, b| a.partial_cmp(b).is_some_and(std::cmp::Ordering::is_le)),
                "{sort} {direction}"
            );
        }
    }
}

#[tokio::test]
async fn every_column_of_terms_orders_both_ways_and_pages_follow_one_another() {
    let (_engine, client, rows) = filled().await;
    let scope = Scope::everything(READER);
    let whole = terms::list(&client, &scope, &query_of_terms(Filters::none()))
        .await
        .unwrap();
    assert_eq!(whole, model_of_terms(&rows, &scope, &[], &whole));
    let key = |sort: terms::Sort, row: &TermRow| match sort {
        terms::Sort::Content => row.content.clone(),
        terms::Sort::Engine => row.engine.clone(),
        // The places are given the other way round.
        terms::Sort::Locale => format!("{:05}{}", 1_000 - row.localization.0, row.region),
        terms::Sort::NbCompetitors => format!("{:09}", row.nb_competitors),
        terms::Sort::NbAds => format!("{:09}", row.nb_ads),
        terms::Sort::NbViews => format!("{:09}", row.nb_views),
    };
    let mut places: Vec<LocalizationId> = whole.rows.iter().map(|row| row.localization).collect();
    places.sort_unstable();
    places.dedup();
    places.reverse();
    for sort in <terms::Sort as strum::VariantArray>::VARIANTS {
        for direction in [Direction::Asc, Direction::Desc] {
            let mut found = Vec::new();
            // The page past the last has no rows, and still the totals.
            for number in 1..=whole.total.div_ceil(2) + 1 {
                let listing = TermsQuery {
                    sort: *sort,
                    direction,
                    places: places.clone(),
                    page: Page::Of {
                        number: u32::try_from(number).unwrap(),
                        size: 2,
                    },
                    ..query_of_terms(Filters::none())
                };
                let page = terms::list(&client, &scope, &listing).await.unwrap();
                assert_eq!((page.total, page.total_ads), (whole.total, whole.total_ads));
                found.extend(page.rows);
            }
            assert_eq!(found.len(), whole.rows.len(), "{sort} {direction}");
            let mut keys: Vec<String> = found.iter().map(|row| key(*sort, row)).collect();
            if direction == Direction::Desc {
                keys.reverse();
            }
            assert!(keys.is_sorted(), "{sort} {direction}: {keys:?}");
        }
    }
}

#[tokio::test]
async fn another_companys_rows_never_appear() {
    let (_engine, client, rows) = filled().await;
    let scope = Scope::within(READER, vec![BrandId(2)], vec![]);
    let of_others = Condition::read(Field::Brand, Operator::Inq, &["1".to_owned()]).unwrap();
    let listing = query([of_others.clone()].into_iter().collect());
    assert_eq!(list(&client, &scope, &listing).await.unwrap(), DomainsPage::default());
    let terms_query = query_of_terms([of_others.clone()].into_iter().collect());
    assert_eq!(
        terms::list(&client, &scope, &terms_query).await.unwrap(),
        TermsPage::default()
    );
    let filters: Filters = [of_others].into_iter().collect();
    assert_eq!(
        stats::daily_views(&client, &scope, &filters, chrono_tz::UTC)
            .await
            .unwrap(),
        []
    );
    for subject in [
        suggest::SuggestionKind::Keywords,
        suggest::SuggestionKind::Domains,
        suggest::SuggestionKind::Regions,
    ] {
        assert_eq!(
            suggest::values(&client, &scope, subject, &filters, 50).await.unwrap(),
            []
        );
    }
    let nobody = Scope::within(READER, vec![], vec![]);
    assert_eq!(
        list(&client, &nobody, &query(Filters::none())).await.unwrap(),
        DomainsPage::default()
    );
    let all = stats::daily_views(&client, &scope, &Filters::none(), chrono_tz::UTC)
        .await
        .unwrap();
    let own = rows.iter().filter(|row| row.brand_id == 2).count() as u64;
    assert_eq!(all.iter().map(|day| day.text_ads + day.shopping_ads).sum::<u64>(), own);
}

#[tokio::test]
async fn suggestions_come_most_seen_first() {
    let (_engine, client, _rows) = filled().await;
    let scope = Scope::everything(READER);
    let holds_o = Condition::read(Field::Domain, Operator::Contain, &["O".to_owned()]).unwrap();
    let filters: Filters = [holds_o].into_iter().collect();
    let found = suggest::values(&client, &scope, suggest::SuggestionKind::Domains, &filters, 2)
        .await
        .unwrap();
    assert_eq!(found.len(), 2);
    assert!(found[0].views >= found[1].views && found.iter().all(|value| value.text.contains('o')));
}

#[tokio::test]
async fn more_rows_than_an_unpaged_answer_may_have_are_too_many() {
    let (engine, client) = Engine::migrated().await;
    let many = "INSERT INTO ad_results (brand_id, seen_at, domain) SELECT 1, 1767225600, concat(toString(number), '.example') FROM numbers(10001)";
    engine.plain().query(many).execute().await.unwrap();
    let found = list(&client, &Scope::everything(READER), &query(Filters::none())).await;
    assert!(matches!(found, Err(analytics::Error::TooMany)));
}

//! Lists against a model that walks over the rows in memory.

use std::collections::{BTreeMap, BTreeSet};

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::ingest::AdRow;
use analytics::reports::domains::{DomainRow, DomainsPage, DomainsQuery, Sort, list};
use analytics::reports::page::{Direction, Page};
use analytics::reports::terms::{self, TermRow, TermsPage, TermsQuery};
use analytics::reports::{stats, suggest};
use analytics::{Client, roll_up};
use chrono::{DateTime, Utc};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use vocabulary::{BrandId, LocalizationId, Scope, TermId, UserId};

use crate::engine::Engine;
use crate::sample::{DAY, START, row, store};

/// What a column orders by.
type Key = fn(&DomainRow) -> (f64, String);

const READER: UserId = UserId(1);
const ROWS: u32 = 3_000;
const CASES: u32 = 200;

#[derive(Clone, Debug)]
struct FieldTest {
    field: Field,
    operator: Operator,
    values: Vec<String>,
}

impl FieldTest {
    fn holds(&self, row: &AdRow) -> bool {
        let value = match self.field {
            Field::Brand => row.brand_id.to_string(),
            Field::Term => row.term_id.to_string(),
            Field::Country => row.country.clone(),
            Field::Language => row.language.clone(),
            Field::Region => row.region.clone(),
            Field::Engine => row.engine.clone(),
            Field::Device => row.device.clone(),
            Field::Type => row.kind.clone(),
            Field::KeywordType => row.keyword_type.clone(),
            Field::Domain => row.domain.clone(),
            Field::KeywordContent => row.keyword.clone(),
            Field::AdTitle => row.title.clone(),
            Field::AdDescription => row.description.clone(),
            Field::Position => return self.within(i64::from(row.position), |text| text.parse().unwrap()),
            Field::Date => return self.within(i64::from(row.seen_at), seconds),
        };
        let is_text = matches!(
            self.field,
            Field::Domain | Field::KeywordContent | Field::AdTitle | Field::AdDescription
        );
        let found = self.values.iter().any(|text| match self.operator {
            Operator::Contain | Operator::Exclude if is_text => value.to_lowercase().contains(&text.to_lowercase()),
            _ => &value == text,
        });
        found == matches!(self.operator, Operator::Inq | Operator::Contain)
    }

    fn within(&self, value: i64, read: impl Fn(&str) -> i64) -> bool {
        let end = |index: usize| {
            Some(self.values[index].as_str())
                .filter(|text| !text.is_empty())
                .map(&read)
        };
        end(0).is_none_or(|from| from <= value) && end(1).is_none_or(|to| value <= to)
    }

    fn condition(&self) -> Condition {
        Condition::read(self.field, self.operator, &self.values).unwrap()
    }
}

fn seconds(text: &str) -> i64 {
    text.parse::<DateTime<Utc>>().unwrap().timestamp()
}

fn instant(seconds: u32) -> String {
    DateTime::from_timestamp(i64::from(seconds), 0).unwrap().to_rfc3339()
}

fn choice(field: Field, values: &'static [&'static str]) -> BoxedStrategy<FieldTest> {
    let operators = select(&[Operator::Inq, Operator::Nin, Operator::Contain, Operator::Exclude][..]);
    (operators, subsequence(values, 1..=values.len().min(3)))
        .prop_map(move |(operator, values)| FieldTest {
            field,
            operator,
            values: values.into_iter().map(str::to_owned).collect(),
        })
        .boxed()
}

fn range(
    field: Field,
    ends: impl Strategy<Value = (Option<u32>, Option<u32>)> + 'static,
    show: fn(u32) -> String,
) -> BoxedStrategy<FieldTest> {
    ends.prop_map(move |(from, to)| {
        let (from, to) = match (from, to) {
            (Some(from), Some(to)) if from > to => (Some(to), Some(from)),
            ends => ends,
        };
        let show = |end: Option<u32>| end.map(show).unwrap_or_default();
        FieldTest {
            field,
            operator: Operator::Between,
            values: vec![show(from), show(to)],
        }
    })
    .boxed()
}

fn field_tests() -> impl Strategy<Value = Vec<FieldTest>> {
    let moments = START..START + 10 * DAY;
    let conditions = prop_oneof![
        choice(Field::Brand, &["0", "1", "2", "3", "9"]),
        choice(Field::Term, &["1", "2", "3", "4"]),
        choice(Field::Country, &["FR", "BE", "DE", "IT"]),
        choice(Field::Language, &["fr", "nl"]),
        choice(Field::Region, &["Bretagne", "Occitanie", "Elsewhere"]),
        choice(Field::Engine, &["google", "bing", "yahoo"]),
        choice(Field::Device, &["desktop", "mobile", "tablet"]),
        choice(Field::Type, &["ads", "shopping"]),
        choice(Field::KeywordType, &["GENERIC", "BRAND", "MULTIBRAND"]),
        choice(
            Field::Domain,
            &["one.example", "two.example", "three", "e.ex", "nowhere.example"]
        ),
        choice(Field::KeywordContent, &["running shoes", "SHOES", "red", "red socks"]),
        choice(
            Field::AdTitle,
            &["OFFER 1", "Offer 3 of two.example", "'", "%", "x' OR 1=1 --"]
        ),
        choice(
            Field::AdDescription,
            &["2 days", "Delivered in 1 days", "\\", "{p0:String}"]
        ),
        range(
            Field::Position,
            (proptest::option::of(1..8_u32), proptest::option::of(1..8_u32)),
            |end| end.to_string()
        ),
        range(
            Field::Date,
            (proptest::option::of(moments.clone()), proptest::option::of(moments)),
            instant
        ),
    ];
    proptest::collection::vec(conditions, 0..4)
}

fn scopes() -> impl Strategy<Value = Scope> {
    let ids = |most: usize| subsequence(vec![1, 2, 3, 4], 0..=most);
    let within = (ids(3), ids(2)).prop_map(|(brands, terms)| {
        Scope::within(
            READER,
            brands.into_iter().map(BrandId).collect(),
            terms.into_iter().map(TermId).collect(),
        )
    });
    prop_oneof![Just(Scope::everything(READER)), within]
}

fn sees(scope: &Scope, row: &AdRow) -> bool {
    let term = TermId(row.term_id.cast_signed());
    scope.sees_brand(BrandId(row.brand_id.cast_signed())) || scope.terms().is_some_and(|terms| terms.contains(&term))
}

/// What makes an ad the same one.
type Identity<'a> = [&'a str; 10];

fn identity(row: &AdRow) -> Identity<'_> {
    [
        &row.domain,
        &row.kind,
        &row.engine,
        &row.device,
        &row.country,
        &row.language,
        &row.title,
        &row.description,
        &row.display_url,
        &row.price,
    ]
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand rows")]
fn model(rows: &[AdRow], scope: &Scope, tests: &[FieldTest]) -> DomainsPage {
    #[derive(Default)]
    struct Counted<'a> {
        countries: BTreeSet<&'a str>,
        ads: BTreeSet<Identity<'a>>,
        views: u64,
        ranks: u64,
    }
    let mut domains: BTreeMap<&str, Counted<'_>> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| sees(scope, row) && tests.iter().all(|test| test.holds(row)))
    {
        let seen = domains.entry(&row.domain).or_default();
        seen.countries.insert(&row.country);
        seen.ads.insert(identity(row));
        seen.views += 1;
        seen.ranks += u64::from(if row.kind == "ads" {
            row.real_position
        } else {
            row.position
        });
    }
    let total_views = domains.values().map(|seen| seen.views).sum();
    let mut found: Vec<DomainRow> = domains
        .iter()
        .map(|(domain, seen)| DomainRow {
            domain: (*domain).to_owned(),
            countries: seen.countries.iter().map(|country| (*country).to_owned()).collect(),
            nb_views: seen.views,
            nb_ads: seen.ads.len() as u64,
            average_position: (seen.ranks as f64 / seen.views as f64 * 1e4).round() / 1e4,
            visibility: (seen.views as f64 * 1e4 / total_views as f64).round() / 1e2,
        })
        .collect();
    found.sort_by(|a, b| b.nb_views.cmp(&a.nb_views).then_with(|| a.domain.cmp(&b.domain)));
    DomainsPage {
        total: found.len() as u64,
        total_views,
        total_ads: found.iter().map(|row| row.nb_ads).sum(),
        rows: found,
    }
}

/// A domain that brand 1 calls its own.
const OWN: &str = "one.example";

/// Whether a row of the list shows the facts of a term as a result has them.
fn shows(shown: &TermRow, row: &AdRow) -> bool {
    shown.id.0.cast_unsigned() == row.term_id
        && shown.content == row.keyword
        && shown.engine == row.engine
        && shown.localization.0.cast_unsigned() == row.localization_id
        && shown.region == row.region
}

/// `found` decides between captures of the same instant that disagree on the facts of a term.
fn model_of_terms(rows: &[AdRow], scope: &Scope, tests: &[FieldTest], found: &TermsPage) -> TermsPage {
    #[derive(Default)]
    struct Counted<'a> {
        last: Option<&'a AdRow>,
        competitors: BTreeSet<&'a str>,
        ads: BTreeSet<Identity<'a>>,
        views: u64,
    }
    let mut terms: BTreeMap<u32, Counted<'_>> = BTreeMap::new();
    let mut ads = BTreeSet::new();
    for row in rows
        .iter()
        .filter(|row| sees(scope, row) && tests.iter().all(|test| test.holds(row)))
    {
        let seen = terms.entry(row.term_id).or_default();
        let is_shown = |row: &AdRow| found.rows.iter().any(|shown| shows(shown, row));
        let is_later = |last: &AdRow| (last.seen_at, is_shown(last)) < (row.seen_at, is_shown(row));
        if seen.last.is_none_or(is_later) {
            seen.last = Some(row);
        }
        if (row.brand_id, row.domain.as_str()) != (1, OWN) {
            seen.competitors.insert(&row.domain);
        }
        seen.ads.insert(identity(row));
        ads.insert(identity(row));
        seen.views += 1;
    }
    let mut found: Vec<TermRow> = terms
        .iter()
        .map(|(id, seen)| {
            let last = seen.last.unwrap();
            TermRow {
                id: TermId(id.cast_signed()),
                content: last.keyword.clone(),
                engine: last.engine.clone(),
                localization: LocalizationId(last.localization_id.cast_signed()),
                region: last.region.clone(),
                nb_competitors: seen.competitors.len() as u64,
                nb_ads: seen.ads.len() as u64,
                nb_views: seen.views,
            }
        })
        .collect();
    found.sort_by(|a, b| b.nb_competitors.cmp(&a.nb_competitors).then_with(|| a.id.cmp(&b.id)));
    TermsPage {
        total: found.len() as u64,
        total_views: found.iter().map(|row| row.nb_views).sum(),
        total_ads: ads.len() as u64,
        rows: found,
    }
}

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

async fn filled() -> (Engine, Client, Vec<AdRow>) {
    let (engine, client) = Engine::migrated().await;
    let rows = store(&client, 1, (0..ROWS).map(row)).await;
    (engine, client, rows)
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
            prop_assert_eq!(found, model(rows, &scope, &tests));
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
    let whole = model(&rows, &scope, &[]);
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

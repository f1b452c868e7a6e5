//! The figures of all three lists, asked for over HTTP with random filters, against a straight count over the rows.

use std::collections::{BTreeMap, BTreeSet};

use analytics::ingest::AdRow;
use axum::http::StatusCode;
use chrono::DateTime;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::seen::{DAY, DAYS, START, Seen};

const CASES: u32 = 200;
const TAG_OF_DEALERS: i32 = 101;
const TAG_OF_TERMS: i32 = 102;
/// The dealer and the term that carry the tags.
const TAGGED_DOMAIN: &str = "two.example";
const TAGGED_TERM: u32 = 3;

/// A filter of ads, as all lists spell it but for the names.
#[derive(Clone, Debug)]
enum Asked {
    Brands(bool, Vec<&'static str>),
    Countries(bool, Vec<&'static str>),
    Engines(bool, Vec<&'static str>),
    Kinds(Vec<&'static str>),
    Dates(u32, u32),
    Domain(bool, &'static str),
    DealerTag(bool),
    TermTag(bool),
    Title(&'static str),
}

impl Asked {
    fn holds(&self, row: &AdRow) -> bool {
        let among = |include: bool, values: &[&str], value: &str| values.contains(&value) == include;
        match self {
            Self::Brands(include, values) => among(*include, values, &row.brand_id.to_string()),
            Self::Countries(include, values) => among(*include, values, &row.country),
            Self::Engines(include, values) => among(*include, values, &row.engine),
            Self::Kinds(values) => among(true, values, &row.kind),
            Self::Dates(from, to) => (*from..=*to).contains(&row.seen_at),
            Self::Domain(include, text) => row.domain.contains(&text.to_lowercase()) == *include,
            Self::DealerTag(include) => (row.domain == TAGGED_DOMAIN) == *include,
            Self::TermTag(include) => (row.term_id == TAGGED_TERM) == *include,
            Self::Title(text) => row.title.to_lowercase().contains(&text.to_lowercase()),
        }
    }

    /// As the lists of results are asked, and as the list of actions is.
    fn pairs(&self) -> (Vec<String>, Vec<String>) {
        let list = |name: &str, name_of_action: &str, include: bool, values: &[&str]| {
            let (operator, minus) = if include { ("inq", "") } else { ("nin", "-") };
            (
                values
                    .iter()
                    .map(|value| format!("filters[{name}][{operator}][]={value}"))
                    .collect(),
                values
                    .iter()
                    .map(|value| format!("{name_of_action}[]={minus}{value}"))
                    .collect(),
            )
        };
        let text = |name: &str, include: bool, text: &str| {
            let (operator, minus) = if include { ("contain", "") } else { ("exclude", "-") };
            let escaped = text.replace('.', "\\.");
            let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            (
                vec![format!("filters[{name}][{operator}]={}", encoded(text))],
                vec![format!("{name}[regexp]={}", encoded(&format!("{minus}/{escaped}/i")))],
            )
        };
        match self {
            Self::Brands(include, values) => list("brandID", "brandId", *include, values),
            Self::Countries(include, values) => list("country", "country", *include, values),
            Self::Engines(include, values) => list("engine", "provider", *include, values),
            Self::Kinds(values) => list("type", "type", true, values),
            Self::Dates(from, to) => {
                let (from, to) = (instant(*from), instant(*to));
                (
                    vec![
                        format!("filters[date][start]={from}"),
                        format!("filters[date][end]={to}"),
                    ],
                    vec![format!("lastView[start]={from}"), format!("lastView[end]={to}")],
                )
            }
            Self::Domain(include, holds) => text("domain", *include, holds),
            Self::DealerTag(include) => list(
                "advertiserTag",
                "advertiserTag",
                *include,
                &[TAG_OF_DEALERS.to_string().as_str()],
            ),
            Self::TermTag(include) => list(
                "keywordTag",
                "keywordTag",
                *include,
                &[TAG_OF_TERMS.to_string().as_str()],
            ),
            Self::Title(holds) => text("adTitle", true, holds),
        }
    }
}

fn instant(seconds: u32) -> String {
    DateTime::from_timestamp(seconds.into(), 0)
        .unwrap()
        .format("%FT%TZ")
        .to_string()
}

fn filters() -> impl Strategy<Value = Vec<Asked>> {
    let values = |from: &'static [&'static str]| subsequence(from.to_vec(), 1..=from.len());
    let one = prop_oneof![
        (any::<bool>(), values(&["1", "2", "9"])).prop_map(|(include, brands)| Asked::Brands(include, brands)),
        (any::<bool>(), values(&["FR", "BE", "DE"])).prop_map(|(include, of)| Asked::Countries(include, of)),
        (any::<bool>(), values(&["google", "bing", "yahoo"])).prop_map(|(include, of)| Asked::Engines(include, of)),
        values(&["ads", "shopping"]).prop_map(Asked::Kinds),
        (0..DAYS * DAY, 0..DAYS * DAY)
            .prop_map(|(one, other)| Asked::Dates(START + one.min(other), START + one.max(other))),
        (any::<bool>(), select(&["one.ex", "THREE", "e", "nowhere", "www2."][..]))
            .prop_map(|(include, text)| Asked::Domain(include, text)),
        any::<bool>().prop_map(Asked::DealerTag),
        any::<bool>().prop_map(Asked::TermTag),
        select(&["offer 1", "of two.example", "100% off", "Offer"][..]).prop_map(Asked::Title),
    ];
    // One filter of a kind: a list has each of them once.
    proptest::collection::vec(one, 0..4).prop_map(|all| {
        let mut kinds = BTreeSet::new();
        all.into_iter()
            .filter(|asked| kinds.insert(format!("{:?}", std::mem::discriminant(asked))))
            .collect()
    })
}

/// What a reader's brands are.
const READERS: [(&str, &[u32]); 3] = [
    ("user@acme.example", &[1]),
    ("user@bolt.example", &[2]),
    ("admin@vigie.example", &[1, 2]),
];

type Counted = BTreeMap<String, (u64, u64)>;

/// Views and distinct ads by what makes a row.
fn count<'a>(rows: impl Iterator<Item = &'a AdRow>, key: impl Fn(&AdRow) -> String) -> Counted {
    let mut views: BTreeMap<String, (u64, BTreeSet<[&str; 8]>)> = BTreeMap::new();
    for row in rows {
        let counted = views.entry(key(row)).or_default();
        counted.0 += 1;
        counted.1.insert([
            &row.domain,
            &row.kind,
            &row.engine,
            &row.device,
            &row.country,
            &row.language,
            &row.title,
            &row.description,
        ]);
    }
    views
        .into_iter()
        .map(|(key, (views, ads))| (key, (views, ads.len() as u64)))
        .collect()
}

fn told(page: &Value, key: impl Fn(&Value) -> String) -> Counted {
    let rows = page["data"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            (
                key(row),
                (row["nbViews"].as_u64().unwrap(), row["nbAds"].as_u64().unwrap()),
            )
        })
        .collect()
}

fn key_of_action(row: &AdRow) -> String {
    format!("{} {} {} {}", row.brand_id, row.domain, row.country, row.engine)
}

/// The advertisers that the filters leave, with the figures of those of their ads that the filters speak of.
fn expected_actions(rows: &[&AdRow], asks: &[Asked]) -> Counted {
    let mut of: BTreeMap<String, Vec<&AdRow>> = BTreeMap::new();
    for row in rows {
        of.entry(key_of_action(row)).or_default().push(row);
    }
    let mut left = Counted::new();
    for (key, rows) in of {
        let fits = asks.iter().all(|asked| match asked {
            Asked::Brands(..) | Asked::Countries(..) | Asked::Engines(..) | Asked::Domain(..) => asked.holds(rows[0]),
            Asked::Kinds(_) => rows.iter().any(|row| asked.holds(row)),
            Asked::Dates(from, to) => {
                let last = rows.iter().map(|row| row.seen_at).max().unwrap();
                (*from..=*to).contains(&last)
            }
            Asked::DealerTag(include) => (rows[0].master == TAGGED_DOMAIN) == *include,
            Asked::TermTag(include) => rows.iter().any(|row| row.term_id == TAGGED_TERM) == *include,
            // The search for a text looks where the filters of ads look.
            Asked::Title(_) => rows.iter().any(|row| {
                let mut around = asks
                    .iter()
                    .filter(|asks| matches!(asks, Asked::Title(_) | Asked::Kinds(_) | Asked::Dates(..)));
                around.all(|asks| asks.holds(row))
            }),
        });
        if fits {
            let ads = rows.iter().copied().filter(|row| {
                asks.iter()
                    .filter(|asked| {
                        matches!(
                            asked,
                            Asked::Kinds(_) | Asked::Dates(..) | Asked::TermTag(_) | Asked::Title(_)
                        )
                    })
                    .all(|asked| asked.holds(row))
            });
            let figures = count(ads, |_| String::new()).remove("").unwrap_or_default();
            left.insert(key, figures);
        }
    }
    left
}

/// One random question, asked of all three lists.
async fn agree(seen: &Seen, tokens: &[String; 3], reader: usize, asks: &[Asked]) {
    let brands = READERS[reader].1;
    let visible: Vec<&AdRow> = seen.rows.iter().filter(|row| brands.contains(&row.brand_id)).collect();
    let fit = || {
        visible
            .iter()
            .copied()
            .filter(|row| asks.iter().all(|asked| asked.holds(row)))
    };
    let (lists, actions): (Vec<_>, Vec<_>) = asks.iter().map(Asked::pairs).unzip();
    let of_lists = lists.concat().join("&");
    let found = async |path: String| {
        let answer = seen.app.get(&path, &[("token", &tokens[reader])]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    };
    let total = |page: &Value| page["meta"]["page"]["total"].as_u64().unwrap();

    let page = found(format!("/api/Sems/findAdvertisers?page[size]=0&{of_lists}")).await;
    let expected = count(fit(), |row| row.domain.clone());
    assert_eq!(
        told(&page, |row| row["domain"].as_str().unwrap().to_owned()),
        expected,
        "{of_lists}"
    );
    assert_eq!(total(&page), expected.len() as u64);
    let views: u64 = expected.values().map(|(views, _)| views).sum();
    assert_eq!(page["meta"]["totalViews"], views);

    let page = found(format!("/api/Sems/groupTerms?page[size]=0&{of_lists}")).await;
    let expected = count(fit(), |row| row.term_id.to_string());
    assert_eq!(told(&page, |row| row["termId"].to_string()), expected, "{of_lists}");
    assert_eq!(page["meta"]["totalViews"], views);
    for row in page["data"].as_array().unwrap() {
        let domains: BTreeSet<&str> = fit()
            .filter(|ad| ad.term_id.to_string() == row["id"].as_str().unwrap())
            .map(|ad| ad.domain.as_str())
            .collect();
        assert_eq!(row["nbCompetitors"], domains.len());
    }

    let of_actions = actions.concat().join("&");
    let page = found(format!("/api/actions?noPaging=true&sortBy=-lastView&{of_actions}")).await;
    let expected = expected_actions(&visible, asks);
    let key = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        format!(
            "{} {} {} {}",
            row["brandId"],
            text("domain"),
            text("country"),
            text("engine")
        )
    };
    assert_eq!(told(&page, key), expected, "{of_actions}");
    assert_eq!(total(&page), expected.len() as u64);
    assert_eq!(page["meta"]["subTotal"]["new"], expected.len());
}

#[test]
fn figures_of_every_list_equal_a_straight_count_and_nothing_of_another_company_is_reached() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // The stores are given back inside it.
    let _inside = runtime.enter();
    let seen = runtime.block_on(Seen::new());
    let tokens = runtime.block_on(async {
        seen.app
            .postgres
            .execute(
                "insert into category (id, name, label, scope, visibility) overriding system value
                     values (101, 'reseller', 'Reseller', 'tag', 'all'), (102, 'core', 'Core', 'term', 'all');
                 insert into category_dealer (category_id, dealer_id) select 101, id from dealer where domain = 'two.example';
                 insert into term_category (category_id, term_id) values (102, 3)",
            )
            .await;
        let mut tokens = Vec::new();
        for (email, _) in READERS {
            tokens.push(seen.app.login(email).await);
        }
        <[String; 3]>::try_from(tokens).unwrap()
    });
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&(0..READERS.len(), filters()), |(reader, asks)| {
            runtime.block_on(agree(&seen, &tokens, reader, &asks));
            Ok(())
        })
        .unwrap();
}

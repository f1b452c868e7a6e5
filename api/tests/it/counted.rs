//! The figures of all three lists, asked for over HTTP with random filters, against a straight count over the rows.

use std::collections::{BTreeMap, BTreeSet};

use analytics::ingest::AdRow;
use axum::http::StatusCode;
use chrono::{DateTime, Datelike, Timelike};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::seen::{DAY, DAYS, Market, START};

/// The tag of a registrable domain, which is that of all hosts under it, and the tag of a host.
const TAGS_OF_DEALERS: [(&str, &str); 2] = [("101", "one.example"), ("103", "www2.one.example")];
const TAG_OF_TERMS: &str = "102";
/// The term that carries a tag.
const TAGGED_TERM: u32 = 3;
/// What the clock of the tests shows: 2 March 2026, 8:00.
const NOW: u32 = 1_772_438_400;

/// A filter of ads, as all lists spell it but for the names.
#[derive(Clone, Debug)]
enum AdFilter {
    Brands(bool, Vec<&'static str>),
    Countries(bool, Vec<&'static str>),
    Engines(bool, Vec<&'static str>),
    Kinds(Vec<&'static str>),
    Dates(u32, u32),
    Domain(bool, &'static str),
    DealerTag(bool, usize),
    TermTag(bool),
    Title(&'static str),
}

impl AdFilter {
    fn holds(&self, row: &AdRow) -> bool {
        let among = |include: bool, values: &[&str], value: &str| values.contains(&value) == include;
        match self {
            Self::Brands(include, values) => among(*include, values, &row.brand_id.to_string()),
            Self::Countries(include, values) => among(*include, values, &row.country),
            Self::Engines(include, values) => among(*include, values, &row.engine),
            Self::Kinds(values) => among(true, values, &row.kind),
            Self::Dates(from, to) => (*from..=*to).contains(&row.seen_at),
            Self::Domain(include, text) => row.domain.contains(&text.to_lowercase()) == *include,
            Self::DealerTag(include, tag) => {
                let (_, domain) = TAGS_OF_DEALERS[*tag];
                (row.domain == domain || row.master == domain) == *include
            }
            Self::TermTag(include) => (row.term_id == TAGGED_TERM) == *include,
            Self::Title(text) => row.title.to_lowercase().contains(&text.to_lowercase()),
        }
    }

    /// Whether it is about what was searched, not about the ads that were found.
    fn is_of_capture(&self) -> bool {
        matches!(
            self,
            Self::Brands(..) | Self::Countries(..) | Self::Engines(..) | Self::Dates(..) | Self::TermTag(_)
        )
    }

    /// As the search for ads is asked, which is one domain's; none where it does not take the filter.
    fn of_ads(&self) -> Option<String> {
        let (lists, _) = self.pairs();
        let renamed = [
            ("filters[brandID]", "brandId"),
            ("filters[date][start]", "fromDate"),
            ("filters[date][end]", "endDate"),
            ("filters[adTitle]", "title"),
            ("filters[country]", "country"),
            ("filters[engine]", "engine"),
            ("filters[type]", "type"),
            ("filters[keywordTag]", "keywordTag"),
        ];
        let pairs = lists.into_iter().map(|pair| {
            let (name, flat) = renamed.iter().find(|(name, _)| pair.starts_with(name))?;
            Some(pair.replacen(name, flat, 1))
        });
        pairs.collect::<Option<Vec<_>>>().map(|pairs| pairs.join("&"))
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
            Self::DealerTag(include, tag) => {
                list("advertiserTag", "advertiserTag", *include, &[TAGS_OF_DEALERS[*tag].0])
            }
            Self::TermTag(include) => list("keywordTag", "keywordTag", *include, &[TAG_OF_TERMS]),
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

fn filters() -> impl Strategy<Value = Vec<AdFilter>> {
    let values = |from: &'static [&'static str]| subsequence(from.to_vec(), 1..=from.len());
    let one = prop_oneof![
        (any::<bool>(), values(&["1", "2", "9"])).prop_map(|(include, brands)| AdFilter::Brands(include, brands)),
        (any::<bool>(), values(&["FR", "BE", "DE"])).prop_map(|(include, of)| AdFilter::Countries(include, of)),
        (any::<bool>(), values(&["google", "bing", "yahoo"])).prop_map(|(include, of)| AdFilter::Engines(include, of)),
        values(&["ads", "shopping"]).prop_map(AdFilter::Kinds),
        (0..DAYS * DAY, 0..DAYS * DAY)
            .prop_map(|(one, other)| AdFilter::Dates(START + one.min(other), START + one.max(other))),
        (any::<bool>(), select(&["one.ex", "THREE", "e", "nowhere", "www2."][..]))
            .prop_map(|(include, text)| AdFilter::Domain(include, text)),
        // Whole days, some of them to come.
        (0..DAYS, 1..10_u32)
            .prop_map(|(first, days)| AdFilter::Dates(START + first * DAY, START + (first + days) * DAY - 1)),
        (any::<bool>(), 0..TAGS_OF_DEALERS.len()).prop_map(|(include, tag)| AdFilter::DealerTag(include, tag)),
        any::<bool>().prop_map(AdFilter::TermTag),
        select(&["offer 1", "of two.example", "100% off", "Offer"][..]).prop_map(AdFilter::Title),
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

fn counts_of_page(page: &Value, key: impl Fn(&Value) -> String) -> Counted {
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
fn expected_actions(rows: &[&AdRow], asks: &[AdFilter]) -> Counted {
    let mut of: BTreeMap<String, Vec<&AdRow>> = BTreeMap::new();
    for row in rows {
        of.entry(key_of_action(row)).or_default().push(row);
    }
    let mut left = Counted::new();
    for (key, rows) in of {
        let fits = asks.iter().all(|asked| match asked {
            AdFilter::Brands(..)
            | AdFilter::Countries(..)
            | AdFilter::Engines(..)
            | AdFilter::Domain(..)
            | AdFilter::DealerTag(..) => asked.holds(rows[0]),
            // In the time that the list is about, not in the last days alone.
            AdFilter::Kinds(_) => rows.iter().any(|row| {
                let mut dates = asks.iter().filter(|asks| matches!(asks, AdFilter::Dates(..)));
                asked.holds(row) && dates.all(|asks| asks.holds(row))
            }),
            AdFilter::Dates(from, to) => {
                let last = rows.iter().map(|row| row.seen_at).max().unwrap();
                (*from..=*to).contains(&last)
            }
            AdFilter::TermTag(include) => rows.iter().any(|row| row.term_id == TAGGED_TERM) == *include,
            // The search for a text looks where the filters of ads look.
            AdFilter::Title(_) => rows.iter().any(|row| {
                let mut around = asks
                    .iter()
                    .filter(|asks| matches!(asks, AdFilter::Title(_) | AdFilter::Kinds(_) | AdFilter::Dates(..)));
                around.all(|asks| asks.holds(row))
            }),
        });
        if fits {
            let ads = rows.iter().copied().filter(|row| {
                asks.iter()
                    .filter(|asked| {
                        matches!(
                            asked,
                            AdFilter::Kinds(_) | AdFilter::Dates(..) | AdFilter::TermTag(_) | AdFilter::Title(_)
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
async fn agree(seen: &Market, tokens: &[String; 3], reader: usize, asks: &[AdFilter]) {
    let brands = READERS[reader].1;
    let visible: Vec<&AdRow> = seen.rows.iter().filter(|row| brands.contains(&row.brand_id)).collect();
    let fit = || {
        visible
            .iter()
            .copied()
            .filter(|row| asks.iter().all(|asked| asked.holds(row)))
    };
    let (lists, actions): (Vec<_>, Vec<_>) = asks.iter().map(AdFilter::pairs).unzip();
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
        counts_of_page(&page, |row| row["domain"].as_str().unwrap().to_owned()),
        expected,
        "{of_lists}"
    );
    assert_eq!(total(&page), expected.len() as u64);
    let views: u64 = expected.values().map(|(views, _)| views).sum();
    assert_eq!(page["meta"]["page"]["totalViews"], views);
    let ads: u64 = expected.values().map(|(_, ads)| ads).sum();
    assert_eq!(page["meta"]["page"]["totalAds"], ads);

    let page = found(format!("/api/Sems/groupTerms?page[size]=0&{of_lists}")).await;
    let expected = count(fit(), |row| row.term_id.to_string());
    assert_eq!(
        counts_of_page(&page, |row| row["termId"].to_string()),
        expected,
        "{of_lists}"
    );
    assert_eq!(page["meta"]["page"]["totalViews"], views);
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
    assert_eq!(counts_of_page(&page, key), expected, "{of_actions}");
    assert_eq!(total(&page), expected.len() as u64);
    assert_eq!(page["meta"]["subTotal"]["new"], expected.len());
    let sums = expected
        .values()
        .fold((0, 0), |sums, (views, ads)| (sums.0 + views, sums.1 + ads));
    let totals = &page["meta"]["page"];
    assert_eq!(
        (totals["totalViews"].as_u64(), totals["totalAds"].as_u64()),
        (Some(sums.0), Some(sums.1)),
        "{of_actions}"
    );

    for domain in ["two.example", "www2.one.example"] {
        let figures = found(format!(
            "/api/Sems/findAdvertisers/figures?rows[]={domain}&timeZone=UTC&{of_lists}"
        ))
        .await;
        figures_agree(&figures, domain, &visible, asks);
        let Some(of_ads) = asks.iter().map(AdFilter::of_ads).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let of_ads = format!("domain={domain}&{}", of_ads.join("&"));
        let expected = count(fit().filter(|row| row.domain == domain), |_| String::new());
        let expected = expected.get("").copied().unwrap_or_default();
        let ads = found(format!("/api/advertisement?limit=500&{of_ads}")).await;
        let ads = ads.as_array().unwrap();
        assert_eq!((sum(ads, "views"), ads.len() as u64), expected, "{of_ads}");
        let hours = found(format!("/api/advertisement/hours?timeZone=UTC&{of_ads}")).await;
        hours_agree(hours["data"].as_array().unwrap(), domain, &visible, asks);
    }
}

fn sum(rows: &[Value], key: &str) -> u64 {
    rows.iter().map(|row| row[key].as_u64().unwrap()).sum()
}

/// Views by day, the time before, and the captures with and without, of one domain.
fn figures_agree(figures: &Value, domain: &str, visible: &[&AdRow], asks: &[AdFilter]) {
    let others = |row: &AdRow| {
        let mut others = asks.iter().filter(|asked| !matches!(asked, AdFilter::Dates(..)));
        others.all(|asked| asked.holds(row))
    };
    let fit = |row: &&&AdRow| asks.iter().all(|asked| asked.holds(row));
    let mut days: BTreeMap<String, u64> = BTreeMap::new();
    for row in visible.iter().filter(fit).filter(|row| row.domain == domain) {
        *days.entry(instant(row.seen_at)[..10].to_owned()).or_default() += 1;
    }
    let row = &figures["data"][0];
    let told = row["days"].as_array().unwrap().iter();
    let told: BTreeMap<String, u64> = told
        .map(|day| (day["date"].as_str().unwrap().to_owned(), day["views"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, days, "{asks:?}");
    assert_eq!(
        row["capturesWith"],
        days.values().sum::<u64>(),
        "each row is a capture of its own"
    );
    let searched = visible.iter().filter(|row| {
        let mut searches = asks.iter().filter(|asked| asked.is_of_capture());
        searches.all(|asked| asked.holds(row))
    });
    assert_eq!(row["captures"], searched.count());

    let dates = asks.iter().find_map(|asked| match asked {
        AdFilter::Dates(from, to) => Some((*from, *to)),
        _ => None,
    });
    let Some((from, to)) = dates else {
        assert_eq!(figures["meta"]["compared"], Value::Null);
        return;
    };
    // As much time before as is over; no period of these tests is a month of the calendar.
    let length = to - from + 1;
    let before = from - length..=to.min(NOW) - length;
    let compared = &figures["meta"]["compared"];
    let ends = [&compared["previousStart"], &compared["previousEnd"]].map(|end| end.as_str().unwrap().to_owned());
    assert_eq!(ends, [instant(*before.start()), instant(*before.end())], "{asks:?}");
    let unfinished = (to > NOW).then(|| instant(NOW)[..10].to_owned());
    assert_eq!(compared["unfinishedDay"].as_str().map(str::to_owned), unfinished);
    let earlier = || {
        visible
            .iter()
            .filter(|row| others(row) && before.contains(&row.seen_at))
    };
    assert_eq!(figures["meta"]["previousTotalViews"], earlier().count(), "{asks:?}");
    assert_eq!(
        row["previousViews"],
        earlier().filter(|row| row.domain == domain).count()
    );
}

/// What was seen of one domain by hour of the week, and how often it was looked for.
fn hours_agree(hours: &[Value], domain: &str, visible: &[&AdRow], asks: &[AdFilter]) {
    let hour = |row: &AdRow| {
        let at = DateTime::from_timestamp(row.seen_at.into(), 0).unwrap();
        (u64::from(at.weekday().number_from_monday()), u64::from(at.hour()))
    };
    let mut expected: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
    for row in visible {
        if asks
            .iter()
            .filter(|asked| asked.is_of_capture())
            .all(|asked| asked.holds(row))
        {
            let cell = expected.entry(hour(row)).or_default();
            cell.0 += 1;
            cell.1 += u64::from(row.domain == domain && asks.iter().all(|asked| asked.holds(row)));
        }
    }
    let told: BTreeMap<(u64, u64), (u64, u64)> = hours
        .iter()
        .map(|cell| {
            let number = |key: &str| cell[key].as_u64().unwrap();
            assert_eq!(number("views"), number("capturesWith"));
            (
                (number("weekday"), number("hour")),
                (number("captures"), number("capturesWith")),
            )
        })
        .collect();
    assert_eq!(told, expected, "{asks:?}");
}

/// Asks everything of an API that a change was made to.
fn agrees(prepare: impl AsyncFnOnce(&mut Market)) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // The stores are given back inside it.
    let _inside = runtime.enter();
    let (seen, tokens) = runtime.block_on(async {
        let mut seen = Market::new().await;
        prepare(&mut seen).await;
        seen.app
            .postgres
            .execute(
                "insert into dealer (domain) values ('www2.one.example');
                 insert into category (id, name, label, scope, visibility) overriding system value
                     values (101, 'reseller', 'Reseller', 'tag', 'all'), (102, 'core', 'Core', 'term', 'all'),
                         (103, 'shop', 'Shop', 'tag', 'all');
                 insert into category_dealer (category_id, dealer_id)
                     select tag, id from (values (101, 'one.example'), (103, 'www2.one.example')) as tagged (tag, name)
                         join dealer on domain = name;
                 insert into term_category (category_id, term_id) values (102, 3)",
            )
            .await;
        let mut tokens = Vec::new();
        for (email, _) in READERS {
            tokens.push(seen.app.login(email).await);
        }
        (seen, <[String; 3]>::try_from(tokens).unwrap())
    });
    let mut runner = TestRunner::new(Config {
        cases: testkit::repeats(30, 100),
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

#[test]
fn figures_of_every_list_equal_a_straight_count_and_nothing_of_another_company_is_reached() {
    agrees(async |_| {});
}

#[test]
fn they_stay_equal_when_days_are_rolled_up() {
    agrees(async |seen| seen.app.roll_up().await);
}

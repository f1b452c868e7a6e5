//! The stored rows, questions about them, and the answers by a walk over the rows in memory.

use std::collections::{BTreeMap, BTreeSet};

use analytics::Client;
use analytics::filter::{Condition, Field, Operator};
use analytics::ingest::AdRow;
use analytics::reports::domains::{DomainRow, DomainsPage};
use analytics::reports::terms::{TermRow, TermsPage};
use chrono::{DateTime, Utc};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use vocabulary::{BrandId, LocalizationId, Scope, TermId, UserId};

use crate::engine::Engine;
use crate::sample::{DAY, START, row, store};

pub const READER: UserId = UserId(1);
const ROWS: u32 = 3_000;

pub async fn filled() -> (Engine, Client, Vec<AdRow>) {
    let (engine, client) = Engine::migrated().await;
    let rows = store(&client, 1, (0..ROWS).map(row)).await;
    (engine, client, rows)
}

#[derive(Clone, Debug)]
pub struct FieldTest {
    pub field: Field,
    pub operator: Operator,
    pub values: Vec<String>,
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

    pub fn condition(&self) -> Condition {
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

pub fn field_tests() -> impl Strategy<Value = Vec<FieldTest>> {
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

pub fn scopes() -> impl Strategy<Value = Scope> {
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
pub fn model_of_domains(rows: &[AdRow], scope: &Scope, tests: &[FieldTest]) -> DomainsPage {
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
pub const OWN: &str = "one.example";

/// Whether a row of the list shows the facts of a term as a result has them.
fn shows(shown: &TermRow, row: &AdRow) -> bool {
    shown.id.0.cast_unsigned() == row.term_id
        && shown.content == row.keyword
        && shown.engine == row.engine
        && shown.localization.0.cast_unsigned() == row.localization_id
        && shown.region == row.region
}

/// `found` decides between captures of the same instant that disagree on the facts of a term.
pub fn model_of_terms(rows: &[AdRow], scope: &Scope, tests: &[FieldTest], found: &TermsPage) -> TermsPage {
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

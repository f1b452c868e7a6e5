//! The questions to every peer.

use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use url::form_urlencoded;

use super::super::world::{BRANDS, DOMAIN_WORDS, REGIONS, Tag};

/// The rows of the table of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// Domains of one brand, 7 days.
    DomainsWeek,
    /// Domains of one brand, 30 days.
    DomainsMonth,
    /// Terms of one brand, 7 days.
    TermsWeek,
    /// Terms of one brand, 30 days.
    TermsMonth,
    /// Domains of all brands, 30 days.
    DomainsOfAll,
    /// Terms of all brands, 30 days.
    TermsOfAll,
    /// The 50 most viewed ads of a domain, 30 days.
    Portal,
    /// Domains of one brand whose ads have a word in their title, 30 days.
    Title,
}

impl Work {
    pub(super) const ALL: [Self; 8] = [
        Self::DomainsWeek,
        Self::DomainsMonth,
        Self::TermsWeek,
        Self::TermsMonth,
        Self::DomainsOfAll,
        Self::TermsOfAll,
        Self::Portal,
        Self::Title,
    ];

    /// Returns the name of the row in the tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::DomainsWeek => "Domains, one brand, 7 days",
            Self::DomainsMonth => "Domains, one brand, 30 days",
            Self::TermsWeek => "Terms, one brand, 7 days",
            Self::TermsMonth => "Terms, one brand, 30 days",
            Self::DomainsOfAll => "Domains, all brands, 30 days",
            Self::TermsOfAll => "Terms, all brands, 30 days",
            Self::Portal => "Ads of one domain, 30 days",
            Self::Title => "Title contains, one brand, 30 days",
        }
    }

    /// Returns whether it is one of the lists that peers are compared on; the others are only printed.
    pub(super) const fn is_list(self) -> bool {
        !matches!(self, Self::Portal | Self::Title)
    }

    pub(super) const fn lists_terms(self) -> bool {
        matches!(self, Self::TermsWeek | Self::TermsMonth | Self::TermsOfAll)
    }

    /// Returns whether the question is limited to one brand.
    const fn has_brand(self) -> bool {
        !matches!(self, Self::DomainsOfAll | Self::TermsOfAll | Self::Portal)
    }

    /// Returns the length of the period in days.
    const fn days(self) -> i64 {
        match self {
            Self::DomainsWeek | Self::TermsWeek => 7,
            _ => 30,
        }
    }
}

/// A filtered column, by the name that every peer's SQL has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Kind,
    Engine,
    Device,
    Country,
    Keyword,
    Region,
    Domain,
    Title,
}

/// One filter of a question.
#[derive(Clone, Debug)]
pub(super) struct Narrowing {
    pub(super) column: Column,
    pub(super) test: Test,
}

/// What a filter requires of its column.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Is(String),
    Holds(String),
    Lacks(String),
    /// The domains of a tag, by its id.
    Tagged(i32, Vec<String>),
}

/// One question of one kind.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) work: Work,
    pub(super) brand: Option<u32>,
    /// The first second, inclusive.
    pub(super) from: DateTime<Utc>,
    /// The last second, inclusive.
    pub(super) to: DateTime<Utc>,
    pub(super) narrowings: Vec<Narrowing>,
}

impl Question {
    /// Returns the path and query of the question in the API, without a leading slash.
    pub(super) fn path(&self) -> String {
        let time = |instant: DateTime<Utc>| instant.to_rfc3339_opts(SecondsFormat::Secs, true);
        let mut query = form_urlencoded::Serializer::new(String::new());
        if self.work == Work::Portal {
            query
                .append_pair("fromDate", &time(self.from))
                .append_pair("endDate", &time(self.to));
            for narrowing in &self.narrowings {
                let (name, value) = narrowing.portal();
                query.append_pair(&name, &value);
            }
            return format!("api/advertisement?{}", query.finish());
        }
        query
            .append_pair("page[size]", "30")
            .append_pair("filters[date][between][start]", &time(self.from))
            .append_pair("filters[date][between][end]", &time(self.to));
        if self.work.lists_terms() {
            query.append_pair("sort[by]", "nbViews");
        }
        if let Some(brand) = self.brand {
            query.append_pair("filters[brandID][inq][]", &brand.to_string());
        }
        for narrowing in &self.narrowings {
            let (name, value) = narrowing.list();
            query.append_pair(&name, &value);
        }
        let list = if self.work.lists_terms() {
            "groupTerms"
        } else {
            "findAdvertisers"
        };
        format!("api/Sems/{list}?{}", query.finish())
    }

    /// Returns the first day of the period, in UTC.
    pub(super) fn first_day(&self) -> NaiveDate {
        self.from.date_naive()
    }

    /// Returns the last day of the period, in UTC, included.
    pub(super) fn last_day(&self) -> NaiveDate {
        self.to.date_naive()
    }

    /// A description for messages.
    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.work.name(), self.path())
    }
}

impl Narrowing {
    /// Returns the name of the filter in the API.
    const fn filter(&self) -> &'static str {
        match (&self.test, self.column) {
            (Test::Tagged(..), _) => "advertiserTag",
            (_, Column::Kind) => "type",
            (_, Column::Engine) => "engine",
            (_, Column::Device) => "device",
            (_, Column::Country) => "country",
            (_, Column::Keyword) => "keywordContent",
            (_, Column::Region) => "region",
            (_, Column::Domain) => "domain",
            (_, Column::Title) => "adTitle",
        }
    }

    /// Returns the parameter of a list for this filter: name and value.
    fn list(&self) -> (String, String) {
        let (operator, value) = self.operator();
        (format!("filters[{}][{operator}][]", self.filter()), value)
    }

    /// Returns the parameter of the ad portal for this filter: name and value.
    fn portal(&self) -> (String, String) {
        let (operator, value) = self.operator();
        let name = if self.column == Column::Title {
            "title"
        } else {
            self.filter()
        };
        // The portal has its own parameter for the domain, without an operator.
        match self.test {
            Test::Is(_) => (name.to_owned(), value),
            _ => (format!("{name}[{operator}][]"), value),
        }
    }

    /// Returns the API's operator for the test, and its value.
    fn operator(&self) -> (&'static str, String) {
        match &self.test {
            Test::Is(value) => ("inq", value.clone()),
            Test::Holds(value) => ("contain", value.clone()),
            Test::Lacks(value) => ("exclude", value.clone()),
            Test::Tagged(id, _) => ("inq", id.to_string()),
        }
    }
}

/// Questions of each kind of work.
pub(super) const FILTERS: usize = 30;

/// Draws [`FILTERS`] questions for each work, the same for the same seed: 10 filters of date and type, 10 with engine, device or country, 5 with
/// keyword or region, 5 with a tag or an exclusion. Days begin at 23:00 UTC, as in Paris in winter, so that no range consists of whole days of the
/// store.
pub(super) fn draw(
    seed: u64,
    now: DateTime<Utc>,
    days: i64,
    terms: u64,
    domains: &[String],
    tags: &[Tag],
) -> Vec<Question> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let ends = now
        .date_naive()
        .and_hms_opt(22, 59, 59)
        .map_or(now, |time| time.and_utc());
    let mut questions = Vec::new();
    for work in Work::ALL {
        for index in 0..FILTERS {
            // Half of the periods end today, the others somewhere in the days before.
            let back = if random.random_bool(0.5) {
                0
            } else {
                random.random_range(0..days - work.days())
            };
            let to = ends - TimeDelta::days(back);
            let mut narrowings = narrowings(&mut random, index, terms, work, tags);
            match work {
                Work::Portal => narrowings.push(is(Column::Domain, pick(&mut random, domains))),
                Work::Title => narrowings.push(Narrowing {
                    column: Column::Title,
                    test: Test::Holds(pick(
                        &mut random,
                        &["offers", "ab 4", "Découvrez", "choice", "19.90", "enjoy"],
                    )),
                }),
                _ => {}
            }
            questions.push(Question {
                work,
                brand: work.has_brand().then(|| random.random_range(1..=BRANDS)),
                from: to - TimeDelta::days(work.days()) + TimeDelta::seconds(1),
                to,
                narrowings,
            });
        }
    }
    questions
}

/// Draws the filters of the question with this index among those of its work; none for some.
fn narrowings(random: &mut ChaCha8Rng, index: usize, terms: u64, work: Work, tags: &[Tag]) -> Vec<Narrowing> {
    match index {
        0..10 if index.is_multiple_of(2) => Vec::new(),
        0..10 => vec![is(Column::Kind, pick(random, &["ads", "shopping"]))],
        10..20 => match index % 3 {
            0 => vec![is(Column::Engine, pick(random, &["google", "bing"]))],
            1 => vec![is(Column::Device, pick(random, &["desktop", "mobile", "tablet"]))],
            _ => vec![is(Column::Country, pick(random, &["FR", "BE", "DE", "ES"]))],
        },
        20..25 if index.is_multiple_of(2) => vec![is(Column::Region, pick(random, &REGIONS[1..]))],
        20..25 => vec![Narrowing {
            column: Column::Keyword,
            // A few of the terms.
            test: Test::Holds(format!("keyword {}", random.random_range(0..terms) / 10)),
        }],
        _ if index.is_multiple_of(2) && work != Work::Portal => {
            let tag = &tags[random.random_range(0..tags.len())];
            vec![Narrowing {
                column: Column::Domain,
                test: Test::Tagged(tag.id, tag.domains.clone()),
            }]
        }
        _ => {
            let column = if work == Work::Portal {
                Column::Keyword
            } else {
                Column::Domain
            };
            let words: &[&str] = if column == Column::Domain {
                &DOMAIN_WORDS
            } else {
                &["7", "3"]
            };
            vec![Narrowing {
                column,
                test: Test::Lacks(pick(random, words)),
            }]
        }
    }
}

/// Makes a filter that requires this value.
const fn is(column: Column, value: String) -> Narrowing {
    Narrowing {
        column,
        test: Test::Is(value),
    }
}

/// Draws one of a list, as text; empty when the list is.
fn pick<T: ToString>(random: &mut ChaCha8Rng, from: &[T]) -> String {
    from.choose(random).map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_questions_of_every_kind() {
        let now = DateTime::from_timestamp(1_767_225_600, 0).unwrap();
        let tags = [Tag {
            id: 7,
            domains: vec!["a.example".to_owned()],
        }];
        let paths = |seed| -> Vec<String> {
            let questions = draw(seed, now, 90, 400, &["b.example".to_owned()], &tags);
            questions.iter().map(Question::path).collect()
        };
        assert_eq!(paths(1), paths(1));
        assert_ne!(paths(1), paths(2));
        assert_eq!(paths(1).len(), Work::ALL.len() * FILTERS);
        for filter in [
            "engine",
            "device",
            "country",
            "region",
            "keywordContent",
            "advertiserTag",
            "exclude",
            "adTitle",
        ] {
            assert!(paths(1).iter().any(|path| path.contains(filter)), "{filter}");
        }
    }
}

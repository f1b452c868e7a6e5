//! What the screens of the web client ask for, as it asks for it: some requests at once, and then those that need the first answers.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use strum::Display;
use url::form_urlencoded;
use vocabulary::BrandId;

use super::world::Person;

/// Days that lists and home look at, the usual ones more than once.
const DAYS: [i64; 6] = [7, 7, 7, 7, 30, 30];
const HOME_DAYS: i64 = 30;
/// What home says of the last week.
const CHANGES_DAYS: i64 = 7;
/// Rows that a list shows figures of at once.
const ROWS_IN_VIEW: usize = 20;
const ADS: u32 = 50;
const ADS_OF_A_CASE: u32 = 5;
/// Everything about oneself, and the names that every screen uses.
const ARRIVAL: [&str; 4] = [
    "api/UserAccounts/me?filter=%7B%22include%22:%5B%22roles%22,%7B%22companyAccount%22:%22brands%22%7D%5D%7D",
    "api/Localizations?filter=%7B%22fields%22:%5B%22locale%22,%22city%22,%22region%22,%22country%22%5D,%22limit%22:10000%7D",
    "api/brand/default",
    "api/coverage",
];
const SMALL: [&str; 3] = [
    "api/UserAccounts/me",
    "api/brand?search=a",
    "api/advertiserTag/?search=a",
];
const FIGURES_OF_HOME: [&str; 5] = ["shareOfVoice", "newcomers", "presence", "creatives", "cases"];

/// What somebody opens.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq, PartialOrd, Ord)]
pub enum Screen {
    /// Vigie itself, in a new tab.
    Arrival,
    Domains,
    Terms,
    /// The ads of a domain of the list.
    Ads,
    /// The list of requested cases.
    Cases,
    Todo,
    /// A case with its mails, notes and ads.
    Case,
    Home,
    /// The list of domains as a file.
    File,
    /// The list of domains or terms of one brand, and nothing else.
    List,
    /// One of the small requests that pages send besides.
    Small,
}

/// Screens, each with how many of a hundred visits open it.
pub type Mix = [(Screen, u32)];

/// What people do all day.
pub const WORK: &Mix = &[
    (Screen::Arrival, 8),
    (Screen::Domains, 24),
    (Screen::Terms, 14),
    (Screen::Ads, 16),
    (Screen::Cases, 8),
    (Screen::Todo, 4),
    (Screen::Case, 14),
    (Screen::Home, 8),
    (Screen::File, 4),
];

/// Single requests, a quarter of them lists of one brand.
pub const LISTS: &Mix = &[(Screen::List, 25), (Screen::Small, 75)];

/// A screen that somebody opens, with what they look at.
pub struct Visit {
    pub screen: Screen,
    /// `None` is all brands.
    brand: Option<BrandId>,
    days: i64,
    now: DateTime<Utc>,
    /// A case of theirs.
    case: i64,
    /// The row of a list that they open; counted from the first again where the list is shorter.
    row: usize,
}

impl Visit {
    /// Draws a visit of a person at `now`.
    pub fn draw(mix: &Mix, person: &Person, now: DateTime<Utc>, random: &mut ChaCha8Rng) -> Self {
        let screen = mix.choose_weighted(random, |(_, share)| *share);
        let screen = screen.map_or(Screen::Domains, |(screen, _)| *screen);
        let one_brand = screen == Screen::List || !person.sees_all || random.random_bool(0.5);
        Self {
            screen,
            brand: person.brands.choose(random).copied().filter(|_| one_brand),
            days: DAYS.choose(random).copied().unwrap_or(DAYS[0]),
            now,
            case: person.cases.choose(random).copied().unwrap_or_default(),
            row: random.random_range(0..ROWS_IN_VIEW),
        }
    }

    /// The paths that are asked for at first, at once.
    pub fn first(&self) -> Vec<String> {
        let filters = self.filters(self.days);
        match self.screen {
            Screen::Arrival => ARRIVAL.map(str::to_owned).to_vec(),
            Screen::Domains => vec![
                self.list("findAdvertisers", "nbViews"),
                format!("api/coverage?{filters}"),
            ],
            Screen::Terms => vec![
                self.list("groupTerms", "nbCompetitors"),
                format!("api/coverage?{filters}"),
            ],
            Screen::Ads => vec![self.list("findAdvertisers", "nbViews")],
            Screen::Cases => vec![
                "api/actions?page[size]=30&page[number]=1&sortBy=requestedDate&status[]=requested&figures=false"
                    .to_owned(),
                "api/actions/todo?page[size]=1&page[number]=1&figures=false".to_owned(),
            ],
            Screen::Todo => vec!["api/actions/todo?page[size]=30&page[number]=1&figures=false".to_owned()],
            Screen::Case => vec![
                format!("api/actions/detail/{}", self.case),
                format!("api/actions/emails?actionID={}", self.case),
            ],
            Screen::Home => {
                let (filters, changes) = (self.filters(HOME_DAYS), self.filters(CHANGES_DAYS));
                let figures = FIGURES_OF_HOME.map(|name| format!("api/home/{name}?timeZone=UTC&{filters}"));
                let others = [
                    format!("api/home/changes?timeZone=UTC&{changes}"),
                    format!("api/home/cases?timeZone=UTC&{changes}"),
                    format!("api/coverage?{filters}"),
                    "api/captures?limit=20".to_owned(),
                ];
                figures.into_iter().chain(others).collect()
            }
            Screen::List if self.row.is_multiple_of(2) => vec![self.list("findAdvertisers", "nbViews")],
            Screen::List => vec![self.list("groupTerms", "nbViews")],
            Screen::Small => vec![SMALL[self.row % SMALL.len()].to_owned()],
            Screen::File => vec![format!("api/Sems/findAdvertisers/export?sort[by]=nbViews&{filters}")],
        }
    }

    /// The paths that are asked for once the first ones are answered; `answers` are in their order.
    pub fn second(&self, answers: &[Value]) -> Vec<String> {
        let first = answers.first().unwrap_or(&Value::Null);
        let rows = ids(first);
        match self.screen {
            Screen::Domains if !rows.is_empty() => vec![self.figures("findAdvertisers", &rows)],
            Screen::Terms if !rows.is_empty() => vec![self.figures("groupTerms", &rows)],
            Screen::Ads if !rows.is_empty() => {
                let (start, end) = self.period(self.days);
                let mut query = form_urlencoded::Serializer::new(String::new());
                query
                    .append_pair("domain", &rows[self.row % rows.len()])
                    .append_pair("fromDate", &start)
                    .append_pair("endDate", &end);
                if let Some(brand) = self.brand {
                    query.append_pair("brandId", &brand.0.to_string());
                }
                let query = query.finish();
                vec![
                    format!("api/advertisement?{query}&limit={ADS}"),
                    format!("api/advertisement/count?{query}"),
                ]
            }
            Screen::Cases | Screen::Todo if !rows.is_empty() => {
                let mut query = form_urlencoded::Serializer::new(String::new());
                query.extend_pairs(rows.iter().map(|id| ("actionID", id)));
                vec![format!("api/actions/presence?{}", query.finish())]
            }
            Screen::Case if first["data"].is_object() => self.of_case(&first["data"]),
            _ => Vec::new(),
        }
    }

    /// What the page of a case asks for once it knows the case.
    fn of_case(&self, case: &Value) -> Vec<String> {
        let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
        let mut query = form_urlencoded::Serializer::new(String::new());
        for name in ["domain", "country", "engine"] {
            query.append_pair(name, &text(name));
        }
        query.append_pair("brandId", &case["brandId"].to_string());
        let (ads, id) = (query.finish(), self.case);
        vec![
            format!("api/advertiserTag/action?actionID={id}"),
            format!("api/actions/notes?actionID={id}"),
            format!("api/advertisement?{ads}&limit={ADS_OF_A_CASE}&type=ads"),
            format!("api/advertisement/count?{ads}"),
            format!(
                "api/actions?advertiserID={}&page[size]=500&noPaging=true&sortBy=-lastStatusDate",
                case["advertiserID"]
            ),
        ]
    }

    /// The first page of a list.
    fn list(&self, name: &str, sort: &str) -> String {
        let filters = self.filters(self.days);
        format!("api/Sems/{name}?page[size]=30&page[number]=1&sort[by]={sort}&sort[direction]=desc&{filters}")
    }

    /// The figures of the rows that are in view.
    fn figures(&self, list: &str, rows: &[String]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(rows.iter().take(ROWS_IN_VIEW).map(|row| ("rows[]", row)));
        let filters = self.filters(self.days);
        format!("api/Sems/{list}/figures?timeZone=UTC&{filters}&{}", query.finish())
    }

    /// The filters of a list: the last days and the brand.
    fn filters(&self, days: i64) -> String {
        let (start, end) = self.period(days);
        let brand = self
            .brand
            .map_or(String::new(), |brand| format!("&filters[brandID][inq][]={brand}"));
        format!("filters[date][between][start]={start}&filters[date][between][end]={end}{brand}")
    }

    /// The first and the last second of the last days, today included, in UTC.
    fn period(&self, days: i64) -> (String, String) {
        let today = self.now.date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
        let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
        (
            text(today - TimeDelta::days(days - 1)),
            text(today + TimeDelta::days(1) - TimeDelta::seconds(1)),
        )
    }
}

/// The ids of the rows of a list.
fn ids(list: &Value) -> Vec<String> {
    let rows = list["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let id = |row: &Value| match row.get("id").or_else(|| row.get("ID"))? {
        Value::String(id) => Some(id.clone()),
        id => Some(id.to_string()),
    };
    rows.iter().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_shares_make_a_hundred() {
        for mix in [WORK, LISTS] {
            assert_eq!(mix.iter().map(|(_, share)| share).sum::<u32>(), 100);
        }
    }

    #[test]
    fn a_user_of_a_company_never_looks_at_all_brands() {
        let person = Person {
            email: "somebody@vigie.example".to_owned(),
            brands: vec![BrandId(1), BrandId(2)],
            sees_all: false,
            cases: vec![7],
        };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..200 {
            assert!(
                Visit::draw(WORK, &person, DateTime::UNIX_EPOCH, &mut random)
                    .brand
                    .is_some()
            );
        }
    }

    #[test]
    fn the_figures_are_those_of_the_rows_in_view() {
        let visit = Visit {
            screen: Screen::Terms,
            brand: Some(BrandId(3)),
            days: 7,
            now: DateTime::UNIX_EPOCH,
            case: 1,
            row: 0,
        };
        let list = json!({ "data": (0..30).map(|id| json!({ "id": id })).collect::<Vec<_>>() });
        let paths = visit.second(&[list]);
        assert_eq!(paths.len(), 1);
        assert_eq!(paths[0].matches("rows%5B%5D=").count(), ROWS_IN_VIEW, "{}", paths[0]);
        assert!(paths[0].contains("brandID][inq][]=3"), "{}", paths[0]);
        assert!(visit.second(&[json!({ "data": [] })]).is_empty());
    }
}

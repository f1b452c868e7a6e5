//! The home page at full size: all its questions at once, as its screen asks them, and the search in the header.

mod attribution;

use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures::future::try_join_all;
use runtime::Clock;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::figures::percentile;
use super::peers::{Api, Psql};
use super::{BenchError, Plan, world};

const ONE_BRAND: Duration = Duration::from_millis(300);
const ALL_BRANDS: Duration = Duration::from_millis(1_500);
const SEARCH: Duration = Duration::from_millis(100);
const SHARE: f64 = 0.95;
/// Each page is opened so many times, after once that does not count.
const ROUNDS: usize = 5;
/// From the largest brand to small ones.
const BRANDS: [u32; 5] = [1, 2, 10, 25, 50];
const PERIODS: [i64; 3] = [7, 30, 90];
/// What the screen asks; changes are those of a week.
const QUESTIONS: [&str; 5] = ["shareOfVoice", "newcomers", "presence", "creatives", "cases"];
const SEARCHED: [&str; 6] = ["mart", "no", "shop-1", "keyword 12", "brand-7", "zzzz"];
/// Brands with an official domain each, as the results have them.
pub(crate) const OFFICIALS: [&str; 3] = [
    "insert into brand (id, name, label, validated) overriding system value
     select n, 'bench-home-' || n, 'Brand ' || n, true from generate_series(1, 50) n on conflict do nothing",
    "insert into dealer (domain) select 'brand-' || n || '.example' from generate_series(1, 50) n on conflict do nothing",
    "with owned as (
         insert into category (name, label, scope, brand_owner_id)
         select 'official', 'Official', 'tag', n from generate_series(1, 50) n
         where not exists (select from category c where c.name = 'official' and c.brand_owner_id = n) returning id, brand_owner_id
     )
     insert into category_dealer (category_id, dealer_id)
     select owned.id, d.id from owned join dealer d on d.domain = 'brand-' || owned.brand_owner_id || '.example'",
];

/// The figures, and which of them miss their targets.
pub(super) struct Report {
    /// The figures in one line.
    pub(super) line: String,
    /// What was missed.
    pub(super) missed: Vec<String>,
}

/// Fills the stack with each number of rows of the plan and opens the home page of brands and of all of them; then lets a million creatives be linked.
/// Returns the line of the last one.
pub(super) async fn measure(stack: &TrialStack, plan: &Plan, reader: &world::Reader) -> Result<Report, BenchError> {
    let psql = Psql::new(stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?);
    psql.run(&OFFICIALS).await?;
    let client = analytics::Client::connect(&stack.analytics()?).await?;
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let api = Api::sign_in(address, reader.email, &reader.password).await?;
    let mut report = Report {
        line: String::new(),
        missed: Vec::new(),
    };
    for rows in &plan.rows {
        let now = Clock::system().now();
        world::fill(&client, plan, *rows, now).await?;
        let one = pages(&api, now, &BRANDS.map(Some)).await?;
        let all = pages(&api, now, &[None]).await?;
        let search = searches(&api).await?;
        for (name, found, most) in [
            ("home, one brand", one, ONE_BRAND),
            ("home, all brands", all, ALL_BRANDS),
            ("search", search, SEARCH),
        ] {
            let is_missed = found > most.as_secs_f64() * 1e3;
            let verdict = if is_missed { "missed" } else { "met" };
            say(format!("{name}: p95 {found:.0} of {} ms, {verdict}", most.as_millis()));
            if is_missed {
                report.missed.push(format!("{name}, {rows} rows"));
            }
        }
        report.line = format!("home {rows} rows: one brand p95 {one:.0} ms, all p95 {all:.0} ms");
    }
    let attribution = attribution::measure(stack, plan, (&psql, &api, &client)).await?;
    report.line = format!(
        "{}, attribution 1000000 creatives {} s {} MB",
        report.line,
        attribution.took.as_secs(),
        attribution.megabytes
    );
    report.missed.extend(attribution.missed);
    Ok(report)
}

/// Opens the pages of these brands (`None` is all of them) over every period; returns the 95th percentile in milliseconds, and prints the slowest
/// question of each period.
async fn pages(api: &Api, now: DateTime<Utc>, brands: &[Option<u32>]) -> Result<f64, BenchError> {
    let mut times = Vec::new();
    for days in PERIODS {
        let mut slowest = (Duration::ZERO, String::new());
        for brand in brands {
            let questions = questions(now, days, *brand);
            for round in 0..=ROUNDS {
                let began = Instant::now();
                let asked = questions.iter().map(|question| async move {
                    let (took, _) = api.get(question).await?;
                    Ok::<_, BenchError>((took, question.clone()))
                });
                let answers = try_join_all(asked).await?;
                if round > 0 {
                    times.push(began.elapsed());
                    slowest = answers.into_iter().fold(slowest, Ord::max);
                }
            }
        }
        let (took, question) = slowest;
        let name = question.split('?').next().unwrap_or_default();
        say(format!(
            "home, {days} days, {} brands: the slowest was {name}, {} ms",
            brands.len(),
            took.as_millis()
        ));
    }
    times.sort_unstable();
    Ok(percentile(&times, SHARE))
}

/// The paths that the screen asks for at once: its figures of the last days, and what changed in a week.
fn questions(now: DateTime<Utc>, days: i64, brand: Option<u32>) -> Vec<String> {
    let brand = brand.map_or(String::new(), |brand| format!("&filters[brandID][inq][]={brand}"));
    let filters = |days: i64| {
        let today = now.date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
        let end = today + TimeDelta::days(1) - TimeDelta::seconds(1);
        let start = today - TimeDelta::days(days - 1);
        let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
        format!(
            "timeZone=UTC&filters[date][between][start]={}&filters[date][between][end]={}{brand}",
            text(start),
            text(end)
        )
    };
    let period = filters(days);
    let figures = QUESTIONS.map(|name| format!("api/home/{name}?{period}"));
    let coverage = format!("api/coverage?{}", period.replace("timeZone=UTC&", ""));
    let changes = format!("api/home/changes?{}", filters(7));
    figures.into_iter().chain([coverage, changes]).collect()
}

/// The 95th percentile of searches in the header, in milliseconds.
async fn searches(api: &Api) -> Result<f64, BenchError> {
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        for text in SEARCHED {
            let (took, _) = api
                .get(&format!("api/search?query={}", text.replace(' ', "%20")))
                .await?;
            if round > 0 {
                times.push(took);
            }
        }
    }
    times.sort_unstable();
    Ok(percentile(&times, SHARE))
}

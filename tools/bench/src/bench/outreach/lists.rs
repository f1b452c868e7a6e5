//! The lists of cases under drawn filters, the page of a case, and the way from one case to the next.

use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use url::form_urlencoded;
use vigie::terminal::say;

use super::world::World;
use crate::bench::BenchError;
use crate::bench::figures::percentile;
use crate::bench::peers::{Api, unexpected};

/// Sets of filters.
const SETS: usize = 30;
/// Each page is asked for so many times by each user.
const ROUNDS: usize = 4;
/// Cases of each page that are opened.
const OPENED: usize = 5;
/// Pages that are printed.
const SLOWEST: usize = 8;
const SHARE: f64 = 0.95;
/// Rows of a page, as the screen has them first.
const PAGE: u64 = 30;
const SORTS: [&str; 7] = [
    "-priority",
    "-lastView",
    "requestedDate",
    "-lastStatusDate",
    "inprogressDate",
    "-createdDate",
    "domain",
];
const STATUSES: [&str; 6] = ["new", "requested", "inprogress", "reminded", "accepted", "blocked"];
const COUNTRIES: [&str; 4] = ["FR", "BE", "DE", "CH"];
const TEXTS: [&str; 4] = ["leather", "boot", "hatwool", "garden1"];
const KEYWORDS: [&str; 4] = ["winter boot", "offer 12", "silk", "rain hat"];

/// The 95th percentiles.
pub(super) struct Pages {
    /// A page of a list with its counts.
    pub(super) list: Duration,
    /// A case and its mails, asked for at once.
    pub(super) detail: Duration,
    /// The next case of a list, as it is loaded before it is shown.
    pub(super) next: Duration,
}

/// A list of cases as somebody looks at it.
struct Question {
    pairs: Vec<(String, String)>,
    sort: &'static str,
    is_last_page: bool,
}

impl Question {
    /// The path of a page.
    fn path(&self, page: u64) -> String {
        let mut query = form_urlencoded::Serializer::new(String::from("api/actions?"));
        query
            .extend_pairs(&self.pairs)
            .append_pair("sortBy", self.sort)
            .append_pair("page[size]", &PAGE.to_string())
            .append_pair("page[number]", &page.to_string())
            .append_pair("figures", "false");
        query.finish()
    }
}

/// Draws [`SETS`] sets of filters, asks an administrator's and a company user's pages and opens cases of them; prints the slowest pages.
pub(super) async fn measure(admin: &Api, member: &Api, world: &World, seed: u64) -> Result<Pages, BenchError> {
    let questions = draw(world, seed);
    let (mut lists, mut details, mut nexts) = (Vec::new(), Vec::new(), Vec::new());
    for (who, api) in [("an administrator", admin), ("a company user", member)] {
        let mut slowest = Vec::new();
        let mut of_user = Vec::new();
        for question in &questions {
            let (cases, worst) = ask(api, question, &mut of_user).await?;
            slowest.push((worst, question));
            for case in cases.into_iter().take(OPENED) {
                details.push(open(api, case).await?);
                nexts.push(api.get(&format!("api/actions/detail/{case}")).await?.0);
            }
        }
        of_user.sort_unstable();
        say(format!(
            "Lists of {who}: median {:.0} ms, p95 {:.0} ms, slowest {:.0} ms of {}",
            percentile(&of_user, 0.5),
            percentile(&of_user, SHARE),
            percentile(&of_user, 1.0),
            of_user.len()
        ));
        slowest.sort_by_key(|(worst, _)| std::cmp::Reverse(*worst));
        for (worst, question) in slowest.iter().take(SLOWEST) {
            let filters: Vec<String> = question
                .pairs
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let page = if question.is_last_page {
                "last page"
            } else {
                "first page"
            };
            say(format!(
                "  {} ms: {page} by {}, {}",
                worst.as_millis(),
                question.sort,
                filters.join(" ")
            ));
        }
        lists.extend(of_user);
    }
    Ok(Pages {
        list: p95(lists),
        detail: p95(details),
        next: p95(nexts),
    })
}

/// Asks for the page of a question [`ROUNDS`] times and adds the times; returns the cases of the page and the longest time.
async fn ask(api: &Api, question: &Question, times: &mut Vec<Duration>) -> Result<(Vec<u64>, Duration), BenchError> {
    let mut page = 1;
    if question.is_last_page {
        let (_, reply) = api.get(&question.path(1)).await?;
        let total = reply["meta"]["page"]["total"]
            .as_u64()
            .ok_or_else(|| unexpected(&reply))?;
        page = total.div_ceil(PAGE).max(1);
    }
    let mut worst = Duration::ZERO;
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let (took, reply) = api.get(&question.path(page)).await?;
        let rows = reply["data"].as_array().ok_or_else(|| unexpected(&reply))?;
        cases = rows
            .iter()
            .filter_map(|row| row["id"].as_u64().or(row["ID"].as_u64()))
            .collect();
        if cases.len() != rows.len() {
            return Err(unexpected(&reply));
        }
        worst = worst.max(took);
        times.push(took);
    }
    Ok((cases, worst))
}

/// Exports what is stored about an address that some mails were sent to and none names, and prints the time: every mail may name it.
pub(super) async fn export_an_address(admin: &Api, address: &str) -> Result<(), BenchError> {
    let mut query = form_urlencoded::Serializer::new(String::from("api/privacy/export?"));
    query.append_pair("address", address);
    let (took, _) = admin.get(&query.finish()).await?;
    say(format!("Export of an address: {} ms", took.as_millis()));
    Ok(())
}

/// Opens a case as its page does: the case and its mails at once.
async fn open(api: &Api, case: u64) -> Result<Duration, BenchError> {
    let began = Instant::now();
    let (case, mails) = (
        format!("api/actions/detail/{case}"),
        format!("api/actions/emails?actionID={case}"),
    );
    tokio::try_join!(api.get(&case), api.get(&mails))?;
    Ok(began.elapsed())
}

fn p95(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    Duration::from_secs_f64(percentile(&times, SHARE) / 1e3)
}

/// The sets of filters: one with a keyword, one with each kind of tag, one without filters on its last page, and all others drawn.
fn draw(world: &World, seed: u64) -> Vec<Question> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut questions: Vec<Question> = Vec::with_capacity(SETS);
    for set in 0..SETS {
        let pairs = match set {
            0 => Vec::new(),
            1 => vec![pair(Filter::Keyword, world, &mut random)],
            2 => vec![pair(Filter::AdvertiserTag, world, &mut random)],
            3 => vec![pair(Filter::KeywordTag, world, &mut random)],
            _ => {
                let count = random.random_range(1..=3);
                let filters = ALL_FILTERS.sample(&mut random, count).copied().collect::<Vec<_>>();
                filters
                    .into_iter()
                    .map(|filter| pair(filter, world, &mut random))
                    .collect()
            }
        };
        questions.push(Question {
            pairs,
            sort: SORTS.choose(&mut random).copied().unwrap_or(SORTS[0]),
            is_last_page: set % 6 == 0,
        });
    }
    questions
}

/// A filter of the screen.
#[derive(Clone, Copy)]
enum Filter {
    Status,
    Brand,
    OtherBrands,
    Country,
    Bing,
    Domain,
    Keyword,
    AdvertiserTag,
    KeywordTag,
    KeywordType,
    Waiting,
    Unread,
    SeenSince,
}

const ALL_FILTERS: [Filter; 13] = [
    Filter::Status,
    Filter::Brand,
    Filter::OtherBrands,
    Filter::Country,
    Filter::Bing,
    Filter::Domain,
    Filter::Keyword,
    Filter::AdvertiserTag,
    Filter::KeywordTag,
    Filter::KeywordType,
    Filter::Waiting,
    Filter::Unread,
    Filter::SeenSince,
];

/// A filter with a drawn value, as the screen spells it.
fn pair(filter: Filter, world: &World, random: &mut ChaCha8Rng) -> (String, String) {
    let mut text = |of: &[&str]| of.choose(random).copied().unwrap_or_default().to_owned();
    let (name, value) = match filter {
        Filter::Status => ("status[]", text(&STATUSES)),
        Filter::Country => ("country[]", text(&COUNTRIES)),
        Filter::Domain => ("domain[regexp]", format!("/{}/i", text(&TEXTS))),
        Filter::Keyword => ("keywordContent[regexp]", format!("/{}/i", text(&KEYWORDS))),
        Filter::KeywordType => ("keywordType[]", text(&["BRAND", "GENERIC"])),
        Filter::Waiting => ("waiting", text(&["true", "false"])),
        Filter::Bing => ("provider[]", "bing".to_owned()),
        Filter::Unread => ("unread[]", "only".to_owned()),
        Filter::SeenSince => (
            "lastView[start]",
            (runtime::Clock::system().now() - chrono::TimeDelta::days(10)).to_rfc3339(),
        ),
        Filter::Brand => ("brandId[]", one_of(&world.brands, random)),
        Filter::OtherBrands => ("brandId[]", format!("-{}", one_of(&world.brands, random))),
        Filter::AdvertiserTag => ("advertiserTag[]", one_of(&world.advertiser_tags, random)),
        Filter::KeywordTag => ("keywordTag[]", one_of(&world.term_tags, random)),
    };
    (name.to_owned(), value)
}

fn one_of(ids: &[i64], random: &mut ChaCha8Rng) -> String {
    ids.choose(random).map(ToString::to_string).unwrap_or_default()
}

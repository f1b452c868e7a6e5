//! Many users at once: requests are sent on schedule, whether or not earlier ones were answered.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::super::BenchError;
use super::super::peers::Api;
use super::question::{Question, Work};

/// 200 users with one request every 4 s.
const REQUESTS_A_SECOND: u32 = 50;
const SECONDS: u32 = 30;
/// What pages request besides their lists.
const SMALL: [&str; 3] = [
    "api/UserAccounts/me",
    "api/brand?search=a",
    "api/advertiserTag/?search=a",
];

/// The result of a load.
pub(super) struct Load {
    /// Response times since each request was scheduled, ascending.
    pub(super) times: Vec<Duration>,
    pub(super) errors: usize,
}

/// Sends [`REQUESTS_A_SECOND`] for [`SECONDS`], a quarter of them lists of one brand, the others small ones, and waits for all responses. A failed
/// request counts as an error and has no time.
pub(super) async fn measure(api: &Api, questions: &[Question]) -> Result<Load, BenchError> {
    let lists: Vec<String> = questions
        .iter()
        .filter(|question| {
            matches!(
                question.work,
                Work::DomainsWeek | Work::DomainsMonth | Work::TermsWeek | Work::TermsMonth
            )
        })
        .map(Question::path)
        .collect();
    let began = Instant::now();
    let mut requests = tokio::task::JoinSet::new();
    for number in 0..REQUESTS_A_SECOND * SECONDS {
        let due = began + Duration::from_secs(1) / REQUESTS_A_SECOND * number;
        let index = number as usize;
        let path = if number.is_multiple_of(4) {
            lists[index / 4 % lists.len()].clone()
        } else {
            SMALL[index % SMALL.len()].to_owned()
        };
        let api = api.clone();
        sleep_until(due).await;
        requests.spawn(async move {
            let reply = api.get(&path).await;
            (due.elapsed(), reply.is_ok())
        });
    }
    let mut load = Load {
        times: Vec::new(),
        errors: 0,
    };
    while let Some(done) = requests.join_next().await {
        match done {
            Ok((took, true)) => load.times.push(took),
            _ => load.errors += 1,
        }
    }
    load.times.sort_unstable();
    Ok(load)
}

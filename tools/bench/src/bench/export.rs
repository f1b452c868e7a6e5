//! A list of a million rows as a file: how soon it begins, how long it takes, and how much memory the API needs for it.

use std::time::{Duration, Instant};

use analytics::Client;
use runtime::Clock;
use url::form_urlencoded;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::figures::median;
use super::peers::Api;
use super::{BenchError, Plan, world};
use crate::memory::resident;

const ROWS: u64 = 1_000_000;
const ROUNDS: usize = 3;
const FIRST_BYTE: Duration = Duration::from_millis(500);
const WHOLE: Duration = Duration::from_secs(3);
const MEMORY_MB: u64 = 32;
/// Time between two samples of the API's memory.
const SAMPLE: Duration = Duration::from_millis(100);
const BYTES_A_MB: u64 = 1_000_000;

/// Fills the stack with [`ROWS`] results, each a different ad, and downloads the ads of all terms as CSV [`ROUNDS`] times. Prints each round and
/// returns the targets that the median misses.
pub(super) async fn measure(
    stack: &TrialStack,
    plan: &Plan,
    reader: &world::Reader,
) -> Result<Vec<String>, BenchError> {
    let client = Client::connect(&stack.analytics()?).await?;
    let different = Plan {
        all_different: true,
        ..plan.clone()
    };
    world::fill(&client, &different, ROWS, Clock::system().now()).await?;
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let api = Api::sign_in(address, reader.email, &reader.password).await?;
    let mut query = form_urlencoded::Serializer::new(String::new());
    for term in 1..=world::terms(ROWS) {
        query.append_pair("termId[]", &term.to_string());
    }
    let path = format!("api/advertisement/export?{}", query.finish());

    let process = stack.process_of("api")?;
    let (mut firsts, mut wholes, mut grown) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = resident(process)?;
        let mut most = before;
        let mut looked = Instant::now();
        let downloaded = api
            .download(&path, || {
                if looked.elapsed() >= SAMPLE {
                    looked = Instant::now();
                    most = most.max(resident(process)?);
                }
                Ok(())
            })
            .await?;
        // The header is a line too, and a text may contain a line break.
        if downloaded.lines <= ROWS {
            return Err(BenchError::Answer {
                peer: "the API",
                reply: format!("a file of {} lines", downloaded.lines),
            });
        }
        say(format!(
            "{} MB of CSV, {ROWS} rows: first byte after {} ms, whole after {:.2} s, the API grew by {} MB",
            downloaded.bytes / BYTES_A_MB,
            downloaded.first_byte.as_millis(),
            downloaded.whole.as_secs_f64(),
            most - before
        ));
        firsts.push(downloaded.first_byte);
        wholes.push(downloaded.whole);
        grown.push(most - before);
    }
    let missed = [
        ("the first byte of a CSV", median(firsts) > FIRST_BYTE),
        ("the time of a CSV", median(wholes) > WHOLE),
        ("the memory for a CSV", median(grown) > MEMORY_MB),
    ];
    Ok(missed
        .into_iter()
        .filter(|(_, missed)| *missed)
        .map(|(what, _)| what.to_owned())
        .collect())
}

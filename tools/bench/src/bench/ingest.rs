//! Storing ad results as the workers do: durable batches, each read back. They stay in a stack that is discarded.

use std::time::{Duration, Instant};

use analytics::ingest::{AdRow, BatchToken, MADE_UP_BATCHES, insert, read_back};
use runtime::Clock;
use uuid::Uuid;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::BenchError;

const ROWS_A_BATCH: u16 = 5_000;
const WRITERS: u64 = 2;
const FOR: Duration = Duration::from_secs(20);
/// Outside of manifests; sample data begin higher.
const FIRST_BATCH: u64 = MADE_UP_BATCHES;

/// Stores batches for [`FOR`] with several writers and prints the rate in rows per second. It has no target; its rows stay in the stack.
pub(super) async fn measure(stack: &TrialStack) -> Result<(), BenchError> {
    let client = analytics::Client::connect(&stack.analytics()?).await?;
    let now = u32::try_from(Clock::system().now().timestamp()).unwrap_or(u32::MAX);
    let began = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(client.clone(), FIRST_BATCH + writer, now, began)))
        .collect();
    let mut batches = 0;
    for writer in writers {
        batches += writer.await.map_err(std::io::Error::from)??;
    }
    let seconds = began.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a few million rows")]
    let rate = (batches * u64::from(ROWS_A_BATCH)) as f64 / seconds;
    say(format!(
        "\nIngest: {batches} batches of {ROWS_A_BATCH} rows by {WRITERS} writers, durable, each read back: {rate:.0} rows a second"
    ));
    Ok(())
}

/// Stores batches and reads each back until [`FOR`] has passed since `began`; returns the number of batches. `first` is the number of the first one,
/// the next ones are [`WRITERS`] apart; `now`, in seconds since 1970, dates the ads. Fails when a batch is not stored completely.
async fn write(client: analytics::Client, first: u64, now: u32, began: Instant) -> Result<u64, BenchError> {
    let mut written = 0;
    while began.elapsed() < FOR {
        let token = BatchToken {
            batch: first + written * WRITERS,
            epoch: 1,
        };
        let rows: Vec<AdRow> = (0..ROWS_A_BATCH).map(|row| ad(token.batch, row, now)).collect();
        insert(&client, token, &rows).await?;
        let found = read_back(&client, token, &rows).await?;
        if found != u64::from(ROWS_A_BATCH) {
            return Err(BenchError::Answer {
                peer: "the engine",
                reply: format!("{found} rows of batch {}", token.batch),
            });
        }
        written += 1;
    }
    Ok(written)
}

/// Makes one row of a batch, seen shortly before `now` (seconds since 1970). A capture has twenty ads; every term shows the same ads for some
/// batches.
fn ad(batch: u64, row: u16, now: u32) -> AdRow {
    let capture = row / 20;
    let term = u32::from(capture) % 250;
    let domain = format!("advertiser-{}.example", (u32::from(row) * 7 + term * 13) % 900);
    AdRow {
        batch,
        row,
        capture_id: Uuid::from_u128(u128::from(batch) << 16 | u128::from(capture)),
        slot_time: now - u32::from(capture),
        seen_at: now - u32::from(capture),
        brand_id: 1 + term % 50,
        term_id: 1 + term,
        keyword: format!("keyword {term}"),
        keyword_type: "GENERIC".to_owned(),
        localization_id: 1,
        country: "FR".to_owned(),
        language: "fr".to_owned(),
        city: "Paris".to_owned(),
        region: String::new(),
        engine: "google".to_owned(),
        device: "desktop".to_owned(),
        kind: "ads".to_owned(),
        position: row % 20 + 1,
        real_position: row % 20 + 1,
        mark: row % 20 + 1,
        block: "top".to_owned(),
        domain_learnt: false,
        master: domain.clone(),
        title: format!("Offer {} of {domain} today", batch / 50 + u64::from(row % 20)),
        description: "Delivered in two days. Pay in three parts. Quality since 1950.".to_owned(),
        display_url: format!("www.{domain}/offer"),
        target_url: format!("https://www.{domain}/offer?id={row}"),
        aclk_urls: vec![format!("https://clicks.example/aclk?id={batch}-{row}")],
        image: String::new(),
        price: String::new(),
        merchant: String::new(),
        merchant_id: String::new(),
        comparator_name: String::new(),
        comparator_url: String::new(),
        domain,
    }
}

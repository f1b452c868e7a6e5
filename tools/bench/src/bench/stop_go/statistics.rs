//! The table of Google's figures.

use std::time::Duration;

use chrono::Days;
use vigie::terminal::say;

use super::world::ITEM;
use crate::bench::BenchError;
use crate::bench::figures::percentile;
use crate::bench::peers::{Api, Psql, unexpected};

const KEYWORDS: u32 = 300;
/// Two years, as far back as figures are retrieved.
const DAYS: u32 = 730;
const ROUNDS: usize = 40;
const PAGE: usize = 30;
/// Paid and unpaid figures of the first keywords of the item, and an end that is not in the future.
const FIGURES: &str = "
    insert into google_keyword (google_connect_id, term_id)
    select $ITEM, k.term_id from stop_go_keyword k where k.brand_id = $ITEM order by k.id limit $KEYWORDS;
    insert into google_statistic (google_connect_id, term_id, date, seo_id, seo_impressions, seo_clicks, sea_id, sea_impressions, sea_clicks, cost_micros)
    select k.google_connect_id, k.term_id, current_date - days, nextval('google_figure_id'), 1000 + k.term_id % 97, 10 + days % 7,
        nextval('google_figure_id'), 1000 + k.term_id % 97, 10 + days % 7, 1000000
    from google_keyword k, generate_series(1, $DAYS) days where k.google_connect_id = $ITEM";

/// Fills the figures of an item and asks for the first page of its table, [`ROUNDS`] times; the time that 95 of 100 do not exceed.
pub(super) async fn measure(psql: &Psql, admin: &Api) -> Result<Duration, BenchError> {
    let figures = FIGURES
        .replace("$ITEM", &ITEM.to_string())
        .replace("$KEYWORDS", &KEYWORDS.to_string())
        .replace("$DAYS", &DAYS.to_string());
    psql.run(&[figures.as_str(), "vacuum analyze google_statistic, google_keyword"])
        .await?;
    let first = runtime::Clock::system().now().date_naive() - Days::new(DAYS.into());
    let path = format!("api/google/{ITEM}/statistics?startDate={first}&page[size]={PAGE}");
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let (took, reply) = admin.get(&path).await?;
        let rows = reply["data"].as_array().map_or(0, Vec::len);
        let total = reply["meta"]["page"]["total"].as_u64();
        if rows != PAGE || total != Some(u64::from(KEYWORDS * DAYS)) {
            return Err(unexpected(&reply));
        }
        times.push(took);
    }
    times.sort_unstable();
    let [median, p95] = [0.5, 0.95].map(|share| percentile(&times, share));
    say(format!(
        "\nFigures of {KEYWORDS} keywords over {DAYS} days, first page: median {median:.0} ms, p95 {p95:.0} ms"
    ));
    Ok(Duration::from_secs_f64(p95 / 1e3))
}

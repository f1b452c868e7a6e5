//! From the schema with one time per ad to the one with two.

use std::collections::HashMap;

use analytics::ingest::retiming::{Retiming, UntimedCapture, months, untimed};
use analytics::reports::advertisers::days_with_results;
use analytics::roll_up::{check, seal_closed_days};
use analytics::{Client, migrate};
use chrono::NaiveDate;
use uuid::Uuid;

use crate::engine::Engine;
use crate::sample::{DAY, START};

const ROWS: u32 = 600;
/// Ads of one capture.
const ADS: u32 = 10;

/// A store of the version before, with the ads of 60 captures of January, one every six hours; their roll-ups are sealed.
async fn old_store() -> (Engine, Client) {
    let (engine, client) = Engine::migrated().await;
    let old = format!(
        "INSERT INTO ad_results (batch, row, capture_id, slot_time, brand_id, term_id, domain, kind, title) \
         SELECT 5, number, toUUID(concat('00000000-0000-0000-0000-', leftPad(toString(intDiv(number, {ADS})), 12, '0'))), \
             {START} + intDiv(number, {ADS}) * 21600, 1, 1, concat(toString(number % 7), '.example'), 'ads', toString(number % 13) \
         FROM numbers({ROWS})"
    );
    for statement in [
        "ALTER TABLE ad_results MODIFY COLUMN day Date MATERIALIZED toDate(slot_time)",
        "ALTER TABLE ad_results DROP COLUMN seen_at",
        "ALTER TABLE schema_migrations DELETE WHERE version = 7 SETTINGS mutations_sync = 2",
        &old,
    ] {
        engine.plain().query(statement).execute().await.unwrap();
    }
    assert_eq!(migrate::run(&client).await.unwrap(), ["0007_seen_at"]);
    seal_closed_days(&client).await.unwrap();
    (engine, client)
}

async fn number(engine: &Engine, query: &str) -> u64 {
    engine.plain().query(query).fetch_one().await.unwrap()
}

/// Gives captures a time a number of seconds after their slots, month by month.
async fn retime(client: &Client, attempt: u64, later: impl Fn(Uuid) -> u32) {
    for month in months(client).await.unwrap() {
        let next = month.checked_add_months(chrono::Months::new(1)).unwrap();
        let days = days_with_results(client, month, next.pred_opt().unwrap())
            .await
            .unwrap();
        let mut retiming = Retiming::begin(client, month).await.unwrap();
        for day in days {
            let untimed = untimed(client, day).await.unwrap().into_iter();
            let times: HashMap<UntimedCapture, u32> = untimed
                .map(|untimed| (untimed, untimed.slot_time + later(untimed.capture)))
                .filter(|(untimed, at)| untimed.slot_time != *at)
                .collect();
            retiming.day(client, day, &times).await.unwrap();
        }
        retiming.put_in_place(client, attempt).await.unwrap();
    }
}

#[tokio::test]
async fn rows_of_the_version_before_keep_their_day_until_they_are_given_their_time() {
    let (engine, client) = old_store().await;
    let same = "SELECT count() FROM ad_results WHERE seen_at = slot_time AND day = toDate(slot_time)";
    assert_eq!(number(&engine, same).await, u64::from(ROWS));
    assert_eq!(check(&client).await.unwrap(), []);

    // Every third page was received twenty days after its slot, some in the next month.
    let is_late = |capture: Uuid| capture.as_fields().3[7].is_multiple_of(3);
    retime(&client, 1, |capture| if is_late(capture) { 20 * DAY } else { 0 }).await;
    let late = format!(
        "SELECT uniqExact(capture_id) FROM ad_results WHERE seen_at = slot_time + {}",
        20 * DAY
    );
    let late = number(&engine, &late).await;
    assert!((15..25).contains(&late), "{late}");
    assert_eq!(number(&engine, same).await, u64::from(ROWS) - late * u64::from(ADS));
    assert_eq!(
        number(&engine, "SELECT count() FROM ad_results WHERE day = toDate(seen_at)").await,
        u64::from(ROWS)
    );
    assert_eq!(
        number(&engine, "SELECT uniqExact(batch, row) FROM ad_results").await,
        u64::from(ROWS)
    );
    let february = NaiveDate::from_ymd_opt(2026, 2, 1).unwrap();
    assert_eq!(months(&client).await.unwrap().last(), Some(&february));
    assert_eq!(
        check(&client).await.unwrap(),
        [],
        "no roll-up of before is left standing"
    );
    seal_closed_days(&client).await.unwrap();
    assert_eq!(check(&client).await.unwrap(), []);

    retime(&client, 2, |_| 0).await;
    assert_eq!(
        number(&engine, "SELECT uniqExact(batch, row) FROM ad_results").await,
        u64::from(ROWS)
    );
    assert_eq!(
        number(&engine, "SELECT count() FROM ad_results").await,
        u64::from(ROWS),
        "once more changes nothing"
    );
}

#[tokio::test]
async fn an_attempt_that_broke_off_before_its_month_was_in_place_is_completed_by_the_next() {
    let (engine, client) = old_store().await;
    // All pages of January were received in February, and the broken attempt had moved half of their rows.
    let moved = format!(
        "INSERT INTO ad_results SELECT * REPLACE (slot_time + {} AS seen_at) FROM ad_results WHERE row % 2 = 0",
        40 * DAY
    );
    engine.plain().query(&moved).execute().await.unwrap();
    retime(&client, 1, |_| 40 * DAY).await;
    assert_eq!(number(&engine, "SELECT count() FROM ad_results").await, u64::from(ROWS));
    assert_eq!(
        number(&engine, "SELECT uniqExact(batch, row) FROM ad_results").await,
        u64::from(ROWS)
    );
    let february = NaiveDate::from_ymd_opt(2026, 2, 1).unwrap();
    assert_eq!(months(&client).await.unwrap()[0], february);
    assert_eq!(check(&client).await.unwrap(), []);
}

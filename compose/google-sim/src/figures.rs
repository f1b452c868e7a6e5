//! Figures that follow from a text and a day alone.

use chrono::{Datelike, NaiveDate, Weekday};
use sha2::{Digest, Sha256};

/// What a text has on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    pub impressions: i64,
    pub clicks: i64,
    pub cost_micros: i64,
}

/// One text in this many is withheld, as Google does with texts that few people search for.
const WITHHELD_ONE_IN: u64 = 7;

/// The figures of a text on a day, in `salt` (a customer or site); `None` where few people search it, so that Google keeps it back.
pub fn on_day(salt: &str, text: &str, day: NaiveDate) -> Option<Figures> {
    let digest = Sha256::digest(format!("{salt}\n{text}"));
    let draw = |from: usize| u64::from(digest[from]) << 8 | u64::from(digest[from + 1]);
    if draw(0).is_multiple_of(WITHHELD_ONE_IN) {
        return None;
    }
    let level = 40 + draw(2) % 900;
    // The year has a slow wave, the week a short one.
    let season = 80 + u64::from(day.ordinal0() % 60).abs_diff(30);
    let weekday = match day.weekday() {
        Weekday::Sat | Weekday::Sun => 70,
        _ => 100,
    };
    let noise = 90 + u64::from(Sha256::digest(format!("{salt}{text}{day}"))[0]) % 20;
    let impressions = level * season * weekday * noise / 1_000_000;
    let clicks = impressions * (8 + draw(4) % 20) / 100;
    let micros = clicks * (150_000 + draw(6) % 900_000);
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Some(Figures {
        impressions: whole(impressions),
        clicks: whole(clicks),
        cost_micros: whole(micros),
    })
}

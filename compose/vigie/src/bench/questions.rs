//! What every peer is asked.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

/// A page of the Domains list.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) name: String,
    pub(super) brand: Option<u32>,
    /// First second.
    pub(super) from: DateTime<Utc>,
    /// Last second.
    pub(super) to: DateTime<Utc>,
}

impl Question {
    /// Where the API answers it.
    pub(super) fn path(&self) -> String {
        let time = |instant: DateTime<Utc>| instant.to_rfc3339_opts(SecondsFormat::Secs, true);
        let brand = self
            .brand
            .map(|brand| format!("&filters[brandID][inq][]={brand}"))
            .unwrap_or_default();
        format!(
            "api/Sems/findAdvertisers?page[size]=30&filters[date][between][start]={}&filters[date][between][end]={}{brand}",
            time(self.from),
            time(self.to)
        )
    }

    /// The condition of a row, as both SQL dialects understand it.
    pub(super) fn condition(&self, time_column: &str) -> String {
        let time = |instant: DateTime<Utc>| instant.format("%Y-%m-%d %H:%M:%S").to_string();
        let brand = self
            .brand
            .map(|brand| format!(" and brand_id = {brand}"))
            .unwrap_or_default();
        format!(
            "{time_column} between '{}' and '{}'{brand}",
            time(self.from),
            time(self.to)
        )
    }
}

/// One large and one middling of fifty brands, and all of them, over 7 and 30 of the last days. Days begin at 23:00 UTC, as they do in
/// Paris, so that no range is made of whole days of the store.
pub(super) fn questions(now: DateTime<Utc>, brands: [u32; 2]) -> Vec<Question> {
    let to = now
        .date_naive()
        .and_hms_opt(22, 59, 59)
        .map_or(now, |time| time.and_utc());
    let scopes = [
        ("a large brand", Some(brands[0])),
        ("a middling brand", Some(brands[1])),
        ("all brands", None),
    ];
    let mut questions = Vec::new();
    for (scope, brand) in scopes {
        for days in [7, 30] {
            questions.push(Question {
                name: format!("{scope}, {days} days"),
                brand,
                from: to - TimeDelta::days(days) + TimeDelta::seconds(1),
                to,
            });
        }
    }
    questions
}

//! What people have to know at once: texts that nobody but they can remove, and the first stop of a day.

use chrono::{DateTime, Utc};
use postgres::Pool;
use postgres::google;
use postgres::stop_go::notices::{self, Notice};
use vocabulary::{MailKind, SystemScope};

use crate::Error;

const SCOPE: SystemScope = SystemScope::new("noticing what happens to lanes");

/// Queues the mails that are due at `now`, each once a day: the mail server may be away, so nothing is sent here.
pub(super) async fn queue(pool: &Pool, now: DateTime<Utc>) -> Result<(), Error> {
    let day = now.date_naive();
    for stranded in google::stranded(pool, &SCOPE, None).await? {
        let google::Stranded {
            customer,
            country,
            texts,
        } = stranded;
        let account = format!("customer:{customer}");
        let key = format!("{customer}:{country}:{day}");
        let lines: Vec<String> = texts.iter().map(|text| format!("- {text}")).collect();
        let notice = Notice {
            kind: MailKind::Stranded,
            key: &key,
            subject: &format!("{customer}, Vigie stop {country}"),
            details: &lines.join("\n"),
        };
        notices::queue(pool, &SCOPE, &notice, Some(&account), now).await?;
    }
    let midnight = day.and_hms_opt(0, 0, 0).unwrap_or_default().and_utc();
    for stop in notices::first_stops(pool, &SCOPE, midnight).await? {
        let details = format!("- {} ({} UTC)", stop.text, stop.at.format("%d/%m/%Y %H:%M"));
        notices::queue_first_stop(pool, &SCOPE, &stop, (day, &details), now).await?;
    }
    Ok(())
}

//! Reading the last days of figures at Google again, and finding out whether grants and the version of its API still work.

use ::google::GoogleError;
use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc};
use postgres::google::{self, Source};
use postgres::stop_go::notices::{self, Notice};
use vocabulary::{MailKind, SystemScope};

use crate::Error;
use crate::context::WorkerContext;
use crate::google_access::GoogleAccess;

/// Days that Google may still change are read again, and some before them.
const REREAD: Days = Days::new(10);
/// A version that ends within this time is named to administrators.
const ENDS_SOON: TimeDelta = TimeDelta::days(60);

const SCOPE: SystemScope = SystemScope::new("keeping figures of Google up to date");

/// Does [`refresh`] where Google is set up. Returns a summary.
pub(super) async fn run(context: &WorkerContext) -> Result<String, Error> {
    match &context.retriever {
        Some(retriever) => refresh(&retriever.access).await,
        None => Ok("Google is not set up".to_owned()),
    }
}

/// Checks every grant, names what does not work to administrators, and queues the last days of every item whose figures may have changed since they were read.
/// Returns a summary.
pub async fn refresh(access: &GoogleAccess) -> Result<String, Error> {
    let now = access.clock.now();
    let (checked, broken) = check_grants(access, now).await?;
    name_version(access, now).await?;
    let mut queued = 0;
    for days in months(
        now.date_naive() - REREAD,
        now.date_naive().pred_opt().unwrap_or_default(),
    ) {
        for source in [Source::Sea, Source::Seo] {
            queued += google::queue_refreshes(&access.postgres, &SCOPE, source, days, now).await?;
        }
    }
    Ok(format!(
        "{checked} grants checked, {broken} do not work, {queued} retrievals queued"
    ))
}

/// Asks Google by each grant for something cheap; a grant that is found revoked is named to administrators. Returns how many were asked, and how many of
/// these do not work.
async fn check_grants(access: &GoogleAccess, now: DateTime<Utc>) -> Result<(usize, usize), Error> {
    let (mut checked, mut broken) = (0, 0);
    for grant in google::grants_to_check(&access.postgres, &SCOPE).await? {
        let Some(account) = access.account(grant.id, None).await? else {
            continue;
        };
        let asked = if grant.reads_ads {
            account.customers().await.map(|_| ())
        } else {
            account.sites().await.map(|_| ())
        };
        let spent = i32::try_from(account.operations()).unwrap_or(i32::MAX);
        google::count_operations(&access.postgres, &SCOPE, (spent, 0), now).await?;
        checked += 1;
        match asked {
            Ok(()) => google::mark_grant(&access.postgres, &SCOPE, grant.id, ("ok", None), now).await?,
            Err(error @ (GoogleError::GrantRevoked | GoogleError::GrantFailing(_))) => {
                broken += 1;
                let status = if error == GoogleError::GrantRevoked {
                    "revoked"
                } else {
                    "failing"
                };
                access.mark(grant.id, status, &error.to_string()).await?;
                let notice = Notice {
                    kind: MailKind::Revoked,
                    key: &format!("{}:{status}", grant.id),
                    subject: grant.email.as_deref().unwrap_or("Google"),
                    details: &grant.brands.join(", "),
                };
                notices::queue(&access.postgres, &SCOPE, &notice, None, now).await?;
            }
            // Of the grant this says nothing.
            Err(error) => tracing::warn!(grant = grant.id, %error, "a grant could not be checked"),
        }
    }
    Ok((checked, broken))
}

/// Names a version of the API that ends soon, or has ended, to administrators: once for each.
async fn name_version(access: &GoogleAccess, now: DateTime<Utc>) -> Result<(), Error> {
    let (version, ends) = access.client.version();
    let today = now.date_naive();
    if today + ENDS_SOON < ends {
        return Ok(());
    }
    let stage = if ends < today { "ended" } else { "soon" };
    let notice = Notice {
        kind: MailKind::Version,
        key: &format!("{version}:{stage}"),
        subject: version,
        details: &ends.format("%d/%m/%Y").to_string(),
    };
    notices::queue(&access.postgres, &SCOPE, &notice, None, now).await?;
    Ok(())
}

/// The days from the first to the last, both included, split where a month ends: a retrieval is of one month.
fn months(first: NaiveDate, last: NaiveDate) -> Vec<(NaiveDate, NaiveDate)> {
    let next_month = last.with_day(1).unwrap_or(first);
    if next_month <= first {
        return vec![(first, last)];
    }
    vec![(first, next_month.pred_opt().unwrap_or(first)), (next_month, last)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_two_months_are_two_retrievals() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        assert_eq!(
            months(day("2026-11-14"), day("2026-11-23")),
            [(day("2026-11-14"), day("2026-11-23"))]
        );
        assert_eq!(
            months(day("2026-10-29"), day("2026-11-07")),
            [
                (day("2026-10-29"), day("2026-10-31")),
                (day("2026-11-01"), day("2026-11-07"))
            ]
        );
    }
}

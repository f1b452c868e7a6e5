//! Printing the monthly reports that users ask for: each as that user sees it, by a token that opens the figures of a report and ends with the print.

use std::time::Duration;

use capture::browsing::{self, PageToPrint, PrintError};
use chrono::TimeDelta;
use postgres::Pool;
use postgres::report_files::{self, ClaimedReport, ReportOrder};
use postgres::tokens::{self, NewToken};
use runtime::Clock;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use url::Url;
use vocabulary::SystemScope;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Longer than a wait for a tab and [`PrintError::LIMIT`] together; the token of a print lives as long, unless the print ends before.
const LEASE: Duration = Duration::from_mins(4);
/// Time to fetch a report that was asked for, and to send it with a digest.
const KEPT: TimeDelta = TimeDelta::hours(1);
/// Between two looks for reports that were kept for long enough.
const FORGOTTEN_EVERY: TimeDelta = TimeDelta::minutes(1);

const SCOPE: SystemScope = SystemScope::new("printing reports");

/// Prints reports. Clones share its stores and browsers.
#[derive(Clone)]
pub struct Printer {
    /// The store of what is asked for.
    pub postgres: Pool,
    /// The browsers that captures use, too.
    pub browsers: browsing::Pool,
    /// The clock for the times of tokens and leases.
    pub clock: Clock,
    /// Where the web client is.
    pub public_url: Url,
}

impl Printer {
    /// Prints what waits, one report after the other, and forgets what was kept for long enough, until `shutdown`. One under way then is left to its
    /// lease. A pass that fails is only logged.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut beat = tokio::time::interval(CHECK_INTERVAL);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut forgotten = None;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = beat.tick() => {}
            }
            let passed = tokio::select! {
                () = shutdown.cancelled() => return,
                passed = self.pass() => passed,
            };
            if let Err(error) = passed {
                tracing::warn!(%error, "reports could not be printed");
            }
            let now = self.clock.now();
            if forgotten.is_none_or(|last| now - last >= FORGOTTEN_EVERY) {
                forgotten = Some(now);
                if let Err(error) = self.forget().await {
                    tracing::warn!(%error, "reports could not be forgotten");
                }
            }
        }
    }

    /// Prints the report that waits longest. `false` where none waits. A report that cannot be printed is recorded as such and is no error.
    pub async fn pass(&self) -> Result<bool, postgres::Error> {
        let mut connection = self.postgres.acquire().await?;
        let claimed = report_files::claim(&mut connection, &SCOPE, self.clock.now(), LEASE).await?;
        drop(connection);
        let Some(report) = claimed else {
            return Ok(false);
        };
        match self.print(&report).await? {
            Ok(pdf) => {
                tracing::info!(report = report.id(), bytes = pdf.len(), "a report was printed");
                report_files::keep(&self.postgres, &report, &pdf, self.clock.now()).await?;
            }
            Err(error) => {
                tracing::warn!(report = report.id(), %error, "a report could not be printed");
                report_files::fail(&self.postgres, &report, &error.to_string(), self.clock.now()).await?;
            }
        }
        Ok(true)
    }

    /// Deletes the reports that were kept for [`KEPT`], and returns how many.
    pub async fn forget(&self) -> Result<u64, postgres::Error> {
        report_files::forget_before(&self.postgres, &SCOPE, self.clock.now() - KEPT).await
    }

    /// Prints a report with a token of its user that ends with the print.
    async fn print(&self, report: &ClaimedReport) -> Result<Result<Vec<u8>, PrintError>, postgres::Error> {
        let token = tokens::fresh();
        let new = NewToken {
            digest: &tokens::digest(&token),
            user: report.order.user,
            ttl: i64::try_from(LEASE.as_secs()).unwrap_or_default(),
            scopes: Some(&[tokens::REPORT_SCOPE.to_owned()]),
            created: self.clock.now(),
            made_in: None,
            impersonated_by: None,
            user_agent: None,
        };
        let created = tokens::create(&self.postgres, &new).await?;
        let page = PageToPrint {
            address: self.address(&report.order),
            token,
            time_zone: report.order.time_zone.name().to_owned(),
        };
        let printed = self.browsers.print(&page).await;
        tokens::revoke(&self.postgres, created).await?;
        Ok(printed)
    }

    /// The page of a report.
    fn address(&self, order: &ReportOrder) -> Url {
        let mut address = self.public_url.clone();
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty().push("report");
        }
        let mut query = address.query_pairs_mut();
        query
            .append_pair("month", &order.month.format("%Y-%m").to_string())
            .append_pair("lng", &order.language.to_string());
        if let Some(brand) = order.brand {
            query.append_pair("brand", &brand.to_string());
        }
        drop(query);
        address
    }
}

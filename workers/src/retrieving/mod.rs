//! Retrieval of figures at Google: each a month of an item from one source, as it was asked for (decision D191).

mod paid;
mod unpaid;

use std::time::Duration;

use ::google::{Account, GoogleError};
use chrono::{DateTime, TimeDelta, Utc};
use postgres::google::{self, ClaimedRetrieval, Figure, GoogleKeyword, Outcome, Remark, Source};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::SystemScope;

use crate::Error;
use crate::google_access::GoogleAccess;
use crate::google_budget::Budget;

const SCOPE: SystemScope = SystemScope::new("reading figures at Google");
/// Longer than one call of Google takes; each page renews it.
const LEASE: Duration = Duration::from_mins(3);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Before the second try and the third.
const RETRY_WAITS: [TimeDelta; 2] = [TimeDelta::seconds(4), TimeDelta::seconds(30)];
/// The longest that a retrieval waits because Google says so without a limit of the day.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(2);
/// Tries after which a retrieval fails whose worker was lost each time.
const MOST_TRIES: i32 = 6;
/// Reads figures at Google. Clones share connections and tokens.
#[derive(Clone, Debug)]
pub struct Retriever {
    /// What Google is worked with.
    pub access: GoogleAccess,
}

/// How reading a source ended.
struct Read {
    figures: Vec<Figure>,
    /// What the reader of the screen should know.
    remarks: Vec<Remark>,
}

/// Reads what was asked for until `shutdown`, looking for it every [`CHECK_INTERVAL`]. A retrieval under way at the shutdown is dropped; it is taken again
/// when its lease ends.
pub(crate) async fn run(retriever: Retriever, shutdown: CancellationToken) {
    let mut beat = tokio::time::interval(CHECK_INTERVAL);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = beat.tick() => {}
        }
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                passed = retriever.pass() => match passed {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "figures of Google could not be read");
                        break;
                    }
                },
            }
        }
    }
}

impl Retriever {
    /// Takes the next retrieval that may run and carries it out; `false` when there is none. A failure of Google is no error: it is noted.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn pass(&self) -> Result<bool, Error> {
        let now = self.access.clock.now();
        let usage = google::usage(&self.access.postgres, now).await?;
        let budget = Budget::new(&usage, self.access.daily_operations);
        let allowed = (budget.may_ask, budget.may_refresh);
        let claimed = google::claim(&self.access.postgres, &SCOPE, allowed, LEASE, now).await?;
        let Some(retrieval) = claimed else { return Ok(false) };
        if retrieval.tries > MOST_TRIES {
            self.fail(&retrieval, "its worker was lost again and again", (None, 0))
                .await?;
            return Ok(true);
        }
        let Some(account) = self.account(&retrieval).await? else {
            self.fail(
                &retrieval,
                "nobody gives access to these figures any more",
                (Some("revoked"), 0),
            )
            .await?;
            return Ok(true);
        };
        let terms = google::terms_of(&self.access.postgres, &SCOPE, &retrieval).await?;
        let read = self.read(&account, &retrieval, &terms).await;
        let spent = i32::try_from(account.operations()).unwrap_or(i32::MAX);
        let refused = i32::from(matches!(
            read,
            Err(ReadError::Google(
                GoogleError::DailyLimit { .. } | GoogleError::Busy { .. }
            ))
        ));
        google::count_operations(&self.access.postgres, &SCOPE, (spent, refused), self.access.clock.now()).await?;
        let outcome = match read {
            Ok(read) => {
                self.store(&retrieval, &read, (spent, account.last_request())).await?;
                "read"
            }
            // Somebody stopped it, deleted its item, or another worker has it: nothing of it is written.
            Err(ReadError::Gone) => "gone",
            Err(ReadError::Store(error)) => return Err(error),
            Err(ReadError::Google(error)) => {
                self.react(&retrieval, &account, error).await?;
                "failed"
            }
        };
        metrics::counter!("vigie_google_retrievals_total", "end" => outcome).increment(1);
        Ok(true)
    }

    /// What the source of a retrieval is read with; `None` without a grant.
    async fn account(&self, retrieval: &ClaimedRetrieval) -> Result<Option<Account>, Error> {
        let Some(grant) = retrieval.grant else { return Ok(None) };
        self.access.account(grant, retrieval.login_customer.clone()).await
    }

    /// Reads the source of a retrieval.
    async fn read(
        &self,
        account: &Account,
        retrieval: &ClaimedRetrieval,
        terms: &[GoogleKeyword],
    ) -> Result<Read, ReadError> {
        match retrieval.source {
            Source::Sea => paid::read(self, account, retrieval, terms).await,
            Source::Seo => unpaid::read(self, account, retrieval, terms).await,
        }
    }

    /// Renews the lease of a retrieval and shows how far it is; [`ReadError::Gone`] when it may not go on.
    async fn note(&self, retrieval: &ClaimedRetrieval, pages: usize, rows: usize) -> Result<(), ReadError> {
        let numbers = (whole(pages), whole(rows));
        let goes_on = google::note_page(
            &self.access.postgres,
            &SCOPE,
            retrieval,
            numbers,
            LEASE,
            self.access.clock.now(),
        )
        .await
        .map_err(|error| ReadError::Store(error.into()))?;
        if goes_on { Ok(()) } else { Err(ReadError::Gone) }
    }

    /// Stores what was read and ends the retrieval, both or neither.
    async fn store(
        &self,
        retrieval: &ClaimedRetrieval,
        read: &Read,
        (spent, request): (i32, Option<String>),
    ) -> Result<(), Error> {
        let now = self.access.clock.now();
        let mut tx = postgres::begin(&self.access.postgres).await?;
        let currency = match retrieval.source {
            Source::Sea => retrieval.currency.as_deref(),
            Source::Seo => None,
        };
        let of = (retrieval.item, retrieval.source, currency);
        let stored = google::store_figures(&mut tx, &SCOPE, of, &read.figures).await?;
        let outcome = Outcome {
            state: "done",
            rows: i32::try_from(stored).unwrap_or(i32::MAX),
            operations: spent,
            request_id: request.as_deref(),
            remarks: &read.remarks,
            note: None,
        };
        if !google::end_retrieval(&mut *tx, &SCOPE, retrieval, &outcome, now).await? {
            // Stopped meanwhile: the transaction is dropped with its figures.
            return Ok(());
        }
        google::note_health(&mut *tx, &SCOPE, retrieval.item, ("ok", None), now).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        tracing::info!(retrieval = retrieval.id, rows = stored, source = %retrieval.source, "figures of Google read");
        Ok(())
    }

    /// Does what a failure of Google calls for: wait, pause all of Google Ads, or end the retrieval with the reason.
    async fn react(&self, retrieval: &ClaimedRetrieval, account: &Account, error: GoogleError) -> Result<(), Error> {
        let now = self.access.clock.now();
        let text = error.to_string();
        let spent = i32::try_from(account.operations()).unwrap_or(i32::MAX);
        tracing::warn!(
            retrieval = retrieval.id,
            problem = text,
            "figures of Google were not read"
        );
        match &error {
            GoogleError::DailyLimit { retry_after, .. } => {
                let until = now + bounded(*retry_after);
                google::pause(&self.access.postgres, &SCOPE, until, &text).await?;
                google::put_off(&self.access.postgres, &SCOPE, retrieval, (until, &text, spent)).await?;
            }
            _ if error.may_pass() && next_try(retrieval, &error, now).is_some() => {
                let until = next_try(retrieval, &error, now).unwrap_or(now);
                google::put_off(&self.access.postgres, &SCOPE, retrieval, (until, &text, spent)).await?;
            }
            _ => {
                let health = match error {
                    GoogleError::GrantRevoked => {
                        self.mark(retrieval, "revoked", &text).await?;
                        "revoked"
                    }
                    GoogleError::GrantFailing(_) => {
                        self.mark(retrieval, "failing", &text).await?;
                        "failing"
                    }
                    _ => "failing",
                };
                self.fail(retrieval, &text, (Some(health), spent)).await?;
            }
        }
        Ok(())
    }

    async fn mark(&self, retrieval: &ClaimedRetrieval, status: &str, text: &str) -> Result<(), Error> {
        if let Some(grant) = retrieval.grant {
            self.access.mark(grant, status, text).await?;
        }
        Ok(())
    }

    /// Ends a retrieval that cannot succeed, and says so at its item.
    async fn fail(
        &self,
        retrieval: &ClaimedRetrieval,
        why: &str,
        (health, spent): (Option<&str>, i32),
    ) -> Result<(), Error> {
        let now = self.access.clock.now();
        let outcome = Outcome {
            state: "failed",
            rows: 0,
            operations: spent,
            request_id: None,
            remarks: &[],
            note: Some(why),
        };
        if google::end_retrieval(&self.access.postgres, &SCOPE, retrieval, &outcome, now).await?
            && let Some(health) = health
        {
            google::note_health(&self.access.postgres, &SCOPE, retrieval.item, (health, Some(why)), now).await?;
        }
        Ok(())
    }
}

/// Why a source was not read.
#[derive(Debug)]
enum ReadError {
    /// Google failed or refused.
    Google(GoogleError),
    /// The retrieval was stopped, or is another worker's.
    Gone,
    /// The store failed.
    Store(Error),
}

impl From<GoogleError> for ReadError {
    fn from(error: GoogleError) -> Self {
        Self::Google(error)
    }
}

/// A wait that Google named, two days at most.
fn bounded(wait: Duration) -> TimeDelta {
    TimeDelta::from_std(wait).map_or(TimeDelta::days(2), |wait| wait.min(TimeDelta::days(2)))
}

fn whole(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The words of a term as Google writes them: in small letters, with single spaces (decision D90).
fn fold(words: &str) -> String {
    words.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// When a failure that may pass is tried again; `None` after the last try. Search Console names its own wait, which doubles.
fn next_try(retrieval: &ClaimedRetrieval, error: &GoogleError, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let before = usize::try_from(retrieval.tries - 1).unwrap_or_default();
    let own = *RETRY_WAITS.get(before)?;
    let asked = match error {
        GoogleError::Busy { retry_after, .. } => {
            TimeDelta::from_std(*retry_after).unwrap_or(own) * (1 << before.min(4))
        }
        _ => own,
    };
    Some(now + own.max(asked.min(LONGEST_WAIT)))
}

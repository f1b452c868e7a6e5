//! The synchronization (decision D93): reading the monthly searches of terms that were requested, from which automatic frequencies follow.

mod service;

use std::time::Duration;

use coordination::{Coordination, Limit, Throttle};
use postgres::Pool;
use postgres::search_stats::{self, ClaimedTerms, ReadSearches};
use runtime::Clock;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vocabulary::{SystemScope, TermId};

pub use service::{VolumeService, VolumeServiceError};

use crate::Error;

const SCOPE: SystemScope = SystemScope::new("reading search volumes");
/// Terms of one question; the service takes no more.
const TERMS_A_QUESTION: i64 = 200;
/// Longer than the service may take.
const LEASE: Duration = Duration::from_mins(1);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Questions are counted over this time.
const WINDOW: Duration = Duration::from_hours(1);
/// Before the second try, the third and so on. After the last one, terms wait until they are requested again.
const RETRY_WAITS: [Duration; 4] = [
    Duration::from_secs(10),
    Duration::from_mins(1),
    Duration::from_mins(10),
    Duration::from_hours(1),
];

/// Reads search volumes. Clones share the connections to the service.
#[derive(Clone)]
pub struct Volumes {
    /// The store of terms and requests.
    pub postgres: Pool,
    /// The clock for the times of statistics.
    pub clock: Clock,
    /// The count of questions, which all processes share.
    pub coordination: Coordination,
    /// The service to ask.
    pub service: VolumeService,
    /// Questions an hour, over all processes.
    pub questions_per_hour: u32,
}

/// Reads what was requested until `shutdown`, looking for it every [`CHECK_INTERVAL`]. A question under way at the shutdown is dropped; its terms are
/// taken again when their lease ends.
pub(crate) async fn run(volumes: Volumes, shutdown: CancellationToken) {
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
                passed = pass(&volumes) => match passed {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        tracing::warn!(%error, "search volumes could not be read");
                        break;
                    }
                },
            }
        }
    }
}

/// Takes terms that wait, asks the service one question and stores its answer. `false` when none waits or no more may be asked now. A question that
/// fails is asked again later, which is no error.
async fn pass(volumes: &Volumes) -> Result<bool, Error> {
    let Some(claimed) = search_stats::claim(&volumes.postgres, &SCOPE, TERMS_A_QUESTION, LEASE).await? else {
        return Ok(false);
    };
    let ids: Vec<TermId> = claimed.terms.iter().map(|term| term.id).collect();
    let limit = Limit {
        key: "search-volumes",
        most: volumes.questions_per_hour,
    };
    if let Err(wait) = Throttle::new(&volumes.coordination, WINDOW).reserve(&[limit]).await {
        tracing::warn!(
            terms = ids.len(),
            wait_seconds = wait.as_secs(),
            "no more search volumes may be asked for this hour"
        );
        search_stats::give_back(&volumes.postgres, &SCOPE, &ids, wait).await?;
        return Ok(false);
    }
    ask(volumes, &claimed, &ids).await?;
    Ok(true)
}

/// Asks the service about claimed terms and stores its answer, or when to try again.
async fn ask(volumes: &Volumes, claimed: &ClaimedTerms, ids: &[TermId]) -> Result<(), Error> {
    let words: Vec<&str> = claimed.terms.iter().map(|term| term.words.as_str()).collect();
    let outcome = match volumes.service.monthly(claimed.engine, &claimed.locale, &words).await {
        Ok(monthly) => {
            let read: Vec<ReadSearches<'_>> = claimed
                .terms
                .iter()
                .zip(monthly)
                .map(|(term, monthly)| ReadSearches {
                    term: term.id,
                    words: &term.words,
                    monthly,
                })
                .collect();
            let mut connection = volumes.postgres.acquire().await.map_err(postgres::Error::from)?;
            let stored = search_stats::store(&mut connection, &SCOPE, &read, volumes.clock.now()).await?;
            tracing::info!(stored, engine = %claimed.engine, locale = %claimed.locale, "search volumes read");
            "read"
        }
        Err(error) => {
            let problem = error.to_string();
            tracing::warn!(problem, terms = ids.len(), "search volumes were not read");
            for (wait, terms) in by_wait(claimed) {
                search_stats::note_failure(&volumes.postgres, &SCOPE, &terms, wait, &problem).await?;
            }
            "failed"
        }
    };
    metrics::counter!("vigie_search_volume_questions_total", "end" => outcome).increment(1);
    Ok(())
}

/// Claimed terms by how long they wait after a failure; `None` for those that were tried too often.
fn by_wait(claimed: &ClaimedTerms) -> Vec<(Option<Duration>, Vec<TermId>)> {
    let mut groups: Vec<(Option<Duration>, Vec<TermId>)> = Vec::new();
    for term in &claimed.terms {
        let tries_before = usize::try_from(term.tries - 1).unwrap_or_default();
        let wait = RETRY_WAITS.get(tries_before).copied();
        match groups.iter_mut().find(|(of, _)| *of == wait) {
            Some((_, terms)) => terms.push(term.id),
            None => groups.push((wait, vec![term.id])),
        }
    }
    groups
}

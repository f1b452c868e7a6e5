//! The pace at which each engine is searched. While an engine refuses, searches on it pause.

use std::time::Duration;

use coordination::{Breaker, Bucket, Coordination, RecentlySeen};
use vocabulary::{CaptureFailure, Engine, TermId};

use crate::context::Pace;

/// Searches that may follow one another at once after an idle time.
const BURST: u32 = 5;
/// The longest wait inside an attempt; a slot that has to wait longer goes back to the queue.
const PATIENCE: Duration = Duration::from_secs(20);
/// An engine counts as well on a route for this long after a page with results.
const WELL: Duration = Duration::from_hours(3);
/// A silent term counts as a refusal once in this time, so that no term pauses an engine alone.
const ONE_TERM: Duration = Duration::from_mins(15);

/// Pace and breaker per engine and route (this machine's address, or a proxy): a refusal on one route says nothing about any other route.
pub struct Engines {
    coordination: Coordination,
    pace: Pace,
}

/// What limits searches on one engine and route.
struct Gate {
    bucket: Bucket,
    breaker: Breaker,
}

impl Engines {
    pub fn new(coordination: &Coordination, pace: &Pace) -> Self {
        Self {
            coordination: coordination.clone(),
            pace: *pace,
        }
    }

    /// Waits until the next search may go out on this route (`browsing::Pool::route`), at most for [`PATIENCE`].
    ///
    /// # Errors
    /// After how long the slot may try again, when searches pause or the wait would be longer than [`PATIENCE`].
    pub async fn wait_for_turn(&self, engine: Engine, route: &str) -> Result<(), Duration> {
        let gate = self.gate(engine, route);
        if let Some(left) = gate.breaker.pause_left().await {
            return Err(left);
        }
        let mut waited = Duration::ZERO;
        while let Err(wait) = gate.bucket.try_take().await {
            waited += wait;
            if waited > PATIENCE {
                return Err(waited);
            }
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// Notes a page with results: it ends a row of refusals, and the engine counts as well on this route for [`WELL`].
    pub async fn note_results(&self, engine: Engine, route: &str) {
        self.gate(engine, route).breaker.note_acceptance().await;
        self.well().note(&[format!("{engine}:{route}")]).await;
    }

    /// Whether any search had results on this engine and route within [`WELL`].
    pub async fn is_well(&self, engine: Engine, route: &str) -> bool {
        self.well().has_all(&[format!("{engine}:{route}")]).await
    }

    /// Notes that a term has no results where it should have some, which is the soft way to refuse. Counts as a refusal, but a term counts only once
    /// in [`ONE_TERM`].
    pub async fn note_silence(&self, engine: Engine, route: &str, term: TermId) {
        let lately = RecentlySeen::new(&self.coordination, "silent-term", ONE_TERM);
        let key = [format!("{engine}:{route}:{term}")];
        if lately.has_all(&key).await {
            return;
        }
        lately.note(&key).await;
        self.note_refusal(engine, route).await;
    }

    /// The memory of which engines and routes had a page with results within [`WELL`].
    fn well(&self) -> RecentlySeen {
        RecentlySeen::new(&self.coordination, "results", WELL)
    }

    /// Notes a failed search. Captchas, blocks and pages without results ([`CaptureFailure::Shell`]) count as refusals; other failures say nothing
    /// about the engine and are ignored.
    pub async fn note_failure(&self, engine: Engine, route: &str, failure: CaptureFailure) {
        let is_refusal = matches!(
            failure,
            CaptureFailure::Captcha | CaptureFailure::Blocked | CaptureFailure::Shell
        );
        if is_refusal {
            self.note_refusal(engine, route).await;
        }
    }

    /// Counts a refusal, which may open the breaker; searches on this engine and route then pause, and the log says so.
    async fn note_refusal(&self, engine: Engine, route: &str) {
        if let Some(pause) = self.gate(engine, route).breaker.note_refusal().await {
            tracing::warn!(%engine, way = route, ?pause, "the engine refuses; captures on it pause");
            metrics::counter!("vigie_engine_pauses_total", "engine" => engine.to_string()).increment(1);
        }
    }

    /// The pace and breaker of an engine on a route, shared by all processes.
    fn gate(&self, engine: Engine, route: &str) -> Gate {
        let name = format!("{engine}:{route}");
        Gate {
            bucket: Bucket::new(&self.coordination, &name, self.pace.per_minute(engine), BURST),
            breaker: Breaker::new(&self.coordination, &name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(coordination: &Coordination) -> Engines {
        let pace = Pace {
            tick: Duration::from_secs(1),
            plans_changes_at_once: true,
            concurrency: 1,
            google_per_minute: 60,
            bing_per_minute: 60,
            least_free_bytes: 0,
        };
        Engines::new(coordination, &pace)
    }

    #[tokio::test(start_paused = true)]
    async fn a_route_that_is_refused_is_paused_and_the_others_go_on() {
        let engines = engines(&Coordination::alone());
        for _ in 0..3 {
            engines
                .note_failure(Engine::Google, "direct", CaptureFailure::Captcha)
                .await;
        }
        assert_eq!(
            engines.wait_for_turn(Engine::Google, "direct").await,
            Err(Duration::from_mins(15))
        );
        assert_eq!(
            engines.wait_for_turn(Engine::Google, "proxy.example:3128").await,
            Ok(())
        );
        assert_eq!(engines.wait_for_turn(Engine::Bing, "direct").await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_silent_term_pauses_nothing_and_three_do() {
        let engines = engines(&Coordination::alone());
        for _ in 0..20 {
            engines.note_silence(Engine::Bing, "direct", TermId(1)).await;
        }
        assert_eq!(engines.wait_for_turn(Engine::Bing, "direct").await, Ok(()));
        for term in [2, 3] {
            engines.note_silence(Engine::Bing, "direct", TermId(term)).await;
        }
        assert_eq!(
            engines.wait_for_turn(Engine::Bing, "direct").await,
            Err(Duration::from_mins(15))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_is_well_where_it_answered_lately() {
        let engines = engines(&Coordination::alone());
        assert!(!engines.is_well(Engine::Bing, "direct").await);
        engines.note_results(Engine::Bing, "direct").await;
        assert!(engines.is_well(Engine::Bing, "direct").await);
        assert!(!engines.is_well(Engine::Bing, "proxy.example:3128").await);
        tokio::time::advance(WELL).await;
        assert!(!engines.is_well(Engine::Bing, "direct").await);
    }

    #[tokio::test(start_paused = true)]
    async fn failures_that_are_no_refusals_pause_nothing() {
        let engines = engines(&Coordination::alone());
        for _ in 0..20 {
            engines
                .note_failure(Engine::Google, "direct", CaptureFailure::Timeout)
                .await;
        }
        assert_eq!(engines.wait_for_turn(Engine::Google, "direct").await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn two_workers_without_redis_keep_the_pace_each() {
        let (one, other) = (engines(&Coordination::alone()), engines(&Coordination::alone()));
        let begun = tokio::time::Instant::now();
        for _ in 0..BURST + 5 {
            one.wait_for_turn(Engine::Google, "direct").await.unwrap();
        }
        assert_eq!(begun.elapsed(), Duration::from_secs(5));
        assert_eq!(other.wait_for_turn(Engine::Google, "direct").await, Ok(()));
        assert_eq!(begun.elapsed(), Duration::from_secs(5));
    }
}

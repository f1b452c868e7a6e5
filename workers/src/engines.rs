//! How the engines are asked: at a steady rate, and not at all while they refuse.

use std::time::Duration;

use coordination::{Breaker, Bucket, Coordination};
use vocabulary::{CaptureFailure, Engine};

use crate::parts::Pace;

/// Searches that may follow one another at once after a quiet time.
const BURST: u32 = 5;
/// A longer wait is not sat out: the slot is given back for so long.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Engines {
    google: Gate,
    bing: Gate,
}

struct Gate {
    bucket: Bucket,
    breaker: Breaker,
}

impl Engines {
    pub fn new(coordination: &Coordination, pace: &Pace) -> Self {
        let gate = |engine: Engine| {
            let name = engine.to_string();
            Gate {
                bucket: Bucket::new(coordination, &name, pace.per_minute(engine), BURST),
                breaker: Breaker::new(coordination, &name),
            }
        };
        Self {
            google: gate(Engine::Google),
            bing: gate(Engine::Bing),
        }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// How long to come back later, when the engine is paused or the wait is long.
    pub async fn enter(&self, engine: Engine) -> Result<(), Duration> {
        let gate = self.gate(engine);
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

    pub async fn answered(&self, engine: Engine) {
        count(engine, "answered");
        self.gate(engine).breaker.accepted().await;
    }

    /// Notes a failure; a captcha or a block is a refusal.
    pub async fn failed(&self, engine: Engine, failure: CaptureFailure) {
        count(engine, &failure.to_string());
        let is_refusal = matches!(failure, CaptureFailure::Captcha | CaptureFailure::Blocked);
        if is_refusal && self.gate(engine).breaker.refused().await {
            tracing::warn!(%engine, "the engine refuses; captures on it pause for 15 minutes");
            metrics::counter!("vigie_engine_pauses_total", "engine" => engine.to_string()).increment(1);
        }
    }

    const fn gate(&self, engine: Engine) -> &Gate {
        match engine {
            Engine::Google => &self.google,
            Engine::Bing => &self.bing,
        }
    }
}

/// Counts how searches end, by engine.
fn count(engine: Engine, outcome: &str) {
    let (engine, outcome) = (engine.to_string(), outcome.to_owned());
    metrics::counter!("vigie_searches_total", "engine" => engine, "outcome" => outcome).increment(1);
}

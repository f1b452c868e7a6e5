//! What a worker is made of.

use std::time::Duration;

use blobs::Blobs;
use capture::browsing;
use chrono::TimeDelta;
use chrono_tz::Tz;
use coordination::Coordination;
use postgres::Pool;
use runtime::Clock;
use runtime::settings::{Actions, Retention, Screenshots};
use vocabulary::Engine;

use crate::mails::Sender;

/// What a worker works with. Clones share all of it.
#[derive(Clone)]
pub struct WorkerContext {
    /// The ledger.
    pub postgres: Pool,
    /// The store of ads.
    pub analytics: analytics::Client,
    /// The kept pages.
    pub blobs: Blobs,
    /// The browsers.
    pub browsers: browsing::Pool,
    /// Limits shared with other processes.
    pub coordination: Coordination,
    /// The time captures are taken at.
    pub clock: Clock,
    /// How fast.
    pub pace: Pace,
    /// When scheduled jobs run, and what is kept.
    pub housekeeping: Housekeeping,
    /// Of which captures a picture is kept.
    pub screenshots: Screenshots,
    /// What sends mails; absent where no mail server is set: they wait.
    pub mails: Option<Sender>,
}

impl WorkerContext {
    /// What correcting stored ads works with.
    pub(crate) fn corrections(&self) -> corrections::Stores {
        corrections::Stores {
            postgres: self.postgres.clone(),
            analytics: self.analytics.for_housekeeping(),
        }
    }
}

/// When scheduled jobs run, and what is kept.
#[derive(Clone, Debug)]
pub struct Housekeeping {
    /// The clock of the schedules.
    pub time_zone: Tz,
    /// How long data is kept.
    pub retention: Retention,
    /// When the case of an advertiser begins again, and when it is over.
    pub actions: Actions,
}

impl Housekeeping {
    /// How long an advertiser that agreed has to stop.
    pub(crate) fn grace(&self) -> TimeDelta {
        TimeDelta::days(self.actions.reappearance_grace_days.into())
    }

    /// As the settings say.
    pub fn from_settings(settings: &runtime::Settings) -> Self {
        Self {
            time_zone: settings.time_zone,
            retention: settings.retention.clone(),
            actions: settings.actions,
        }
    }
}

/// How fast a worker works.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Between two passes over what is due.
    pub tick: Duration,
    /// Captures at the same time in this process; as many as the browsers have tabs.
    pub concurrency: usize,
    /// Captures a minute on Google, over all processes.
    pub google_per_minute: u32,
    /// Captures a minute on Bing, over all processes.
    pub bing_per_minute: u32,
    /// Bytes that must be free where pages are kept.
    pub least_free_bytes: u64,
}

impl Pace {
    /// As the settings say.
    pub fn from_settings(settings: &runtime::Settings) -> Self {
        Self {
            tick: Duration::from_millis(settings.workers.tick_millis),
            concurrency: settings.workers.concurrency,
            google_per_minute: settings.engines.google.per_minute,
            bing_per_minute: settings.engines.bing.per_minute,
            least_free_bytes: settings.workers.least_free_bytes,
        }
    }

    pub(crate) const fn per_minute(&self, engine: Engine) -> u32 {
        match engine {
            Engine::Google => self.google_per_minute,
            Engine::Bing => self.bing_per_minute,
        }
    }
}

//! The stores, browsers and settings of a worker.

use std::time::Duration;

use blobs::Blobs;
use capture::browsing;
use chrono::TimeDelta;
use chrono_tz::Tz;
use coordination::Coordination;
use outreach::run::RunRules;
use postgres::case_mails::brakes::SendingLimits;
use postgres::{DirectPool, Pool};
use runtime::Clock;
use runtime::settings::{Actions, Retention, Screenshots};
use url::Url;
use vocabulary::Engine;

use crate::case_mails::receiving::Receiver;
use crate::case_mails::receiving::imap::Mailbox;
use crate::mails::Sender;
use crate::printing::Printer;
use crate::retrieving::Retriever;
use crate::stop_go::allowed::StopGo;
use crate::volumes::Volumes;
use crate::webhooks::WebhookSender;

/// The stores, browsers and settings of a worker. Clones share them.
#[derive(Clone)]
pub struct WorkerContext {
    /// Postgres, which has the ledger and the queue.
    pub postgres: Pool,
    /// Its connections without a pooler between.
    pub direct: DirectPool,
    /// ClickHouse, which has the ads.
    pub analytics: analytics::Client,
    /// The file store, which has the captured pages.
    pub blobs: Blobs,
    /// The browsers that capture.
    pub browsers: browsing::Pool,
    /// Limits shared with other processes.
    pub coordination: Coordination,
    /// The clock for the times of captures.
    pub clock: Clock,
    /// How fast the worker works.
    pub pace: Pace,
    /// When scheduled jobs run, and what is kept.
    pub housekeeping: Housekeeping,
    /// Of which captures a picture is kept.
    pub screenshots: Screenshots,
    /// Where the web client is, which reports are printed from.
    pub public_url: Url,
    /// Sends mails; `None` without a mail server, while mails wait.
    pub mails: Option<Sender>,
    /// Where replies are read from; `None` without a mailbox.
    pub mailbox: Option<Mailbox>,
    /// What lanes may do, and by what.
    pub stop_go: StopGo,
    /// Counts monthly searches; `None` without a service, while requested terms wait.
    pub volumes: Option<Volumes>,
    /// Sends to webhooks; `None` where messages wait.
    pub webhooks: Option<WebhookSender>,
    /// Reads figures at Google; `None` without a client, while retrievals wait.
    pub retriever: Option<Retriever>,
}

impl WorkerContext {
    /// What reads the mails that came in.
    pub(crate) fn receiver(&self) -> Receiver {
        Receiver {
            postgres: self.postgres.clone(),
            blobs: self.blobs.clone(),
            clock: self.clock.clone(),
        }
    }

    /// What prints reports.
    pub(crate) fn printer(&self) -> Printer {
        Printer {
            postgres: self.postgres.clone(),
            browsers: self.browsers.clone(),
            clock: self.clock.clone(),
            public_url: self.public_url.clone(),
        }
    }

    /// The stores that corrections change, with the time limits of housekeeping.
    pub(crate) fn corrections(&self) -> corrections::Stores {
        corrections::Stores {
            postgres: self.postgres.clone(),
            analytics: self.analytics.for_housekeeping(),
        }
    }
}

/// The time zone of scheduled jobs, and how long data is kept and cases stay open.
#[derive(Clone, Debug)]
pub struct Housekeeping {
    /// The time zone of the schedules.
    pub time_zone: Tz,
    /// How long data is kept.
    pub retention: Retention,
    /// When the case of an advertiser is opened again, and when it is closed.
    pub actions: Actions,
}

impl Housekeeping {
    /// How long an advertiser that agreed to stop may still be seen before its case is opened again.
    pub(crate) fn grace(&self) -> TimeDelta {
        TimeDelta::days(self.actions.reappearance_grace_days.into())
    }

    /// When mails to advertisers are written, and how many leave on a day.
    pub(crate) fn run_rules(&self) -> RunRules {
        RunRules {
            zone: self.time_zone,
            limits: SendingLimits {
                daily_most: self.actions.mail_daily_max,
            },
            notified_daily_most: self.actions.auto_notify_daily_max,
        }
    }

    /// The schedules and retention in the settings.
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
    /// The interval between two passes over due terms.
    pub tick: Duration,
    /// Whether changed terms begin a pass at once.
    pub plans_changes_at_once: bool,
    /// Captures at the same time in this process; as many as the browsers' tabs.
    pub concurrency: usize,
    /// Captures per minute on Google, over all processes.
    pub google_per_minute: u32,
    /// Captures per minute on Bing, over all processes.
    pub bing_per_minute: u32,
    /// Bytes that must be free where pages are kept.
    pub least_free_bytes: u64,
}

impl Pace {
    /// The pace in the settings: the time between ticks and whether changes begin one, captures at a time and per minute and engine, and the bytes to leave free.
    pub fn from_settings(settings: &runtime::Settings) -> Self {
        Self {
            tick: Duration::from_millis(settings.workers.tick_millis),
            plans_changes_at_once: settings.workers.plan_changes_at_once,
            concurrency: settings.workers.concurrency,
            google_per_minute: settings.engines.google.per_minute,
            bing_per_minute: settings.engines.bing.per_minute,
            least_free_bytes: settings.workers.least_free_bytes,
        }
    }

    /// The most captures per minute on an engine, over all processes.
    pub(crate) const fn per_minute(&self, engine: Engine) -> u32 {
        match engine {
            Engine::Google => self.google_per_minute,
            Engine::Bing => self.bing_per_minute,
        }
    }
}

//! `vigie workers`: captures due terms, sends mails and runs scheduled jobs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use api::ApiState;
use capture::browsing::Pool;
use coordination::Coordination;
use public_hosts::PublicHosts;
use runtime::sealing::Keys;
use runtime::{Clock, Loops, Settings};
use schedules::capacity::plan_ahead;
use vocabulary::Engine;
use workers::case_mails::receiving::imap::Mailbox;
use workers::google_access::GoogleAccess;
use workers::mails::{DigestStores, Sender};
use workers::retrieving::Retriever;
use workers::smtp::MailServer;
use workers::stop_go::{GoogleLists, StopGo};
use workers::volumes::{VolumeService, Volumes};
use workers::webhooks::WebhookSender;
use workers::{Housekeeping, Pace, WorkerContext};

use super::CommandError;
use crate::listening::{OPERATIONS_CONNECTIONS, listen};
use crate::stack::free_share;
use crate::{browsing, connections};

const BETWEEN_DISK_CHECKS: Duration = Duration::from_secs(30);
const BETWEEN_PLANS: Duration = Duration::from_mins(1);
const MINUTES_AN_HOUR: u64 = 60;

/// Captures due terms, sends mails, runs scheduled jobs, and serves health checks and metrics, until a signal ends it.
pub fn run() -> Result<ExitCode, CommandError> {
    let settings = super::settings()?;
    super::block_on(run_workers(settings))
}

/// Runs browsers, health checks and workers; returns when a signal has ended them, or with the first failure, which ends them all.
async fn run_workers(settings: Settings) -> Result<ExitCode, CommandError> {
    let stop = runtime::shutdown::on_signals()?;
    let metrics = super::metrics()?;
    let operations = listen(settings.workers.operations_listen, "VIGIE__WORKERS__OPERATIONS_LISTEN")?;
    let postgres = connections::postgres(&settings, "vigie workers")?;
    let clock = Clock::system();
    let analytics = connections::analytics(&settings)?;
    let digests = DigestStores {
        postgres: postgres.clone(),
        analytics: analytics.clone(),
        zone: settings.time_zone,
    };
    let mails = MailServer::from_settings(&settings.smtp)?.map(|server| Sender {
        postgres: postgres.clone(),
        clock: clock.clone(),
        server,
        public_url: settings.api.public_url.clone(),
        digests,
    });
    let mailbox = Mailbox::from_settings(&settings.inbound.imap, postgres.clone(), clock.clone())?;
    let coordination = connections::coordination(&settings)?;
    let volumes = volumes(&settings, &postgres, &clock, &coordination)?;
    let access = google_access(&settings, &postgres, &clock)?;
    let stop_go = stop_go(&settings, access.clone());
    let retriever = access.map(|access| Retriever { access });
    let webhooks = webhooks(&settings, &postgres, &clock)?;
    let parts = WorkerContext {
        direct: connections::postgres_direct(&settings, &postgres, "vigie workers")?,
        postgres,
        analytics,
        blobs: connections::blobs(&settings).await?,
        browsers: Pool::start(browsing::pool(&settings, settings.workers.concurrency)?).await?,
        coordination,
        clock,
        pace: Pace::from_settings(&settings),
        housekeeping: Housekeeping::from_settings(&settings),
        screenshots: settings.capture.screenshots,
        public_url: settings.api.public_url.clone(),
        mails,
        mailbox,
        stop_go,
        volumes,
        webhooks: Some(webhooks),
        retriever,
    };
    let settings = Arc::new(settings);
    let state = ApiState {
        postgres: parts.postgres.clone(),
        direct: parts.direct.clone(),
        analytics: parts.analytics.clone(),
        blobs: parts.blobs.clone(),
        coordination: parts.coordination.clone(),
        changes: api::Changes::default(),
        clock: parts.clock.clone(),
        settings: Arc::clone(&settings),
    };
    let health = api::serve(
        operations,
        None,
        OPERATIONS_CONNECTIONS,
        api::operations(state, metrics),
        stop.clone().cancelled_owned(),
    );
    let mut loops = Loops::default();
    loops.start("disk", measure_disk(settings.data.clone()));
    loops.start(
        "capacity",
        measure_capacity(parts.postgres.clone(), Arc::clone(&settings)),
    );
    // Either ends without error only on `stop`; any error ends the process.
    let both = async {
        tokio::try_join!(
            async { workers::run(parts, stop).await.map_err(CommandError::from) },
            async { health.await.map_err(CommandError::from) },
        )
    };
    tokio::select! {
        ended = both => ended.map(|((), ())| ExitCode::SUCCESS),
        broken = loops.first_end() => Err(broken.into()),
    }
}

/// Connects nothing yet: what reads search volumes, from the service of the settings; `None` where none is set.
fn volumes(
    settings: &Settings,
    postgres: &postgres::Pool,
    clock: &Clock,
    coordination: &Coordination,
) -> Result<Option<Volumes>, CommandError> {
    let Some(url) = &settings.search_volumes.url else {
        return Ok(None);
    };
    Ok(Some(Volumes {
        postgres: postgres.clone(),
        clock: clock.clone(),
        coordination: coordination.clone(),
        service: VolumeService::new(url.clone())?,
        questions_per_hour: settings.search_volumes.questions_per_hour,
    }))
}

/// Connects nothing yet: what sends to webhooks, with the keys of the settings.
fn webhooks(settings: &Settings, postgres: &postgres::Pool, clock: &Clock) -> Result<WebhookSender, CommandError> {
    let hosts = PublicHosts {
        allow_private: settings.webhooks.allow_private,
    };
    Ok(WebhookSender {
        postgres: postgres.clone(),
        clock: clock.clone(),
        keys: Keys::read(settings.secrets.keys.as_ref())?,
        client: hosts.client().map_err(CommandError::Certificates)?,
        public_url: settings.api.public_url.clone(),
    })
}

/// What lanes may do, and the negative lists of the connected accounts; without a client what is wanted waits.
fn stop_go(settings: &Settings, access: Option<GoogleAccess>) -> StopGo {
    let lists = access.map(|access| GoogleLists {
        access,
        mutations: settings.google.mutations,
    });
    StopGo {
        automation: settings.stop_go.automation,
        lists: lists.map(|lists| Arc::new(lists) as _),
    }
}

/// Connects nothing yet: what Google is worked with; `None` where the settings name no client.
fn google_access(
    settings: &Settings,
    postgres: &postgres::Pool,
    clock: &Clock,
) -> Result<Option<GoogleAccess>, CommandError> {
    let client = ::google::Client::new(&settings.google)?;
    if !client.is_set_up() {
        return Ok(None);
    }
    Ok(Some(GoogleAccess {
        postgres: postgres.clone(),
        clock: clock.clone(),
        client,
        keys: Keys::read(settings.secrets.keys.as_ref())?,
        daily_operations: settings.google.daily_operations,
    }))
}

/// Sets the gauge `vigie_disk_free_ratio` to the free share (0 to 1) of the data folder's disk every [`BETWEEN_DISK_CHECKS`], except while it cannot
/// be read. Never returns.
async fn measure_disk(data: PathBuf) {
    let mut beat = tokio::time::interval(BETWEEN_DISK_CHECKS);
    loop {
        beat.tick().await;
        // The folder may not exist yet.
        if let Ok(share) = free_share(&data) {
            metrics::gauge!("vigie_disk_free_ratio").set(share);
        }
    }
}

/// Sets the gauge `vigie_captures_over_pace` of each engine and route to the captures of the next 24 hours that do not fit their hour, every
/// [`BETWEEN_PLANS`]; an error is only logged. Never returns.
async fn measure_capacity(postgres: postgres::Pool, settings: Arc<Settings>) {
    let engine = |engine: Engine| match engine {
        Engine::Google => &settings.engines.google,
        Engine::Bing => &settings.engines.bing,
    };
    let mut beat = tokio::time::interval(BETWEEN_PLANS);
    loop {
        beat.tick().await;
        let plan = match plan_ahead(&postgres, |of, country| engine(of).route(country)).await {
            Ok(plan) => plan,
            Err(error) => {
                tracing::warn!(%error, "what is planned could not be added up");
                continue;
            }
        };
        for of in [Engine::Google, Engine::Bing] {
            let limit = u64::from(engine(of).per_minute.max(1)) * MINUTES_AN_HOUR;
            for route in engine(of).routes() {
                let planned = plan.routes.iter().find(|plan| plan.engine == of && plan.route == route);
                let over = planned.map_or(0, |plan| plan.captures.over(limit));
                let gauge = metrics::gauge!("vigie_captures_over_pace", "engine" => of.to_string(), "route" => route);
                gauge.set(f64::from(u32::try_from(over).unwrap_or(u32::MAX)));
            }
        }
    }
}

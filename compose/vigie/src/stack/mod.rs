//! Runs the whole of Vigie on one machine: private stores, the search simulator, the mail catcher, a simulated Google, the API and the workers.

mod addresses;
pub mod as_root;
mod data_folder;
mod external;
mod ours;
mod ports;
mod postgres;
mod redis;
mod running;
pub mod unprivileged;
pub mod user;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use runtime::Settings;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::supervisor::{Event, Group, Processes, StartError, StepError};
use crate::terminal::{complain, say, say_part};
use crate::{demo, programs};
use addresses::{Addresses, Catcher};
pub use data_folder::{
    DataFolder, DataFolderError, LEAST_FREE_BYTES, free_bytes, free_share, kept_password, made_password,
};
use ours::OwnParts;
use ports::PortTakenError;
pub use running::Running;

/// Start of the line that reports the stack as ready.
pub const READY: &str = "Vigie is ready";
/// Time between two checks of the data folder's free space.
const BETWEEN_DISK_CHECKS: Duration = Duration::from_secs(30);

/// Why the stack could not start or go on.
#[derive(Debug, Error)]
pub enum StackError {
    /// The data folder cannot be used.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    /// A port is taken.
    #[error(transparent)]
    Port(#[from] PortTakenError),
    /// The private Postgres cannot start.
    #[error(transparent)]
    Postgres(#[from] postgres::PostgresError),
    /// The private Redis cannot start.
    #[error(transparent)]
    Redis(#[from] redis::RedisError),
    /// The embedded ClickHouse has no library.
    #[error(transparent)]
    Library(#[from] programs::NoLibraryError),
    /// A part died while starting.
    #[error(transparent)]
    Part(#[from] StartError),
    /// A part's supervisor failed.
    #[error("what looks after {0} broke down; the stack ends, to be started again")]
    Unsupervised(&'static str),
    /// A step, such as the migration, failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The system refused something.
    #[error("the stack cannot be started: {0}")]
    System(#[from] std::io::Error),
}

/// Starts all parts, restarts those that die until `stop`, and ends them all: first the API and the workers, then the stores. Fails, after ending the
/// rest, when the migration fails, a part other than the workers cannot start or a supervisor breaks down; at once when the data folder cannot be
/// locked.
pub async fn run(settings: &Settings, stop: CancellationToken) -> Result<(), StackError> {
    let started = Instant::now();
    let data = DataFolder::lock(&settings.data)?;
    let processes = Processes::adopt_orphans().map_err(std::io::Error::from)?;
    let (event_sender, events) = mpsc::unbounded_channel();
    let stores = Group::new(processes.clone(), event_sender.clone());
    let work = Group::new(processes.clone(), event_sender);
    let stack = Stack {
        settings,
        data: &data,
        processes: &processes,
        stores: &stores,
        work: &work,
    };

    say(format!("Vigie starts on {}", data.path().display()));
    // Kept until the end: other commands find the stores by it.
    let mut running = None;
    let outcome = tokio::select! {
        () = stop.cancelled() => Ok(()),
        brought_up = stack.bring_up(&mut running) => match brought_up {
            Ok(sites) => {
                announce_ready(settings, &sites, &data, started);
                stack.watch(events, &stop).await
            }
            Err(error) => Err(error),
        },
    };
    say("Vigie stops");
    work.end().await;
    stores.end().await;
    drop(running);
    if outcome.is_ok() {
        say("Vigie has stopped");
    }
    outcome
}

/// Starts the private stores of a data folder that no stack runs on, or waits for configured ones, does `work` with their settings as variables, and
/// ends them. Starts nothing else.
pub async fn with_stores<T, E: From<StackError>>(
    settings: &Settings,
    work: impl AsyncFnOnce(Vec<(String, String)>) -> Result<T, E>,
) -> Result<T, E> {
    let data = DataFolder::lock(&settings.data).map_err(StackError::from)?;
    let processes = Processes::adopt_orphans()
        .map_err(std::io::Error::from)
        .map_err(StackError::from)?;
    let (event_sender, _events) = mpsc::unbounded_channel();
    let stores = Group::new(processes.clone(), event_sender);
    let stack = Stack {
        settings,
        data: &data,
        processes: &processes,
        stores: &stores,
        work: &stores,
    };
    let outcome = match stack.bring_up_stores().await {
        Ok(variables) => work(variables).await,
        Err(error) => Err(error.into()),
    };
    stores.end().await;
    outcome
}

/// What the methods that start the parts share. `stores` end after `work`.
struct Stack<'a> {
    settings: &'a Settings,
    data: &'a DataFolder,
    processes: &'a Processes,
    stores: &'a Group,
    work: &'a Group,
}

impl Stack<'_> {
    /// Starts the stores, or waits for configured ones, migrates them, loads demo data where wanted, and starts the API and the workers; returns the
    /// addresses for users. `running` receives the file by which other commands find the stores. Workers that cannot start are reported and retried,
    /// not an error. After a failure the caller ends what was started.
    async fn bring_up(&self, running: &mut Option<Running>) -> Result<Sites, StackError> {
        let addresses = Addresses::choose(self.settings)?;
        let mut ours = OwnParts::new(&std::env::current_exe()?, self.data);
        self.set_own_variables(&mut ours, &addresses)?;

        let (postgres, redis, (), (), (), ()) = tokio::try_join!(
            self.postgres(addresses.postgres),
            self.redis(addresses.redis),
            self.clickhouse(&ours, addresses.clickhouse),
            self.simulator(&ours, addresses.simulator),
            self.catcher(&ours, addresses.catcher),
            self.google(&ours, addresses.google),
        )?;
        if let Some(url) = postgres {
            ours.set("VIGIE__POSTGRES__URL", url);
        }
        if let Some(url) = redis {
            ours.set("VIGIE__REDIS__URL", url);
        }
        *running = Some(Running::write(self.data.path(), ours.environment())?);

        let began = Instant::now();
        ours.step("the migration", &["migrate"]).run(self.processes).await?;
        say_part("migrations", "applied", &seconds(began.elapsed()));
        self.load_demo_data(&ours).await?;

        let listens = addresses.api.to_string();
        let api = self.ready(self.work, ours.api(addresses.api_operations), &listens);
        let workers = self.work.start_persistently(ours.workers(addresses.workers_operations));
        let (api, workers) = tokio::join!(api, workers);
        api?;
        match workers {
            Ok(took) => say_part("workers", "ready", &seconds(took)),
            // The lists are still usable.
            Err(error) => complain(format!(
                "{error}\n  No captures are taken until this is mended. The workers are started again and again until then."
            )),
        }
        Ok(Sites {
            vigie: addresses.public_url(&self.settings.api),
            mails: addresses.catcher.map(|catcher| catcher.page),
        })
    }

    /// Starts Postgres and ClickHouse, or waits for configured ones, and returns their settings by the names of their variables.
    async fn bring_up_stores(&self) -> Result<Vec<(String, String)>, StackError> {
        let addresses = Addresses::choose(self.settings)?;
        let mut ours = OwnParts::new(&std::env::current_exe()?, self.data);
        self.set_own_variables(&mut ours, &addresses)?;
        let (postgres, ()) = tokio::try_join!(
            self.postgres(addresses.postgres),
            self.clickhouse(&ours, addresses.clickhouse),
        )?;
        if let Some(url) = postgres {
            ours.set("VIGIE__POSTGRES__URL", url);
        }
        let variables = ours.environment().iter();
        Ok(variables
            .map(|(name, value)| ((*name).to_owned(), value.to_string_lossy().into_owned()))
            .collect())
    }

    /// Sets the variables of the parts that run here: addresses, the ClickHouse library, and keys and passwords, which the data folder keeps between
    /// starts. A secrets key that is set stays; with a mail catcher, mails go to it and its answers come back. Those of Postgres and Redis follow once these run.
    fn set_own_variables(&self, ours: &mut OwnParts<'_>, addresses: &Addresses) -> Result<(), StackError> {
        ours.set("VIGIE__API__LISTEN", addresses.api.to_string());
        ours.set(
            "VIGIE__API__PUBLIC_URL",
            addresses.public_url(&self.settings.api).to_string(),
        );
        ours.set("VIGIE__API__OPERATIONS_LISTEN", addresses.api_operations.to_string());
        ours.set(
            "VIGIE__WORKERS__OPERATIONS_LISTEN",
            addresses.workers_operations.to_string(),
        );
        if self.settings.secrets.keys.is_none() {
            ours.set("VIGIE__SECRETS__KEYS", self.data.key("secrets")?);
        }
        if let Some(address) = addresses.clickhouse {
            let library = programs::clickhouse_library(self.settings.embedded.clickhouse_library.as_deref())?;
            ours.set("VIGIE__EMBEDDED__CLICKHOUSE_LIBRARY", library);
            ours.set("VIGIE__EMBEDDED__CLICKHOUSE_PORT", address.port().to_string());
            ours.set("VIGIE__CLICKHOUSE__URL", format!("http://{address}"));
            ours.set("VIGIE__CLICKHOUSE__PASSWORD", self.data.password("clickhouse")?);
        }
        if let Some(socket) = &self.settings.capture.host {
            ours.set("VIGIE__CAPTURE__HOST", socket);
        }
        if let Some(address) = addresses.simulator {
            ours.set("VIGIE__EMBEDDED__SIMULATOR_PORT", address.port().to_string());
            ours.set("VIGIE__ENGINES__SIMULATOR", address.to_string());
            if self.settings.search_volumes.url.is_none() {
                ours.set("VIGIE__SEARCH_VOLUMES__URL", format!("http://{address}/volumes"));
            }
        }
        if let Some(address) = addresses.google {
            let base = format!("http://{address}");
            ours.set("VIGIE__EMBEDDED__GOOGLE_PORT", address.port().to_string());
            ours.set("VIGIE__GOOGLE__CLIENT_ID", google_sim::CLIENT_ID);
            ours.set("VIGIE__GOOGLE__CLIENT_SECRET", google_sim::CLIENT_SECRET);
            ours.set("VIGIE__GOOGLE__VERSION", google_sim::VERSION);
            ours.set("VIGIE__GOOGLE__CONSENT_URL", format!("{base}/o/oauth2/v2/auth"));
            ours.set("VIGIE__GOOGLE__ADS_URL", base.as_str());
            ours.set("VIGIE__GOOGLE__SEARCH_CONSOLE_URL", base.as_str());
            ours.set("VIGIE__GOOGLE__OAUTH_URL", base);
        }
        if let Some(Catcher { mail, page }) = addresses.catcher {
            ours.set("VIGIE__SMTP__HOST", mail.ip().to_string());
            ours.set("VIGIE__SMTP__PORT", mail.port().to_string());
            ours.set("VIGIE__SMTP__SECURITY", "none");
            ours.set("VIGIE__SMTP__USER", "");
            ours.set("VIGIE__SMTP__PASSWORD", "");
            ours.set("VIGIE__EMBEDDED__MAIL_PORT", mail.port().to_string());
            ours.set("VIGIE__EMBEDDED__MAIL_PAGE_PORT", page.port().to_string());
            // The catcher answers as advertisers do.
            if self.settings.inbound.secret.is_none() {
                ours.set("VIGIE__INBOUND__SECRET", self.data.password("inbound")?);
            }
        }
        Ok(())
    }

    /// Creates the private cluster if needed, starts it on `address` and returns its URL once it is ready. Without an address, waits for the
    /// configured server, without a limit, and returns `None`.
    async fn postgres(&self, address: Option<SocketAddr>) -> Result<Option<String>, StackError> {
        let Some(address) = address else {
            external::wait_for(
                "PostgreSQL",
                "VIGIE__POSTGRES__URL",
                self.settings.postgres.url.as_ref(),
                5432,
            )
            .await;
            if let Some(direct) = &self.settings.postgres.direct_url {
                external::wait_for("PostgreSQL", "VIGIE__POSTGRES__DIRECT_URL", Some(direct), 5432).await;
            }
            return Ok(None);
        };
        let cluster = postgres::Cluster::find_or_create(&self.settings.embedded, self.data, self.processes).await?;
        self.ready(self.stores, cluster.server(address, self.data)?, &address.to_string())
            .await?;
        Ok(Some(cluster.url(address)))
    }

    /// Starts the private Redis on `address` and returns its URL once it is ready. Without an address, waits for the configured server, without a
    /// limit, and returns `None`.
    async fn redis(&self, address: Option<SocketAddr>) -> Result<Option<String>, StackError> {
        let Some(address) = address else {
            external::wait_for("Redis", "VIGIE__REDIS__URL", self.settings.redis.url.as_ref(), 6379).await;
            return Ok(None);
        };
        let (part, url) = redis::server(address, self.data)?;
        self.ready(self.stores, part, &address.to_string()).await?;
        Ok(Some(url))
    }

    /// Starts the embedded ClickHouse on `address`, which the variables of `ours` must already name, and returns once it is ready. Without an
    /// address, waits for the configured server, without a limit.
    async fn clickhouse(&self, ours: &OwnParts<'_>, address: Option<SocketAddr>) -> Result<(), StackError> {
        match (address, &self.settings.clickhouse.url) {
            (Some(address), _) => {
                self.ready(self.stores, ours.clickhouse(address), &address.to_string())
                    .await
            }
            (None, Some(url)) => {
                let url = runtime::Secret::new(url.to_string());
                external::wait_for("ClickHouse", "VIGIE__CLICKHOUSE__URL", Some(&url), 8123).await;
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// Starts the search simulator on `address`, which the variables of `ours` must already name, and returns once it is ready; does nothing without
    /// an address.
    async fn simulator(&self, ours: &OwnParts<'_>, address: Option<SocketAddr>) -> Result<(), StackError> {
        match address {
            Some(address) => {
                self.ready(self.stores, ours.simulator(address), &address.to_string())
                    .await
            }
            None => Ok(()),
        }
    }

    /// Starts the mail catcher on `addresses`, which the variables of `ours` must already name, and returns once it is ready; does nothing without
    /// addresses.
    async fn catcher(&self, ours: &OwnParts<'_>, addresses: Option<Catcher>) -> Result<(), StackError> {
        match addresses {
            Some(Catcher { mail, page }) => self.ready(self.stores, ours.catcher(page), &mail.to_string()).await,
            None => Ok(()),
        }
    }

    /// Starts the simulated Google on `address`, which the variables of `ours` must already name, and returns once it is ready; does nothing without an
    /// address.
    async fn google(&self, ours: &OwnParts<'_>, address: Option<SocketAddr>) -> Result<(), StackError> {
        match address {
            Some(address) => {
                self.ready(self.stores, ours.google(address), &address.to_string())
                    .await
            }
            None => Ok(()),
        }
    }

    /// Starts a part in `group`, which restarts it when it dies, waits until it is ready and prints that, with `detail`. Fails when it keeps dying
    /// before.
    async fn ready(&self, group: &Group, part: crate::supervisor::Part, detail: &str) -> Result<(), StackError> {
        let name = part.name;
        let took = group.start(part).await?;
        say_part(name, "ready", &format!("{:<6} {detail}", seconds(took)));
        Ok(())
    }

    /// Loads the demo data by `vigie demo-data` and writes the file that marks them as loaded. Does nothing when that file exists, when `demo_rows`
    /// is 0, or when the settings name a Postgres or ClickHouse outside this stack.
    async fn load_demo_data(&self, ours: &OwnParts<'_>) -> Result<(), StackError> {
        let rows = self.settings.embedded.demo_rows;
        let private = self.settings.postgres.url.is_none() && self.settings.clickhouse.url.is_none();
        let marker = demo_marker(self.data.path());
        if rows == 0 || !private || marker.exists() {
            return Ok(());
        }
        let began = Instant::now();
        // Without the marker, results that are there are what a load that failed left.
        let arguments = ["demo-data", "--replace", "--rows", &rows.to_string()];
        ours.step("loading the demo data", &arguments)
            .run(self.processes)
            .await?;
        std::fs::write(marker, "")?;
        say_part(
            "demo data",
            "loaded",
            &format!("{:<6} {rows} ad results", seconds(began.elapsed())),
        );
        Ok(())
    }

    /// Until `stop`, prints when parts die and recover; every [`BETWEEN_DISK_CHECKS`], warns of a nearly full disk and kills what dead parts left
    /// behind. Fails when a part's supervisor does.
    async fn watch(
        &self,
        mut events: mpsc::UnboundedReceiver<Event>,
        stop: &CancellationToken,
    ) -> Result<(), StackError> {
        let mut disk = tokio::time::interval(BETWEEN_DISK_CHECKS);
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                _ = disk.tick() => {
                    self.processes.kill_orphans();
                    warn_of_full_disk(self.data.path());
                }
                Some(event) = events.recv() => match event {
                    Event::Died { part, how, wait, log } => complain(format!(
                        "{part} died: {how}. Started again in {}. Its log is {}", seconds(wait), log.display()
                    )),
                    Event::Back { part } => say_part(part, "ready", "again"),
                    Event::Unsupervised { part } => return Err(StackError::Unsupervised(part)),
                },
            }
        }
    }
}

/// Addresses for users.
struct Sites {
    vigie: Url,
    /// The page of caught mails.
    mails: Option<SocketAddr>,
}

/// Prints that the stack is ready, the address of Vigie and, if mails are caught, of the mail catcher, and, if demo data was loaded, its accounts and
/// how to sign in with them.
fn announce_ready(settings: &Settings, sites: &Sites, data: &DataFolder, started: Instant) {
    say(format!("{READY} after {}: {}", seconds(started.elapsed()), sites.vigie));
    if let Some(mails) = sites.mails {
        say(format!("Mails are caught and shown at http://{mails}/"));
    }
    if demo_marker(data.path()).exists() {
        say(demo::how_to_sign_in(settings));
        for account in demo::accounts() {
            let role = account
                .role
                .map_or_else(|| "company user".to_owned(), |role| role.to_string());
            say(format!("  {:<26} {role}", account.email));
        }
    }
    say("Ctrl-C stops it");
}

/// The file that marks the demo data as loaded.
pub fn demo_marker(data: &Path) -> PathBuf {
    data.join("demo-data.loaded")
}

/// Prints a warning when fewer than [`LEAST_FREE_BYTES`] are free on the disk of `folder`; does nothing when that cannot be read.
fn warn_of_full_disk(folder: &Path) {
    if let Ok(free) = free_bytes(folder)
        && free < LEAST_FREE_BYTES
    {
        complain(format!(
            "the disk is nearly full: {} MiB are free under {}. Captures wait while a store cannot write: free some space",
            free >> 20,
            folder.display()
        ));
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

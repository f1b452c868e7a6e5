//! Sending the mails of cases (decision D170): nothing leaves twice, and whatever cannot be known is left to a person.
//!
//! A delivery is claimed, its dialogue with the mail server runs in a task of its own, and before the first byte of the body the claim is asked for once more
//! in the database. From there on only the server's word counts; without it the delivery is unknown, and no machine sends it again.

mod breaker;
mod letter;
mod relay;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use blobs::Blobs;
use chrono::{DateTime, TimeDelta, Utc};
use postgres::Pool;
use postgres::case_mails::brakes::SendingLimits;
use postgres::case_mails::{self, Claim, ClaimedDelivery, DeliveryEnd, Settled};
use runtime::Clock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;
use vocabulary::{DeliveryId, SystemScope};

use crate::smtp::{DialogueError, MailServer, Phase, RETRY_WAITS};
use breaker::Breaker;
use letter::{Enclosed, Letter, LetterError};

const SCOPE: SystemScope = SystemScope::new("sending mails of cases");
/// Dialogues with the mail server at the same time.
const AT_ONCE: usize = 12;
/// Longer than a whole dialogue with a slow server takes; it is renewed meanwhile.
const LEASE: Duration = Duration::from_mins(40);
/// Several renewals fit into a lease.
const RENEWED_EVERY: Duration = Duration::from_mins(5);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a mail is tried that the server keeps putting off.
const GIVEN_UP_AFTER: TimeDelta = TimeDelta::hours(24);
/// Before the next attempt after one that the server has not answered to.
const UNREACHED_WAIT: TimeDelta = TimeDelta::seconds(30);
/// For the outcome of a dialogue to be written while the database is away, once a second.
const SETTLE_ATTEMPTS: u32 = 600;
/// Leases that are looked at in one pass.
const REAPED_AT_ONCE: i64 = 100;

/// What sends the mails of cases. Clones share the state of the mail server.
#[derive(Clone)]
pub struct CaseSender {
    postgres: Pool,
    blobs: Blobs,
    clock: Clock,
    server: MailServer,
    limits: SendingLimits,
    /// This site, if mails are to say when they are opened.
    opened_at: Option<Url>,
    breaker: Arc<Breaker>,
    slots: Arc<Semaphore>,
    dialogues: TaskTracker,
    shutdown: CancellationToken,
}

/// Why a mail could not be put together.
#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error("it cannot be written: {0}")]
    Letter(#[from] LetterError),
    #[error("the file '{0}' is missing")]
    Missing(String),
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
}

impl CaseSender {
    /// Sends from this store through this server, within these limits; nothing is connected yet.
    pub fn new(postgres: Pool, blobs: Blobs, clock: Clock, (server, limits): (MailServer, SendingLimits)) -> Self {
        Self {
            postgres,
            blobs,
            clock,
            server,
            limits,
            opened_at: None,
            breaker: Arc::default(),
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            dialogues: TaskTracker::new(),
            shutdown: CancellationToken::new(),
        }
    }

    /// Lets each mail carry a picture of `site`, which says that it was perhaps opened (decision D179).
    #[must_use]
    pub fn with_pictures_of(mut self, site: Url) -> Self {
        self.opened_at = Some(site);
        self
    }

    /// Sends what is due until `shutdown`, looking for it every [`CHECK_INTERVAL`] and whenever a dialogue makes room for the next, and takes back what dead
    /// workers held. Dialogues under way at the
    /// shutdown whose body has not begun are given up; the others are waited for, as only the server can say what becomes of them.
    pub(crate) async fn run(mut self, shutdown: CancellationToken) {
        self.shutdown = shutdown.clone();
        let mut beat = tokio::time::interval(CHECK_INTERVAL);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut may_have_more = false;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                _ = beat.tick() => {
                    if let Err(error) = self.reap().await {
                        tracing::warn!(%error, "expired deliveries could not be taken back");
                    }
                }
                _ = self.slots.acquire(), if may_have_more => {}
            }
            let started = self
                .start()
                .await
                .inspect_err(|error| tracing::warn!(%error, "mails of cases could not be claimed"));
            may_have_more = started.is_ok_and(|started| !started.is_empty());
        }
        self.dialogues.close();
        if tokio::time::timeout(LEASE, self.dialogues.wait()).await.is_err() {
            tracing::error!("a dialogue with the mail server did not end; its mail is unknown");
        }
    }

    /// Claims deliveries that are due, as many as there is room for, and starts a task for the dialogue of each. What is held or not wanted takes no room.
    /// Nothing is claimed while the server is left alone. The tasks go on when their handles are dropped.
    pub async fn start(&self) -> Result<Vec<JoinHandle<()>>, postgres::Error> {
        let mut started = Vec::new();
        while self.breaker.lets_through(self.clock.now()) && !self.shutdown.is_cancelled() {
            let room = i64::try_from(self.slots.available_permits()).unwrap_or(i64::MAX);
            let mut leaves_room = false;
            for id in case_mails::due(&self.postgres, room, self.clock.now()).await? {
                let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned() else {
                    break;
                };
                match self.claim(id).await? {
                    Claim::Mine(mail) => started.push(self.dialogues.spawn(self.clone().send(*mail, permit))),
                    Claim::Held | Claim::Cancelled => leaves_room = true,
                    Claim::Gone => {}
                }
            }
            if !leaves_room {
                break;
            }
        }
        Ok(started)
    }

    /// Takes back the deliveries of workers whose lease has run out.
    pub async fn reap(&self) -> Result<(), postgres::Error> {
        for id in case_mails::expired(&self.postgres, REAPED_AT_ONCE, self.clock.now()).await? {
            let mut tx = postgres::begin(&self.postgres).await?;
            case_mails::reap(&mut tx, &SCOPE, id, self.clock.now()).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
            tracing::warn!(%id, "a delivery was taken from a worker that is gone");
        }
        Ok(())
    }

    /// Claims one delivery.
    async fn claim(&self, id: DeliveryId) -> Result<Claim, postgres::Error> {
        let mut tx = postgres::begin(&self.postgres).await?;
        let claim = case_mails::claim(&mut tx, &SCOPE, id, (LEASE, self.limits), self.clock.now()).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        match claim {
            Claim::Held => tracing::info!(%id, "a mail of a case is held"),
            Claim::Cancelled => tracing::info!(%id, "a mail of a case is not wanted any more"),
            Claim::Mine(_) | Claim::Gone => {}
        }
        Ok(claim)
    }

    /// Runs the dialogue of a claimed delivery to its end, renewing the lease meanwhile, and records what became of it.
    async fn send(self, mail: ClaimedDelivery, permit: OwnedSemaphorePermit) {
        let mut renewals = tokio::time::interval(RENEWED_EVERY);
        renewals.set_missed_tick_behavior(MissedTickBehavior::Delay);
        renewals.reset();
        let body_begins = AtomicBool::new(false);
        let end = {
            let mut dialogue = pin!(self.deliver(&mail, &body_begins));
            loop {
                tokio::select! {
                    end = &mut dialogue => break end,
                    () = self.shutdown.cancelled(), if !body_begins.load(Ordering::SeqCst) => {
                        if !body_begins.load(Ordering::SeqCst) {
                            break not_begun(self.clock.now());
                        }
                    }
                    _ = renewals.tick() => {
                        let renewed = case_mails::renew(&self.postgres, &mail, LEASE, self.clock.now()).await;
                        if !matches!(renewed, Ok(true)) {
                            tracing::warn!(delivery = %mail.id, "a lease could not be renewed");
                        }
                    }
                }
            }
        };
        self.settle(&mail, &end).await;
        drop(permit);
    }

    /// Composes a delivery and hands it to the mail server. Never drop it once `body_begins` is set: then only the server knows what becomes of the mail.
    async fn deliver(&self, mail: &ClaimedDelivery, body_begins: &AtomicBool) -> DeliveryEnd {
        let began = self.clock.now();
        let letter = match self.compose(mail).await {
            Ok(letter) => letter,
            Err(error) => {
                let settled = match &error {
                    PrepareError::Blobs(_) | PrepareError::Postgres(_) => Settled::Again {
                        at: began + UNREACHED_WAIT,
                        counts_since: None,
                    },
                    PrepareError::Letter(_) | PrepareError::Missing(_) => Settled::Failed("not_composed"),
                };
                return DeliveryEnd {
                    settled,
                    code: None,
                    text: error.to_string(),
                };
            }
        };
        let fence = async || {
            if self.shutdown.is_cancelled() {
                return false;
            }
            body_begins.store(true, Ordering::SeqCst);
            let fenced = case_mails::begin_body(&self.postgres, mail, &letter.message_id, self.clock.now()).await;
            fenced.unwrap_or_else(|error| {
                tracing::warn!(delivery = %mail.id, %error, "a body is not sent: the database cannot be asked");
                false
            })
        };
        let handed = self
            .server
            .send_fenced(&letter.from, &letter.to, &letter.bytes, fence)
            .await;
        let now = self.clock.now();
        match handed {
            Ok(Some(words)) => {
                self.breaker.connected();
                DeliveryEnd {
                    settled: Settled::Sent {
                        relay_id: relay::id_in(&words),
                        message_id: letter.message_id,
                    },
                    code: Some(250),
                    text: words,
                }
            }
            Ok(None) => not_begun(now),
            Err(error) => DeliveryEnd {
                settled: self.judge(mail, &error, began, now),
                code: error.code(),
                text: error.to_string(),
            },
        }
    }

    /// The files of a delivery and all of its bytes.
    async fn compose(&self, mail: &ClaimedDelivery) -> Result<Letter, PrepareError> {
        let mut files = Vec::with_capacity(mail.attachments.len());
        for file in &mail.attachments {
            let content = self.blobs.read(&file.sha256).await?;
            files.push(content.ok_or_else(|| PrepareError::Missing(file.name.clone()))?);
        }
        let picture = self.picture(mail).await?;
        let enclosed = Enclosed { files, picture };
        let letter = letter::compose(
            mail,
            self.server.from(),
            self.server.domain(),
            enclosed,
            self.clock.now(),
        );
        Ok(letter?)
    }

    /// The address of the picture of a delivery; `None` unless mails carry one.
    async fn picture(&self, mail: &ClaimedDelivery) -> Result<Option<Url>, postgres::Error> {
        let Some(site) = &self.opened_at else { return Ok(None) };
        let token = case_mails::open_token(&self.postgres, mail).await?;
        Ok(token.map(|token| {
            let mut picture = site.clone();
            if let Ok(mut path) = picture.path_segments_mut() {
                path.pop_if_empty().extend(["api", "Emails", "opened", &token]);
            }
            picture
        }))
    }

    /// What a failed dialogue means for the delivery.
    fn judge(
        &self,
        mail: &ClaimedDelivery,
        error: &DialogueError,
        began: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Settled {
        if error.phase == Phase::Connect {
            let closed_until = self.breaker.failed(now);
            if let Some(until) = closed_until {
                tracing::error!(%error, %until, "the mail server is left alone");
            }
            return Settled::Again {
                at: closed_until.unwrap_or(now + UNREACHED_WAIT),
                counts_since: None,
            };
        }
        self.breaker.connected();
        if error.may_have_arrived() {
            return Settled::Unknown;
        }
        if error.is_final() {
            return Settled::Failed("refused");
        }
        let first = mail.first_tried.unwrap_or(began);
        let wait = usize::try_from(mail.tries)
            .ok()
            .and_then(|tries| RETRY_WAITS.get(tries));
        let wait = wait.or(RETRY_WAITS.last()).copied().unwrap_or_default();
        let at = now + TimeDelta::from_std(wait).unwrap_or(GIVEN_UP_AFTER);
        if at > first + GIVEN_UP_AFTER {
            return Settled::Failed("given_up");
        }
        Settled::Again {
            at,
            counts_since: Some(began),
        }
    }

    /// Records how a dialogue ended, again and again while the database is away: what the server said is known here alone.
    async fn settle(&self, mail: &ClaimedDelivery, end: &DeliveryEnd) {
        let name = match end.settled {
            Settled::Sent { .. } => "sent",
            Settled::Unknown => "unknown",
            Settled::Failed(_) => "failed",
            Settled::Again { .. } => "later",
        };
        let kind = mail.kind.to_string();
        for _ in 0..SETTLE_ATTEMPTS {
            match self.try_settle(mail, end).await {
                Ok(true) => {
                    tracing::info!(delivery = %mail.id, kind, end = name, text = end.text, "mail of a case");
                    metrics::counter!("vigie_case_mails_total", "kind" => kind, "end" => name).increment(1);
                    return;
                }
                Ok(false) => {
                    tracing::warn!(delivery = %mail.id, kind, end = name, text = end.text, "a delivery was taken from this worker meanwhile");
                    return;
                }
                Err(error) if error.is_unreachable() => {
                    tracing::warn!(delivery = %mail.id, %error, "what came of a mail waits to be noted");
                    tokio::time::sleep(CHECK_INTERVAL).await;
                }
                Err(error) => {
                    tracing::error!(delivery = %mail.id, %error, end = name, "what came of a mail could not be noted");
                    return;
                }
            }
        }
    }

    async fn try_settle(&self, mail: &ClaimedDelivery, end: &DeliveryEnd) -> Result<bool, postgres::Error> {
        let mut tx = postgres::begin(&self.postgres).await?;
        let settled = case_mails::settle(&mut tx, &SCOPE, mail, end, self.clock.now()).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        Ok(settled)
    }
}

/// The end of an attempt in which nothing was sent, for no fault of the server.
fn not_begun(now: DateTime<Utc>) -> DeliveryEnd {
    DeliveryEnd {
        settled: Settled::Again {
            at: now + UNREACHED_WAIT,
            counts_since: None,
        },
        code: None,
        text: String::new(),
    }
}

//! Sending what happened to webhooks: each message is signed, sent until it is taken or given up, and to no address within this network.

mod message;

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header;
use postgres::Pool;
use postgres::webhooks::{self, Attempt, ClaimedDelivery, SEALED_AS};
use public_hosts::PublicClient;
use runtime::Clock;
use runtime::sealing::Keys;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use url::Url;
use vocabulary::SystemScope;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a receiver may take for all of its answer.
const ANSWER_TIME: Duration = Duration::from_secs(15);
/// Of an answer that refuses, so much is read, and shown in the log.
const ANSWER_BYTES: usize = 2_048;
/// Longer than [`ANSWER_TIME`], so that only the messages of dead workers are claimed again.
const LEASE: Duration = Duration::from_mins(1);
/// Messages under way to one webhook, and to all by this worker.
const AT_ONCE_EACH: i64 = 4;
const AT_ONCE: usize = 64;
/// How long the log goes back.
const KEPT: TimeDelta = TimeDelta::days(30);
/// Between two looks for what was kept for long enough, and for webhooks that fall behind.
const TIDY_INTERVAL: Duration = Duration::from_mins(1);
const USER_AGENT: &str = "Vigie-Webhooks";

const SCOPE: SystemScope = SystemScope::new("sending to webhooks");

/// Sends to webhooks. Clones share its store and connections.
#[derive(Clone)]
pub struct WebhookSender {
    /// The store of webhooks and messages.
    pub postgres: Pool,
    /// The clock for the times of attempts.
    pub clock: Clock,
    /// What the secrets are sealed with.
    pub keys: Keys,
    /// What sends, and where it may lead.
    pub client: PublicClient,
    /// Where the web client is, which messages link to.
    pub public_url: Url,
}

impl WebhookSender {
    /// Sends what is due, and forgets what was kept for long enough, until `shutdown`. What is under way then is left to its lease. A pass that fails is
    /// only logged.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = self.send_for_ever() => {}
            () = self.tidy_for_ever() => {}
        }
    }

    async fn send_for_ever(&self) {
        let mut beat = beat(CHECK_INTERVAL);
        loop {
            beat.tick().await;
            if let Err(error) = self.pass().await {
                tracing::warn!(%error, "nothing could be sent to webhooks");
            }
        }
    }

    async fn tidy_for_ever(&self) {
        let mut beat = beat(TIDY_INTERVAL);
        loop {
            beat.tick().await;
            if let Err(error) = self.tidy().await {
                tracing::warn!(%error, "messages of webhooks could not be forgotten");
            }
        }
    }

    /// Sends all that is due, and what comes due meanwhile, `AT_ONCE` at a time; returns how many attempts there were. A message that is slow holds up no other
    /// webhook's. An attempt that fails is recorded, and no error.
    pub async fn pass(&self) -> Result<usize, postgres::Error> {
        let (mut attempts, mut under_way) = (0, FuturesUnordered::new());
        loop {
            let free = AT_ONCE.saturating_sub(under_way.len());
            let most = (AT_ONCE_EACH, i64::try_from(free).unwrap_or_default());
            let claimed = webhooks::claim(&self.postgres, &SCOPE, self.clock.now(), LEASE, most).await?;
            attempts += claimed.len();
            under_way.extend(claimed.into_iter().map(|delivery| self.tell(delivery)));
            match tokio::time::timeout(CHECK_INTERVAL, under_way.next()).await {
                Ok(Some(ended)) => ended?,
                Ok(None) => return Ok(attempts),
                // What came due meanwhile does not wait for what is slow.
                Err(_) => {}
            }
        }
    }

    /// Stops webhooks that fall behind, and deletes what was kept for [`KEPT`]; returns how many messages.
    pub async fn tidy(&self) -> Result<u64, postgres::Error> {
        let now = self.clock.now();
        let stopped = webhooks::stop_those_behind(&self.postgres, &SCOPE, now).await?;
        if stopped > 0 {
            tracing::warn!(stopped, "webhooks were stopped: too many messages wait for them");
        }
        webhooks::forget_before(&self.postgres, &SCOPE, now - KEPT).await
    }

    /// Sends one message and records how that went; forgets one whose user does not see its case any more.
    async fn tell(&self, delivery: ClaimedDelivery) -> Result<(), postgres::Error> {
        let delivery = &delivery;
        if !delivery.is_seen {
            return webhooks::forget(&self.postgres, delivery).await;
        }
        let body = if let Some(body) = &delivery.body {
            body.clone()
        } else {
            let body = message::body(delivery, &self.public_url);
            webhooks::keep_body(&self.postgres, delivery, &body).await?;
            body
        };
        let began = Instant::now();
        let (answer, reason) = match self.send(delivery, body).await {
            Ok((status, text)) => (Some(status), text),
            Err(reason) => (None, Some(reason)),
        };
        let attempt = Attempt {
            answer,
            reason,
            took: began.elapsed(),
        };
        let mut connection = self.postgres.acquire().await?;
        let stopped = webhooks::record(&mut connection, delivery, &attempt, self.clock.now()).await?;
        if let Some(reason) = stopped {
            tracing::warn!(%reason, delivery = delivery.id.0, "a webhook was stopped");
        }
        Ok(())
    }

    /// Posts a body; the status of the answer, and the beginning of its text where it refuses, or why there is none.
    async fn send(&self, delivery: &ClaimedDelivery, body: String) -> Result<(u16, Option<String>), String> {
        let address = Url::parse(&delivery.url).map_err(|error| error.to_string())?;
        if !self.client.hosts().allows(&address) {
            return Err("the address is not one of the public internet".to_owned());
        }
        let secrets = delivery.secrets.iter().map(|sealed| self.keys.open(SEALED_AS, sealed));
        let secrets: Vec<String> = secrets.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let (message, now) = (format!("msg_{}", delivery.message.simple()), self.clock.now());
        let signatures =
            message::signatures(&secrets, &message, now, &body).ok_or("the secret cannot sign".to_owned())?;
        let request = hyper::Request::post(address.as_str())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, USER_AGENT)
            .header("webhook-id", message)
            .header("webhook-timestamp", now.timestamp().to_string())
            .header("webhook-signature", signatures)
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())?;
        let answered = async {
            let answer = self.client.send(request).await.map_err(|error| with_causes(&error))?;
            let status = answer.status();
            if status.is_success() {
                return Ok((status.as_u16(), None));
            }
            let text = beginning(answer.into_body()).await;
            Ok((status.as_u16(), Some(text).filter(|text| !text.trim().is_empty())))
        };
        tokio::time::timeout(ANSWER_TIME, answered)
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {} s", ANSWER_TIME.as_secs())))
    }
}

/// Ticks at once and after each interval; what comes late is not caught up.
fn beat(interval: Duration) -> Interval {
    let mut beat = tokio::time::interval(interval);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

/// The beginning of a text, as far as it comes, without what cannot be stored.
async fn beginning(mut body: Incoming) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < ANSWER_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        let data = frame.into_data().unwrap_or_default();
        bytes.extend_from_slice(&data[..data.len().min(ANSWER_BYTES - bytes.len())]);
    }
    String::from_utf8_lossy(&bytes).replace('\0', "")
}

/// An error with what caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

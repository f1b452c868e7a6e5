//! Webhooks of users: addresses that get what happens to cases, and how each message fared. Triggers write the messages in the transaction
//! in which it happened (migration 0209).

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;
use vocabulary::{ActionId, BrandId, CaptureId, SystemScope, UserId};

use crate::stored::{interval, parse, parse_some};
use crate::{Connection, Result};

/// Waits between the attempts of a message; after the last one it is given up, and its webhook stopped unless it took another one meanwhile.
const WAITS: [Duration; 8] = [
    Duration::from_secs(5),
    Duration::from_mins(1),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(10),
];
/// How long the earlier secret of a webhook signs beside the present one.
pub const EARLIER_SECRET: Duration = Duration::from_hours(24);
/// What secrets are sealed as.
pub const SEALED_AS: &str = "webhook.secret";
/// Messages that wait for a webhook; with more, it is stopped.
const MOST_WAITING: i64 = 10_000;
/// Longer reasons are cut.
const MAX_REASON: usize = 300;

/// A webhook (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WebhookId(pub i32);

/// A message to a webhook (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeliveryId(pub i64);

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::VariantArray)]
pub enum WebhookEvent {
    /// An advertiser was seen for the first time.
    #[strum(serialize = "advertiser.new")]
    NewAdvertiser,
    /// An advertiser was seen again after it was over.
    #[strum(serialize = "advertiser.relapsed")]
    Relapse,
    /// A case was opened or has another status.
    #[strum(serialize = "case.changed")]
    CaseChanged,
    /// Somebody tries the webhook. None is subscribed to it.
    #[strum(serialize = "webhook.test")]
    Test,
}

/// Why Vigie stopped a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum StopReason {
    /// A message was given up, and none was taken meanwhile.
    Failing,
    /// The receiver said that it is gone (410).
    Gone,
    /// More messages wait than are kept.
    Behind,
}

/// What a webhook sends where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookTarget {
    /// The address that is posted to.
    pub url: String,
    /// The brand of its cases; `None` for all that its user sees.
    pub brand: Option<BrandId>,
    /// What it sends.
    pub events: Vec<WebhookEvent>,
}

/// A webhook as its user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Id of its row.
    pub id: WebhookId,
    /// What it sends where.
    pub target: WebhookTarget,
    /// When it was made.
    pub created: DateTime<Utc>,
    /// Since when nothing is sent.
    pub stopped: Option<DateTime<Utc>>,
    /// Why Vigie stopped it; `None` when its user did.
    pub stop_reason: Option<StopReason>,
    /// Until when the earlier secret signs as well.
    pub earlier_until: Option<DateTime<Utc>>,
    /// Messages that wait.
    pub waiting: i64,
    /// When a message was taken last.
    pub taken: Option<DateTime<Utc>>,
}

/// A message as the log shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// Id of its row.
    pub id: DeliveryId,
    /// By what the receiver knows it.
    pub message: Uuid,
    /// What it is about.
    pub event: WebhookEvent,
    /// The case it is about.
    pub action: Option<ActionId>,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Attempts so far.
    pub tries: i32,
    /// When it is tried next.
    pub due: Option<DateTime<Utc>>,
    /// When it was taken or given up.
    pub settled: Option<DateTime<Utc>>,
    /// Status of the last answer.
    pub answer: Option<i32>,
    /// Why there was none, or the beginning of its text.
    pub reason: Option<String>,
    /// Milliseconds of the last attempt.
    pub took_ms: Option<i32>,
    /// What was sent.
    pub body: Option<String>,
}

/// The case of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldCase {
    /// Id of the case.
    pub action: ActionId,
    /// The status it came into.
    pub status: String,
    /// Its brand, by id and name.
    pub brand: (BrandId, String),
    /// The advertiser's host.
    pub domain: Option<String>,
    /// Country of the searches, two letters.
    pub country: Option<String>,
    /// The search engine, as in `google`.
    pub engine: Option<String>,
    /// The capture it was seen in, as long as its page is kept.
    pub capture: Option<CaptureId>,
}

/// A message that this process may send, as long as its lease lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// Id of its row.
    pub id: DeliveryId,
    webhook: WebhookId,
    tries: i32,
    /// By what the receiver knows it.
    pub message: Uuid,
    /// What it is about.
    pub event: WebhookEvent,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// As it was sent first.
    pub body: Option<String>,
    /// Where it is sent.
    pub url: String,
    /// The sealed secrets that sign it, the present one first.
    pub secrets: Vec<String>,
    /// The case it is about; `None` for a test.
    pub case: Option<ToldCase>,
    /// Whether its user still sees the case.
    pub is_seen: bool,
}

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Status of the answer; `None` without one.
    pub answer: Option<u16>,
    /// Why there was none, or the beginning of its text.
    pub reason: Option<String>,
    /// How long it took.
    pub took: Duration,
}

impl Attempt {
    /// Whether the receiver took the message.
    pub fn is_taken(&self) -> bool {
        self.answer.is_some_and(|status| (200..300).contains(&status))
    }
}

/// Locks the webhooks of a user, so that two requests at a time do not make one too many. Held until the transaction ends.
pub async fn lock(executor: impl PgExecutor<'_>, user: UserId) -> Result<()> {
    sqlx::query!("select id from user_account where id = $1 for no key update", user.0)
        .fetch_optional(executor)
        .await?;
    Ok(())
}

/// The webhooks of a user, the newest first.
pub async fn of_user(executor: impl PgExecutor<'_>, user: UserId, now: DateTime<Utc>) -> Result<Vec<Webhook>> {
    let rows = sqlx::query!(
        r#"select w.id, w.url, w.brand_id, w.events, w.created_at, w.stopped_at, w.stop_reason,
               case when w.earlier_until > $2 then w.earlier_until end as earlier_until,
               (select count(*) from webhook_delivery d where d.webhook_id = w.id and d.due_at is not null) as "waiting!",
               (select max(d.settled_at) from webhook_delivery d where d.webhook_id = w.id and d.answer between 200 and 299) as taken
           from webhook w where w.user_id = $1 order by w.id desc"#,
        user.0,
        now
    )
    .fetch_all(executor)
    .await?;
    let webhooks = rows.into_iter().map(|row| {
        Ok(Webhook {
            id: WebhookId(row.id),
            target: WebhookTarget {
                url: row.url,
                brand: row.brand_id.map(BrandId),
                events: row
                    .events
                    .iter()
                    .map(|event| parse("webhook.events", event))
                    .collect::<Result<_>>()?,
            },
            created: row.created_at,
            stopped: row.stopped_at,
            stop_reason: parse_some("webhook.stop_reason", row.stop_reason.as_deref())?,
            earlier_until: row.earlier_until,
            waiting: row.waiting,
            taken: row.taken,
        })
    });
    webhooks.collect()
}

/// Makes a webhook of a user with a sealed secret.
pub async fn create(
    executor: impl PgExecutor<'_>,
    user: UserId,
    target: &WebhookTarget,
    sealed: &str,
    now: DateTime<Utc>,
) -> Result<WebhookId> {
    let events: Vec<String> = target.events.iter().map(ToString::to_string).collect();
    let id = sqlx::query_scalar!(
        "insert into webhook (user_id, brand_id, url, events, secret, created_at) values ($1, $2, $3, $4, $5, $6) returning id",
        user.0,
        target.brand.map(|brand| brand.0),
        target.url,
        &events,
        sealed,
        now
    )
    .fetch_one(executor)
    .await?;
    Ok(WebhookId(id))
}

/// Changes what a webhook sends where, and stops it or lets it go on. `false` for an unknown one and that of another user.
pub async fn change(
    executor: impl PgExecutor<'_>,
    user: UserId,
    id: WebhookId,
    target: &WebhookTarget,
    stopped: Option<DateTime<Utc>>,
) -> Result<bool> {
    let events: Vec<String> = target.events.iter().map(ToString::to_string).collect();
    let done = sqlx::query!(
        "update webhook set brand_id = $3, url = $4, events = $5, stopped_at = case when $6::timestamptz is null then null else coalesce(stopped_at, $6) end,
             stop_reason = case when $6 is null then null else stop_reason end
         where id = $1 and user_id = $2",
        id.0,
        user.0,
        target.brand.map(|brand| brand.0),
        target.url,
        &events,
        stopped
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Deletes a webhook with its log. `false` for an unknown one and that of another user.
pub async fn remove(executor: impl PgExecutor<'_>, user: UserId, id: WebhookId) -> Result<bool> {
    let done = sqlx::query!("delete from webhook where id = $1 and user_id = $2", id.0, user.0)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Gives a webhook another sealed secret; the one before signs as well for [`EARLIER_SECRET`]. `false` for an unknown one and that of another user.
pub async fn change_secret(
    executor: impl PgExecutor<'_>,
    user: UserId,
    id: WebhookId,
    sealed: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "update webhook set earlier_secret = secret, earlier_until = $4::timestamptz + $5::interval, secret = $3 where id = $1 and user_id = $2",
        id.0,
        user.0,
        sealed,
        now,
        interval(EARLIER_SECRET)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Sends a test message. `false` for an unknown webhook, that of another user, and one that is stopped.
pub async fn test(executor: impl PgExecutor<'_>, user: UserId, id: WebhookId, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query!(
        "insert into webhook_delivery (webhook_id, event, at, due_at)
         select id, 'webhook.test', $3, $3 from webhook where id = $1 and user_id = $2 and stopped_at is null",
        id.0,
        user.0,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// The latest messages of a user's webhook, the newest first; `None` for an unknown one and that of another user.
pub async fn log(
    connection: &mut Connection,
    user: UserId,
    id: WebhookId,
    most: i64,
) -> Result<Option<Vec<LoggedDelivery>>> {
    let known = sqlx::query_scalar!("select id from webhook where id = $1 and user_id = $2", id.0, user.0)
        .fetch_optional(&mut *connection)
        .await?;
    if known.is_none() {
        return Ok(None);
    }
    let rows = sqlx::query!(
        "select id, message, event, action_id, at, tries, due_at, settled_at, answer, reason, took_ms, body
         from webhook_delivery where webhook_id = $1 order by id desc limit $2",
        id.0,
        most
    )
    .fetch_all(connection)
    .await?;
    let log = rows.into_iter().map(|row| {
        Ok(LoggedDelivery {
            id: DeliveryId(row.id),
            message: row.message,
            event: parse("webhook_delivery.event", &row.event)?,
            action: row.action_id.map(ActionId),
            at: row.at,
            tries: row.tries,
            due: row.due_at,
            settled: row.settled_at,
            answer: row.answer,
            reason: row.reason,
            took_ms: row.took_ms,
            body: row.body,
        })
    });
    log.collect::<Result<_>>().map(Some)
}

/// Sends a settled message again, the same bytes under the same id. `false` for one that is not there or not settled, and for a webhook that is unknown,
/// stopped, or another user's.
pub async fn replay(
    executor: impl PgExecutor<'_>,
    user: UserId,
    id: WebhookId,
    delivery: DeliveryId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "update webhook_delivery d set due_at = $4, settled_at = null, tries = 0, leased_until = null
         from webhook w where d.id = $3 and d.settled_at is not null and w.id = d.webhook_id and w.id = $1 and w.user_id = $2 and w.stopped_at is null",
        id.0,
        user.0,
        delivery.0,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Claims up to `most` messages that are due, for the time of `lease` from `now` on, the oldest first: ones that nobody sends, or whose worker let its lease
/// run out. No more than `at_once` of a webhook are claimed at a time, so that a slow receiver holds up its own messages alone.
pub async fn claim(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
    lease: Duration,
    (at_once, most): (i64, i64),
) -> Result<Vec<ClaimedDelivery>> {
    let rows = sqlx::query_file!(
        "queries/claim_webhook_deliveries.sql",
        now,
        interval(lease),
        at_once,
        most
    )
    .fetch_all(executor)
    .await?;
    let claimed = rows.into_iter().map(|row| {
        let case = match (row.action_id, row.brand_id) {
            (Some(action), Some(brand)) => Some(ToldCase {
                action: ActionId(action),
                status: row.status.unwrap_or_default(),
                brand: (BrandId(brand), row.brand.unwrap_or_default()),
                domain: row.domain,
                country: row.country,
                engine: row.engine,
                capture: row.capture_id.map(CaptureId),
            }),
            _ => None,
        };
        Ok(ClaimedDelivery {
            id: DeliveryId(row.id),
            webhook: WebhookId(row.webhook_id),
            tries: row.tries,
            message: row.message,
            event: parse("webhook_delivery.event", &row.event)?,
            at: row.at,
            body: row.body,
            url: row.url,
            secrets: std::iter::once(row.secret).chain(row.earlier_secret).collect(),
            case,
            is_seen: row.is_seen,
        })
    });
    claimed.collect()
}

/// Keeps the bytes of a message before it is sent first.
pub async fn keep_body(executor: impl PgExecutor<'_>, delivery: &ClaimedDelivery, body: &str) -> Result<()> {
    sqlx::query!(
        "update webhook_delivery set body = $2 where id = $1 and body is null",
        delivery.id.0,
        body
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Forgets a message that its user may not have any more.
pub async fn forget(executor: impl PgExecutor<'_>, delivery: &ClaimedDelivery) -> Result<()> {
    sqlx::query!("delete from webhook_delivery where id = $1", delivery.id.0)
        .execute(executor)
        .await?;
    Ok(())
}

/// Records an attempt: a message that was taken is settled, another is tried again later, or given up after the last wait; returns whether its webhook was
/// stopped. Changes nothing when another worker has claimed the message meanwhile.
pub async fn record(
    connection: &mut Connection,
    delivery: &ClaimedDelivery,
    attempt: &Attempt,
    now: DateTime<Utc>,
) -> Result<Option<StopReason>> {
    let is_gone = attempt.answer == Some(410);
    let wait = usize::try_from(delivery.tries - 1)
        .ok()
        .and_then(|tries| WAITS.get(tries))
        .filter(|_| !is_gone && !attempt.is_taken() && delivery.event != WebhookEvent::Test);
    let reason = attempt
        .reason
        .as_ref()
        .map(|reason| reason.chars().take(MAX_REASON).collect::<String>());
    let recorded = sqlx::query!(
        "update webhook_delivery set leased_until = null, due_at = $3::timestamptz + $4::interval, settled_at = case when $4::interval is null then $3 end,
             answer = $5, reason = $6, took_ms = $7
         where id = $1 and tries = $2 and settled_at is null",
        delivery.id.0,
        delivery.tries,
        now,
        wait.copied().map(interval) as _,
        attempt.answer.map(i32::from),
        reason,
        i32::try_from(attempt.took.as_millis()).unwrap_or(i32::MAX)
    )
    .execute(&mut *connection)
    .await?;
    let is_given_up = wait.is_none() && !attempt.is_taken() && delivery.event != WebhookEvent::Test;
    if recorded.rows_affected() == 0 || !(is_gone || is_given_up) {
        return Ok(None);
    }
    let reason = if is_gone { StopReason::Gone } else { StopReason::Failing };
    let stopped = sqlx::query!(
        "update webhook w set stopped_at = $2, stop_reason = $3 where id = $1 and stopped_at is null
             and ($3 = 'gone' or not exists (
                 select from webhook_delivery d where d.webhook_id = w.id and d.answer between 200 and 299 and d.settled_at >= $4))",
        delivery.webhook.0,
        now,
        reason.to_string(),
        delivery.at
    )
    .execute(connection)
    .await?;
    Ok((stopped.rows_affected() > 0).then_some(reason))
}

/// Stops the webhooks for which more than `MOST_WAITING` messages wait, and returns how many there were.
pub async fn stop_those_behind(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query!(
        "update webhook w set stopped_at = $1, stop_reason = 'behind' where stopped_at is null
             and (select count(*) from webhook_delivery d where d.webhook_id = w.id and d.due_at is not null) > $2",
        now,
        MOST_WAITING
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes the messages that were settled before `at`, and those that wait since then for a webhook that is stopped. Returns how many.
pub async fn forget_before(executor: impl PgExecutor<'_>, _system: &SystemScope, at: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query!(
        "delete from webhook_delivery d using webhook w
         where w.id = d.webhook_id and (d.settled_at < $1 or d.due_at is not null and d.at < $1 and w.stopped_at is not null)",
        at
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

//! The audit log: who changed what, and for whom. It is written in the transaction of the change, and never changed itself.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use sqlx::PgExecutor;
use vocabulary::{Scope, UserId};

use crate::Result;
use crate::stored::parse;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Event {
    /// A row was made.
    Create,
    /// A row was changed.
    Change,
    /// A row was deleted.
    Remove,
    /// A deleted row was brought back.
    Return,
    /// Two rows were joined.
    Link,
    /// Two rows were parted.
    Unlink,
    /// An administrator began to work as another user.
    Impersonate,
    /// An administrator went back to the own account.
    Restore,
    /// A request that may change data, made while working as another user.
    Request,
    /// What is stored about somebody was read as a whole.
    Export,
    /// What is stored about somebody was erased.
    Erase,
}

/// The account behind a change.
#[derive(Clone, Debug)]
pub struct AuditActor {
    /// The account that signed in.
    pub actor: UserId,
    /// Whom an administrator works as.
    pub acting_as: Option<UserId>,
    /// The id of the request, as its log lines have it.
    pub request: String,
}

/// Something that was done.
#[derive(Clone, Debug)]
pub struct AuditedChange {
    /// What was done.
    pub event: Event,
    /// To what kind of row.
    pub model: &'static str,
    /// To which: its id.
    pub target: String,
    /// What it was before and is now; never a secret.
    pub details: Json,
}

/// Writes one entry for each change, in their order, all by the same author and request (cut to 64 characters). Call it in the transaction of the
/// changes themselves.
pub async fn record(executor: impl PgExecutor<'_>, author: &AuditActor, done: &[AuditedChange]) -> Result<()> {
    if done.is_empty() {
        return Ok(());
    }
    let events: Vec<String> = done.iter().map(|done| done.event.to_string()).collect();
    let models: Vec<String> = done.iter().map(|done| done.model.to_owned()).collect();
    let targets: Vec<String> = done.iter().map(|done| done.target.clone()).collect();
    let details: Vec<Json> = done.iter().map(|done| done.details.clone()).collect();
    sqlx::query_file!(
        "queries/keep_audit.sql",
        author.actor.0,
        author.acting_as.map(|user| user.0),
        author.request,
        &events,
        &models,
        &targets,
        &details
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// Its number; later entries have higher ones.
    pub id: i64,
    /// When it was recorded.
    pub at: DateTime<Utc>,
    /// The account that signed in.
    pub actor: Option<UserId>,
    /// The address of that account at the time.
    pub actor_name: Option<String>,
    /// Whom an administrator worked as.
    pub acting_as: Option<UserId>,
    /// The address of that account at the time.
    pub acting_as_name: Option<String>,
    /// What was done.
    pub event: Event,
    /// To what kind of row.
    pub model: Option<String>,
    /// Id of the row it concerns.
    pub target: Option<String>,
    /// What it was before and is now.
    pub details: Json,
    /// The id of the request.
    pub request: Option<String>,
}

/// Which entries to read; `None` does not restrict.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// By this account, whether it acted for itself or another.
    pub actor: Option<UserId>,
    /// On behalf of this account.
    pub acting_as: Option<UserId>,
    /// Of this kind.
    pub event: Option<Event>,
    /// About this kind of row.
    pub model: Option<String>,
    /// About the row with this id.
    pub target: Option<String>,
    /// From then on.
    pub from: Option<DateTime<Utc>>,
    /// Only entries before this instant.
    pub to: Option<DateTime<Utc>>,
    /// Of this request.
    pub request: Option<String>,
    /// Older than the entry of this number: where the page before ended.
    pub before: Option<i64>,
}

/// The entries that match all that the query sets, newest first, at most `limit`. Empty unless the scope administers.
pub async fn list(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    query: &AuditQuery,
    limit: i64,
) -> Result<Vec<AuditEntry>> {
    if !scope.administers() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query_file!(
        "queries/list_audit.sql",
        query.actor.map(|user| user.0),
        query.acting_as.map(|user| user.0),
        query.event.map(|event| event.to_string()),
        query.model,
        query.target,
        query.from,
        query.to,
        query.request,
        query.before,
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(AuditEntry {
                id: row.id,
                at: row.at,
                actor: row.actor_id.map(UserId),
                actor_name: row.actor_name,
                acting_as: row.acting_as_id.map(UserId),
                acting_as_name: row.acting_as_name,
                event: parse("audit_entry.event", &row.event)?,
                model: row.model,
                target: row.target,
                details: row.details,
                request: row.request_id,
            })
        })
        .collect()
}

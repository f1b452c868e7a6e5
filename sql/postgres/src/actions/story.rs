//! What has happened in cases: their history, and the mails of one.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{PgExecutor, Postgres, QueryBuilder, Row};
use vocabulary::{ActionId, ActionStatus, CaptureId, Scope};

use crate::Result;
use crate::authors::{KnownAuthor, push_known_author};
use crate::scoped::ScopeLists;
use crate::stored::parse;

/// An entry of the history of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Its number, or the one that it was imported with.
    pub id: String,
    /// The status that was entered.
    pub status: ActionStatus,
    /// When it was entered.
    pub at: DateTime<Utc>,
    /// The author as the reader may know it; `None` for Vigie itself, and for an author of whom the reader may not know.
    pub by: Option<KnownAuthor>,
    /// The dates of the reminders before this one, as clients read them.
    pub previous: Vec<Value>,
    /// The ad that the case began again with.
    pub ad: Option<SeenAgain>,
}

/// The ad that a case began again with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenAgain {
    /// The capture it was seen in.
    pub capture: CaptureId,
    /// When its page was received.
    pub at: DateTime<Utc>,
    /// The words that were searched.
    pub term: String,
    /// Its headline and its text.
    pub words: String,
}

/// The histories of these actions, the oldest entry first, by action; those that the scope does not see are absent.
pub async fn histories(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    ids: &[ActionId],
) -> Result<BTreeMap<ActionId, Vec<HistoryEntry>>> {
    let ids: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let mut sql = QueryBuilder::<Postgres>::new(
        "select h.action_id, coalesce(h.outside_id, h.id::text) as number, h.status::text, h.at, h.previous_dates,
             r.capture_id, r.seen_at, r.term, r.words, case when not h.is_automatic then ",
    );
    push_known_author(&mut sql, scope, "h.actor_id, null, null, null");
    sql.push(" end as author from action_history h join action a on a.id = h.action_id left join relapse r on r.history_id = h.id where h.action_id = any(")
        .push_bind(ids)
        .push(")");
    if let Some(brands) = ScopeLists::from_scope(scope).brands {
        sql.push(" and a.brand_id = any(").push_bind(brands).push(")");
    }
    sql.push(" order by h.action_id, h.at, h.id");
    let mut histories = BTreeMap::<ActionId, Vec<HistoryEntry>>::new();
    for row in sql.build().fetch_all(executor).await? {
        let previous: Json<Vec<Value>> = row.try_get("previous_dates")?;
        let by: Option<Json<KnownAuthor>> = row.try_get("author")?;
        let capture: Option<uuid::Uuid> = row.try_get("capture_id")?;
        let ad = match capture {
            Some(capture) => Some(SeenAgain {
                capture: CaptureId(capture),
                at: row.try_get("seen_at")?,
                term: row.try_get("term")?,
                words: row.try_get("words")?,
            }),
            None => None,
        };
        let entry = HistoryEntry {
            id: row.try_get("number")?,
            status: parse("action_history.status", row.try_get("status")?)?,
            at: row.try_get("at")?,
            by: by.map(|by| by.0),
            previous: previous.0,
            ad,
        };
        histories
            .entry(ActionId(row.try_get("action_id")?))
            .or_default()
            .push(entry);
    }
    Ok(histories)
}

/// A mail of an action, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailSummary {
    /// Number of the mail.
    pub id: i32,
    /// The subject of the mail.
    pub subject: Option<String>,
    /// Where it is on its way, as in `draft`.
    pub status: Option<String>,
    /// The kind of template that it was made from.
    pub template: Option<String>,
    /// When it was written.
    pub created: Option<DateTime<Utc>>,
    /// When it came in.
    pub received: Option<DateTime<Utc>>,
    /// When it left.
    pub sent: Option<DateTime<Utc>>,
    /// Whether it was read.
    pub is_open: bool,
}

/// The newest mails of an action, the oldest of them first, at most `limit`; none for an action that the scope does not see.
pub async fn mails(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    action: ActionId,
    limit: i64,
) -> Result<Vec<MailSummary>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select e.id, e.subject, e.status, e.template_type, e.created_date, e.received_date, e.sended_date, coalesce(e.open, false) as "is_open!"
           from email e join action a on a.id = e.action_id
           where e.action_id = $2 and ($1::int[] is null or a.brand_id = any($1))
           order by e.created_date desc nulls last, e.id desc limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        action.0,
        limit
    )
    .fetch_all(executor)
    .await?;
    let mails = rows.into_iter().rev().map(|row| MailSummary {
        id: row.id,
        subject: row.subject,
        status: row.status,
        template: row.template_type,
        created: row.created_date,
        received: row.received_date,
        sent: row.sended_date,
        is_open: row.is_open,
    });
    Ok(mails.collect())
}

//! The ads that began cases again which had ended.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, AdKind, CaptureId, Scope};

use crate::Result;
use crate::scoped::ScopeLists;
use crate::stored::parse;

/// An ad that was seen again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relapse {
    /// The number of the entry of the history that it caused, as [`crate::actions::story::HistoryEntry`] has it.
    pub entry: String,
    /// When the advertiser had agreed; `None` where the case had disappeared.
    pub accepted: Option<DateTime<Utc>>,
    /// The capture it was seen in.
    pub capture: CaptureId,
    /// When its page was received.
    pub seen: DateTime<Utc>,
    /// The words that were searched.
    pub term: String,
    /// Whether it is a text ad or a shopping ad.
    pub kind: AdKind,
    /// Its headline and its text.
    pub words: String,
    /// Its rank over the page.
    pub rank: u32,
}

/// The ads that began an action again, the newest first; none for an action that the scope does not see.
pub async fn of_action(executor: impl PgExecutor<'_>, scope: &Scope, action: ActionId) -> Result<Vec<Relapse>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select coalesce(h.outside_id, h.id::text) as "entry!", r.accepted_at, r.capture_id, r.seen_at, r.term, r.kind, r.words, r.rank
           from relapse r join action_history h on h.id = r.history_id join action a on a.id = h.action_id
           where a.id = $2 and ($1::int[] is null or a.brand_id = any($1)) order by h.at desc, h.id desc"#,
        bounds.brands as Option<Vec<i32>>,
        action.0
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Relapse {
                entry: row.entry,
                accepted: row.accepted_at,
                capture: CaptureId(row.capture_id),
                seen: row.seen_at,
                term: row.term,
                kind: parse("relapse.kind", &row.kind)?,
                words: row.words,
                rank: row.rank.unsigned_abs(),
            })
        })
        .collect()
}

//! Changes of resources, which triggers announce with `NOTIFY` on commit, whoever made them. A change that is announced while nobody
//! listens is lost.

use futures::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sqlx::PgExecutor;
use sqlx::postgres::PgListener;
use vocabulary::{CompanyAccountId, UserId};

use crate::{DirectPool, Result};

/// The name under which changes of Sems are announced: they are no rows of Postgres.
pub const SEMS: &str = "sems";
const CHANNEL: &str = "resource_changes";
/// Ids of one notification: it holds less than 8,000 bytes.
const MOST_IDS: usize = 300;
/// Rows of one notification, which has no more than their ids and terms.
const MOST_ROWS: usize = 100;

/// What happened to rows of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableChange {
    /// The table, or [`SEMS`].
    pub table: String,
    /// What happened to which rows.
    #[serde(flatten)]
    pub change: Change,
}

/// What happened, and to which rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Change {
    /// Rows were made.
    Create {
        /// Ids of the new rows.
        ids: Vec<i64>,
    },
    /// Rows were changed.
    Update {
        /// Their columns before the change; of a very long row, only the short columns.
        was: Vec<Json>,
    },
    /// Links of rows to others were made or ended; the rows themselves did not change.
    Links {
        /// Their columns, and under the name of the table of links those that they had before: pairs of the other id and the company account that the
        /// link belongs to, or null.
        was: Vec<Json>,
    },
    /// A row was deleted.
    Remove {
        /// Its columns before it was deleted; of a very long row, only the short columns.
        row: Json,
    },
    /// The rows that some users see changed.
    Rights {
        /// The company account of these users.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        company: Option<CompanyAccountId>,
        /// The one user whose rights changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<UserId>,
    },
}

/// The changes that are announced from now on, in the order of their commits; an error if it cannot connect now. The stream never ends: a later error
/// is an item, after which it connects again, and changes announced meanwhile are lost. Announcements that this version does not understand are
/// skipped.
pub async fn listen(direct: &DirectPool) -> Result<impl Stream<Item = Result<TableChange>> + Send + use<>> {
    let mut listener = PgListener::connect_with(direct.pool()).await?;
    listener.listen(CHANNEL).await?;
    Ok(stream::unfold(listener, |mut listener| async move {
        loop {
            match listener.recv().await {
                Ok(message) => {
                    // A newer version may announce what this one does not know.
                    if let Ok(notification) = serde_json::from_str(message.payload()) {
                        return Some((Ok(notification), listener));
                    }
                }
                Err(error) => return Some((Err(error.into()), listener)),
            }
        }
    }))
}

/// Announces a change of rows in ClickHouse, which announces none itself. More than `MOST_IDS` new ids or `MOST_ROWS` changed rows are announced in
/// several parts; without rows, nothing is announced. In a transaction, listeners get them when it commits.
pub async fn notify(executor: impl PgExecutor<'_>, table: &str, change: Change) -> Result<()> {
    let pieces: Vec<Change> = match change {
        Change::Create { ids } => ids
            .chunks(MOST_IDS)
            .map(|ids| Change::Create { ids: ids.to_vec() })
            .collect(),
        Change::Update { was } => was
            .chunks(MOST_ROWS)
            .map(|was| Change::Update { was: was.to_vec() })
            .collect(),
        single @ (Change::Links { .. } | Change::Remove { .. } | Change::Rights { .. }) => vec![single],
    };
    let notification = pieces.into_iter().map(|change| TableChange {
        table: table.to_owned(),
        change,
    });
    let payloads: Vec<String> = notification
        .filter_map(|notification| serde_json::to_string(&notification).ok())
        .collect();
    sqlx::query("select pg_notify($1, payload) from unnest($2::text[]) payload")
        .bind(CHANNEL)
        .bind(payloads)
        .execute(executor)
        .await?;
    Ok(())
}

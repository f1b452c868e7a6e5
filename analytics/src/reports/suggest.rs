//! What a filter offers while its user types.

use clickhouse::Row;
use serde::Deserialize;
use vocabulary::Scope;

use super::{conditions, source};
use crate::filter::{Field, Filters};
use crate::statement::{Statement, Value};
use crate::{Client, Error};

/// A value that was seen.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct Suggestion {
    /// The value as it was seen.
    pub text: String,
    /// How often it was seen.
    pub views: u64,
}

/// What can be suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionKind {
    /// Words of terms.
    Keywords,
    /// Hosts of advertisers.
    Domains,
    /// Places that terms target.
    Regions,
}

/// The values of a kind (`subject`) with the most views of ads under the filters, at most `limit`, ordered by views, the most first, then by text.
/// Empty values are left out.
pub async fn values(
    client: &Client,
    scope: &Scope,
    subject: SuggestionKind,
    filters: &Filters,
    limit: u32,
) -> Result<Vec<Suggestion>, Error> {
    let field = match subject {
        SuggestionKind::Keywords => Field::KeywordContent,
        SuggestionKind::Domains => Field::Domain,
        SuggestionKind::Regions => Field::Region,
    };
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/suggestions.sql"))
        .fill("column", field.column())
        .restricted(conditions(scope, filters))
        .with("limit", Value::Unsigned(limit.into()));
    client.fetch_all(statement).await
}

/// The `limit` hosts of advertisers that a scope sees under the filters: those that begin with a text first, then the most seen.
pub async fn domains(
    client: &Client,
    scope: &Scope,
    filters: &Filters,
    beginning: &str,
    limit: u32,
) -> Result<Vec<Suggestion>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/found_domains.sql"));
    let statement = source::fill(client, statement, scope, filters, 1)
        .await?
        .with("beginning", Value::Text(beginning.to_lowercase()))
        .with("limit", Value::Unsigned(limit.into()));
    client.fetch_shared(statement).await
}

//! The peers that answer questions.

mod api;
mod duckdb;
mod engine;
mod postgres;
mod psql;

pub(crate) use api::{Api, unexpected};
pub(super) use duckdb::DuckDb;
pub(super) use engine::EngineSql;
pub(super) use postgres::Postgres;
pub(crate) use psql::{Psql, unexpected as unexpected_rows};

/// What results are compared by. Lists: rows, views and distinct ads in total; the portal: ads shown, their views, 0.
pub type Totals = [u64; 3];

/// Parses the first three numbers of the first row; zeros for an empty result, `None` when they are no numbers.
fn totals(reply: &str, separator: char) -> Option<Totals> {
    let Some(line) = reply.lines().next().filter(|line| !line.is_empty()) else {
        // The query found nothing.
        return Some([0; 3]);
    };
    let mut numbers = line
        .split(separator)
        .map(|field| if field.is_empty() { Some(0) } else { field.parse().ok() });
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

//! What must be known about a statement before it reaches the engine: whether data follow it, whether its output can be streamed, and in
//! which format.

mod insert;
mod lexer;
mod query;

pub(crate) use insert::Insert;
pub(crate) use query::Query;

use crate::exception::{ServerError, code};
use lexer::Lexer;

/// A statement, by how the server runs it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// An INSERT whose data follow its text.
    Insert(Insert),
    /// Anything else: its whole text goes to the engine.
    Query(Query),
}

/// Parses the start of a request's text; `is_whole` when nothing follows it. `None` when more of the text is needed: only an INSERT with data is
/// parsed before the text is whole. Fails when there is no statement, or one that is not allowed.
pub(crate) fn read(text: &[u8], is_whole: bool) -> Result<Option<Statement>, ServerError> {
    let Some(first) = Lexer::new(text).next() else {
        if !is_whole {
            return Ok(None);
        }
        let message = "The request holds no query";
        return Err(ServerError::new(code::THERE_IS_NO_QUERY, "THERE_IS_NO_QUERY", message));
    };
    if first.is_word(text, "INSERT")
        && let Some(insert) = insert::read(text, is_whole)?
    {
        return Ok(Some(Statement::Insert(insert)));
    }
    if !is_whole {
        return Ok(None);
    }
    query::read(text).map(|query| Some(Statement::Query(query)))
}

#[cfg(test)]
mod tests;

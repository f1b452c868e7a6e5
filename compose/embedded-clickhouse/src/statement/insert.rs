use super::lexer::{Kind, Lexer, Token};
use crate::exception::{ServerError, code};

/// An INSERT as the engine's insert call takes it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Insert {
    /// The statement without FORMAT or VALUES.
    pub(crate) head: Vec<u8>,
    /// The format of its data.
    pub(crate) format: String,
    /// Where the data start in the text that was read.
    pub(crate) data_at: usize,
}

/// Parses an INSERT up to its FORMAT or VALUES clause, where its data start. `None` when it has no such clause (`INSERT … SELECT`), or when the
/// clause may be in a part of the text that has not arrived yet. Fails for `FROM INFILE`.
pub(super) fn read(text: &[u8], is_whole: bool) -> Result<Option<Insert>, ServerError> {
    let mut names_the_table = false;
    let mut tokens = Lexer::new(text).filter(|token| token.depth == 0).peekable();
    while let Some(token) = tokens.next() {
        let ends_with_the_text = token.end == text.len() && !is_whole;
        if ends_with_the_text || token.kind == Kind::Symbol(b';') {
            return Ok(None);
        }
        // A table may be called `format` or `values`.
        if !names_the_table {
            if token.is_word(text, "VALUES") {
                let head = text[..token.start].to_vec();
                return Ok(Some(Insert {
                    head,
                    format: "Values".to_owned(),
                    data_at: token.end,
                }));
            }
            if token.is_word(text, "SELECT") || token.is_word(text, "WITH") || token.is_word(text, "WATCH") {
                return Ok(None);
            }
            if token.is_word(text, "FROM") && tokens.peek().is_some_and(|next| next.is_word(text, "INFILE")) {
                let message = "Query has infile and was send directly to server";
                return Err(ServerError::new(
                    code::UNKNOWN_TYPE_OF_QUERY,
                    "UNKNOWN_TYPE_OF_QUERY",
                    message,
                ));
            }
            if token.is_word(text, "FORMAT")
                && let Some(name) = tokens.peek().copied().filter(|next| next.kind == Kind::Word)
            {
                let is_cut = name.end == text.len() && !is_whole;
                return Ok((!is_cut).then(|| with_format(text, &token, &name)));
            }
        }
        names_the_table =
            token.is_word(text, "INTO") || token.is_word(text, "TABLE") || token.kind == Kind::Symbol(b'.');
    }
    Ok(None)
}

/// Builds an INSERT from the tokens of its FORMAT clause: the `keyword` and the format's `name`. Settings after the format become part of its head.
fn with_format(text: &[u8], keyword: &Token, name: &Token) -> Insert {
    let mut head = text[..keyword.start].to_vec();
    let settings_end = settings_after(text, name.end);
    if let Some(end) = settings_end {
        head.extend_from_slice(&text[name.end..end]);
    }
    Insert {
        head,
        format: String::from_utf8_lossy(&text[name.start..name.end]).into_owned(),
        data_at: start_of_data(text, settings_end.unwrap_or(name.end)),
    }
}

/// Returns where a `SETTINGS a = 1, b = 'x'` that begins at `at` ends; `None` when there is none, or it is malformed.
fn settings_after(text: &[u8], at: usize) -> Option<usize> {
    let mut tokens = Lexer::from(text, at);
    tokens.next().filter(|token| token.is_word(text, "SETTINGS"))?;
    loop {
        tokens.next().filter(|token| token.kind == Kind::Word)?;
        tokens.next().filter(|token| token.kind == Kind::Symbol(b'='))?;
        let mut value = tokens.next()?;
        if value.kind == Kind::Symbol(b'-') {
            value = tokens.next()?;
        }
        match Lexer::from(text, value.end).next() {
            Some(comma) if comma.kind == Kind::Symbol(b',') => tokens = Lexer::from(text, comma.end),
            _ => return Some(value.end),
        }
    }
}

/// Returns where the data start, by the server's rule: after `at`, the end of the clause, an optional `;`, spaces on the same line and one line break
/// belong to the statement.
fn start_of_data(text: &[u8], mut at: usize) -> usize {
    if text.get(at) == Some(&b';') {
        at += 1;
    }
    while matches!(text.get(at), Some(b' ' | b'\t' | 0x0c)) {
        at += 1;
    }
    if text.get(at) == Some(&b'\r') {
        at += 1;
    }
    if text.get(at) == Some(&b'\n') {
        at += 1;
    }
    at
}

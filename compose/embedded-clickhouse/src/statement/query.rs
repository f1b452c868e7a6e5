use super::lexer::{Kind, Lexer, Token};
use crate::exception::{ServerError, code};

/// A statement whose whole text goes to the engine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The format that the statement itself names.
    pub(crate) format: Option<String>,
    /// Whether it only reads rows, so that its output may be fetched in pieces and it may be cancelled.
    pub(crate) reads: bool,
    /// Whether its output has a footer (totals, extremes, an array's end) and so comes in one piece.
    pub(crate) has_foot: bool,
}

/// Returns the format's name when the tokens start with a FORMAT clause: the word FORMAT outside all brackets, a name, then the end, `;` or SETTINGS.
/// So a column called `format` is not taken for a clause.
fn format_at(text: &[u8], tokens: &[Token]) -> Option<String> {
    let [keyword, name, rest @ ..] = tokens else {
        return None;
    };
    let is_clause = keyword.depth == 0 && keyword.is_word(text, "FORMAT") && name.kind == Kind::Word;
    let is_last = rest
        .first()
        .is_none_or(|next| next.kind == Kind::Symbol(b';') || next.is_word(text, "SETTINGS"));
    (is_clause && is_last).then(|| String::from_utf8_lossy(&text[name.start..name.end]).into_owned())
}

/// Words that add a footer to an output, wherever they occur.
const FOOT_WORDS: [&str; 3] = ["TOTALS", "EXTREMES", "output_format_json_array_of_rows"];

/// Classifies a whole statement by its words; its syntax is not checked. The format is that of the last FORMAT clause, and it reads if its first word
/// is SELECT or WITH. Fails for several statements in one text and for INTO OUTFILE.
pub(super) fn read(text: &[u8]) -> Result<Query, ServerError> {
    let tokens: Vec<Token> = Lexer::new(text).collect();
    if let Some(end) = tokens.iter().position(|token| token.kind == Kind::Symbol(b';'))
        && tokens[end..].iter().any(|token| token.kind != Kind::Symbol(b';'))
    {
        let message = format!(
            "Syntax error (Multi-statements are not allowed): failed at position {}",
            tokens[end].start + 1
        );
        return Err(ServerError::new(code::SYNTAX_ERROR, "SYNTAX_ERROR", message));
    }
    let pairs = || {
        tokens
            .windows(2)
            .filter(|pair| pair[0].depth == 0 && pair[1].depth == 0)
    };
    if pairs().any(|pair| pair[0].is_word(text, "INTO") && pair[1].is_word(text, "OUTFILE")) {
        let message = "INTO OUTFILE is not allowed";
        return Err(ServerError::new(
            code::INTO_OUTFILE_NOT_ALLOWED,
            "INTO_OUTFILE_NOT_ALLOWED",
            message,
        ));
    }
    let format = (0..tokens.len()).rev().find_map(|at| format_at(text, &tokens[at..]));
    let first = tokens.iter().find(|token| token.kind != Kind::Symbol(b'('));
    Ok(Query {
        format,
        reads: first.is_some_and(|token| token.is_word(text, "SELECT") || token.is_word(text, "WITH")),
        has_foot: tokens
            .iter()
            .any(|token| FOOT_WORDS.iter().any(|word| token.is_word(text, word))),
    })
}

//! CSV as spreadsheets read it: UTF-8 with a byte-order mark, commas, RFC 4180.

use axum::body::{Body, Bytes};
use csv::{IntoInnerError, Terminator, Writer, WriterBuilder};
use futures::{Stream, StreamExt, stream};

use super::{Cell, PIECE, broken_off};
use crate::failure::ApiError;

/// The byte-order mark, by which Excel knows UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// What makes a spreadsheet take a text for a formula, the wide forms of Asian keyboards among it.
const FORMULAS: [char; 13] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '\0', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '|',
];

/// The same within a text, where blanks in front of it are passed over.
const SIGNS: [char; 9] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '|'];
/// What begins a cell where a spreadsheet takes semicolons or tabs for commas, as it does in half of Europe, whatever is quoted.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// A CSV file of these rows under their titles, written as they come. An error among the rows is logged and breaks the body off.
pub(super) fn body<R>(titles: Vec<String>, rows: R) -> Body
where
    R: Stream<Item = Result<Vec<Cell>, ApiError>> + Send + Unpin + 'static,
{
    Body::from_stream(file_pieces(titles, rows))
}

/// A cell as the text of CSV; texts are made safe against formulas.
fn csv_text(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => without_formulas(text),
        Cell::Number(text) | Cell::Time(text) => text,
    }
}

/// Puts an apostrophe before what a spreadsheet would take for a formula: at the start of the text, and after what it may take for the start of a
/// cell, blanks and quotes between them or not. What begins with apostrophes and then so gets one more, so that [`with_formulas`] knows what was there.
fn without_formulas(text: String) -> String {
    if !text.contains(FORMULAS) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 1);
    let mut begins_cell = true;
    for (place, letter) in text.char_indices() {
        if begins_cell && is_formula(&text[place..], place == 0) {
            safe.push('\'');
        }
        safe.push(letter);
        begins_cell = goes_on_beginning(begins_cell, letter);
    }
    safe
}

/// The text that [`without_formulas`] made this of; any other text as it is, but for the apostrophes that it would have put there.
pub(crate) fn with_formulas(safe: &str) -> String {
    let mut text = String::with_capacity(safe.len());
    let mut begins_cell = true;
    let mut letters = safe.char_indices();
    while let Some((place, mut letter)) = letters.next() {
        if begins_cell && letter == '\'' && is_formula(&safe[place..], place == 0) {
            // One apostrophe was put there, and a formula goes on after it.
            let Some((_, next)) = letters.next() else { break };
            letter = next;
        }
        text.push(letter);
        begins_cell = goes_on_beginning(begins_cell, letter);
    }
    text
}

/// Whether this is what a spreadsheet takes for a formula, after any apostrophes; more is one at the start of a text than within it.
fn is_formula(rest: &str, begins_text: bool) -> bool {
    let rest = rest.trim_start_matches('\'');
    if begins_text {
        rest.starts_with(FORMULAS)
    } else {
        rest.starts_with(SIGNS)
    }
}

/// Whether the letter after this one may be the first of a cell.
fn goes_on_beginning(begins_cell: bool, letter: char) -> bool {
    SEPARATORS.contains(&letter) || (begins_cell && (letter == '"' || letter.is_whitespace()))
}

/// The file in pieces of about [`PIECE`] bytes, after a first one of byte-order mark and titles. An error among the rows is logged and ends the
/// pieces with an error that does not name the cause.
fn file_pieces<R>(titles: Vec<String>, rows: R) -> impl Stream<Item = Result<Bytes, csv::Error>> + Send
where
    R: Stream<Item = Result<Vec<Cell>, ApiError>> + Send + Unpin + 'static,
{
    let head = stream::once(async move {
        let mut writer = csv_writer(MARK.to_vec());
        writer.write_record(titles)?;
        written_bytes(writer)
    });
    let body = stream::try_unfold(rows, |mut rows| async move {
        let mut writer = csv_writer(Vec::with_capacity(PIECE));
        while writer.get_ref().len() < PIECE {
            match rows.next().await {
                Some(Ok(row)) => writer.write_record(row.into_iter().map(csv_text))?,
                Some(Err(failure)) => {
                    failure.log();
                    return Err(broken_off().into());
                }
                None => break,
            }
        }
        let piece = written_bytes(writer)?;
        Ok((!piece.is_empty()).then_some((piece, rows)))
    });
    head.chain(body)
}

fn csv_writer(piece: Vec<u8>) -> Writer<Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::CRLF).from_writer(piece)
}

/// The bytes that a writer has written.
fn written_bytes(writer: Writer<Vec<u8>>) -> Result<Bytes, csv::Error> {
    let piece = writer.into_inner().map_err(IntoInnerError::into_error)?;
    Ok(Bytes::from(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn file(rows: Vec<Result<Vec<Cell>, ApiError>>) -> Vec<Result<Bytes, csv::Error>> {
        file_pieces(vec!["Domain".to_owned(), "Views".to_owned()], stream::iter(rows))
            .collect()
            .await
    }

    fn text(value: &str) -> Cell {
        Cell::Text(value.to_owned())
    }

    #[tokio::test]
    async fn a_file_begins_with_its_mark_and_quotes_what_needs_it() {
        let rows = vec![Ok(vec![text("a, \"b\"\r\nc"), Cell::number(&-3)])];
        let file: Vec<u8> = file(rows).await.into_iter().flat_map(|piece| piece.unwrap()).collect();
        let expected = "\u{feff}Domain,Views\r\n\"a, \"\"b\"\"\r\nc\",-3\r\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }

    #[test]
    fn a_text_never_becomes_a_formula() {
        for text in [
            "=1+1", "+1", "-1", "@sum", "\tx", "\rx", "\nx", "\0", "＝1", "＋1", "－1", "＠x", "|calc",
        ] {
            assert_eq!(csv_text(Cell::Text(text.to_owned())), format!("'{text}"));
        }
        assert_eq!(csv_text(text("a=b")), "a=b");
        assert_eq!(csv_text(Cell::number(&-1)), "-1");
    }

    /// The cells that a program with this separator sees in a line, as simply as such programs come.
    fn cells(line: &str, separator: char) -> Vec<String> {
        let bare = |cell: &str| cell.trim_start_matches(['"', ' ', '\t']).to_owned();
        line.split([separator, '\r', '\n']).map(bare).collect()
    }

    proptest::proptest! {
        #[test]
        fn no_cell_becomes_a_formula_whatever_separates_it(text in "[a;,\t\r\n\"' =+@|1-]{0,12}") {
            let line = csv_text(Cell::Text(text.clone()));
            for separator in [';', '\t'] {
                for cell in cells(&line, separator) {
                    proptest::prop_assert!(!cell.starts_with(SIGNS), "{text:?} became {line:?}");
                }
            }
            proptest::prop_assert_eq!(line.replace('\'', ""), text.replace('\'', ""));
        }

        #[test]
        fn what_was_made_safe_is_read_back_as_it_was(text in "[a;,\t\r\n\"' =+@|1-]{0,12}") {
            proptest::prop_assert_eq!(with_formulas(&csv_text(Cell::Text(text.clone()))), text);
        }
    }

    #[test]
    fn a_formula_behind_a_semicolon_is_text() {
        assert_eq!(
            csv_text(text("Soldes;=cmd|' /C calc'!A0")),
            "Soldes;'=cmd|' /C calc'!A0"
        );
        assert_eq!(csv_text(text("Soldes;\"=1+1\"")), "Soldes;\"'=1+1\"");
        assert_eq!(csv_text(text("Soldes - 20 %, +1")), "Soldes - 20 %, +1");
    }

    #[tokio::test]
    async fn long_files_go_in_pieces_and_a_failure_breaks_them_off() {
        let long = || Ok(vec![text(&"x".repeat(PIECE)), Cell::number(&1)]);
        let pieces = file(vec![long(), long(), Err(ApiError::TooManyResults), long()]).await;
        let are_ok: Vec<bool> = pieces.iter().map(Result::is_ok).collect();
        assert_eq!(are_ok, [true, true, true, false]);
    }
}

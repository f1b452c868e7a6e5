//! CSV as spreadsheets read it (decision D57): UTF-8 with its mark, commas, RFC 4180, written while the rows are found.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use csv::{Terminator, WriterBuilder};
use futures::{Stream, StreamExt, stream};

use crate::failure::Failure;
use crate::state::ApiState;

/// Tells Excel that the file is UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// A piece of the file is sent when it is so long. What a download needs of memory is a few of them.
const PIECE: usize = 64 << 10;
/// A failure that shows by then is answered as one; later, the download breaks off. The head of the file is sent at that time.
const TELLS_FAILURES: Duration = Duration::from_millis(300);
/// What makes a spreadsheet take a text for a formula, the wide forms of Asian keyboards among it.
const FORMULAS: [char; 13] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '\0', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '|',
];

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A text of somebody else: it never becomes a formula.
    Text(String),
    /// A figure or date of ours.
    Figure(String),
}

impl Cell {
    /// A figure.
    pub(crate) fn figure(value: &impl ToString) -> Self {
        Self::Figure(value.to_string())
    }

    fn written(self) -> String {
        match self {
            Self::Text(text) if text.starts_with(FORMULAS) => format!("'{text}"),
            Self::Text(text) | Self::Figure(text) => text,
        }
    }
}

/// Answers `name-YYYY-MM-DD.csv` with these titles and rows. At the limit of the settings the download breaks off, so that a part is never
/// taken for the whole.
pub(crate) async fn download(
    state: &ApiState,
    name: &str,
    titles: Vec<&'static str>,
    rows: impl Stream<Item = Result<Vec<Cell>, Failure>> + Send + 'static,
) -> Result<Response, Failure> {
    let most = usize::try_from(state.settings.monitoring.most_exported_rows).unwrap_or(usize::MAX);
    let rows = rows.enumerate().map(move |(number, row)| {
        if number < most {
            row
        } else {
            Err(Failure::TooManyResults)
        }
    });
    let mut rows = Box::pin(rows.peekable());
    let first = tokio::time::timeout(TELLS_FAILURES, rows.as_mut().peek()).await;
    if matches!(first, Ok(Some(Err(_))))
        && let Some(Err(failure)) = rows.next().await
    {
        return Err(failure);
    }
    let day = state.clock.now().with_timezone(&state.settings.time_zone).date_naive();
    let disposition = format!("attachment; filename=\"{name}-{day}.csv\"");
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/csv; charset=utf-8"),
        ),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_str(&disposition).map_err(Failure::internal)?,
        ),
    ];
    Ok((headers, Body::from_stream(pieces(titles, rows))).into_response())
}

fn pieces<R>(titles: Vec<&'static str>, rows: R) -> impl Stream<Item = Result<Bytes, csv::Error>> + Send
where
    R: Stream<Item = Result<Vec<Cell>, Failure>> + Send + Unpin + 'static,
{
    let head = stream::once(async move {
        let mut piece = MARK.to_vec();
        write(&mut piece, titles)?;
        Ok(Bytes::from(piece))
    });
    let body = stream::try_unfold(rows, |mut rows| async move {
        let mut piece = Vec::with_capacity(PIECE);
        while piece.len() < PIECE {
            match rows.next().await {
                Some(Ok(row)) => write(&mut piece, row.into_iter().map(Cell::written))?,
                Some(Err(failure)) => {
                    failure.log();
                    return Err(std::io::Error::other("the rows of the file broke off").into());
                }
                None => break,
            }
        }
        Ok((!piece.is_empty()).then(|| (Bytes::from(piece), rows)))
    });
    head.chain(body)
}

fn write<T: AsRef<[u8]>>(piece: &mut Vec<u8>, row: impl IntoIterator<Item = T>) -> Result<(), csv::Error> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(piece);
    writer.write_record(row)?;
    writer.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn file(rows: Vec<Result<Vec<Cell>, Failure>>) -> Vec<Result<Bytes, csv::Error>> {
        pieces(vec!["Domain", "Views"], stream::iter(rows)).collect().await
    }

    fn text(value: &str) -> Cell {
        Cell::Text(value.to_owned())
    }

    #[tokio::test]
    async fn a_file_begins_with_its_mark_and_quotes_what_needs_it() {
        let rows = vec![Ok(vec![text("a, \"b\"\r\nc"), Cell::figure(&-3)])];
        let file: Vec<u8> = file(rows).await.into_iter().flat_map(|piece| piece.unwrap()).collect();
        let expected = "\u{feff}Domain,Views\r\n\"a, \"\"b\"\"\r\nc\",-3\r\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }

    #[test]
    fn a_text_never_becomes_a_formula() {
        for text in [
            "=1+1", "+1", "-1", "@sum", "\t=1", "\r=1", "\n=1", "\0", "＝1", "＋1", "－1", "＠x", "|calc",
        ] {
            assert_eq!(Cell::Text(text.to_owned()).written(), format!("'{text}"));
        }
        assert_eq!(text("a=b").written(), "a=b");
        assert_eq!(Cell::figure(&-1).written(), "-1");
    }

    #[tokio::test]
    async fn long_files_go_in_pieces_and_a_failure_breaks_them_off() {
        let long = || Ok(vec![text(&"x".repeat(PIECE)), Cell::figure(&1)]);
        let pieces = file(vec![long(), long(), Err(Failure::TooManyResults), long()]).await;
        let kept: Vec<bool> = pieces.iter().map(Result::is_ok).collect();
        assert_eq!(kept, [true, true, true, false]);
    }
}

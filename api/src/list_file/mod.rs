//! Lists as files: rows are written while they are found, so a download needs the same memory however long it is.

mod csv;
mod titles;
mod xlsx;

pub(crate) use csv::with_formulas;
pub(crate) use titles::{language, titles};

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt, TryStreamExt, stream};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};

use crate::failure::ApiError;
use crate::lists;
use crate::state::ApiState;

/// A piece of the file is sent when it is so long. What a download needs of memory is a few of them.
const PIECE: usize = 64 << 10;
/// A failure within this time is answered as one; later, the download breaks off. The response begins at that time at the latest.
const TELLS_FAILURES: Duration = Duration::from_millis(300);

/// The value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A text of somebody else: it never becomes a formula.
    Text(String),
    /// A number of ours, written with a point; empty where it is not known.
    Number(String),
    /// An instant in ISO 8601; empty where there is none.
    Time(String),
}

impl Cell {
    /// A number of ours in its usual notation.
    pub(crate) fn number(value: &impl ToString) -> Self {
        Self::Number(value.to_string())
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Xlsx,
}

/// How a file is asked for.
pub(crate) struct FileParams;

impl IntoParams for FileParams {
    /// The parameters of a query that every file takes, all optional: `access_token`, `format` and `lng`.
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![
            lists::parameter(
                "access_token",
                "A ticket of POST /exportTickets for this link.",
                lists::text(),
            ),
            lists::parameter("format", "csv (default) or xlsx.", lists::text()),
            lists::parameter("lng", "Language of the titles: en (default) or fr.", lists::text()),
        ]
    }
}

impl Format {
    /// The format that the pair `format` of a query names, `csv` or `xlsx`; CSV without one, a `BadRequest` for any other.
    fn from_query(pairs: &[(String, String)]) -> Result<Self, ApiError> {
        let named = pairs.iter().find(|(key, _)| key == "format");
        match named.map(|(_, name)| name.as_str()) {
            None | Some("csv") => Ok(Self::Csv),
            Some("xlsx") => Ok(Self::Xlsx),
            Some(_) => Err(ApiError::BadRequest("format: it is csv or xlsx".to_owned())),
        }
    }

    const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }

    const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Xlsx => xlsx::MEDIA_TYPE,
        }
    }
}

/// Rows of a file that are looked up together: with the pieces on their way, all that a download holds in memory.
const LOOKED_UP_TOGETHER: usize = 1_000;

/// Turns a stream of rows into one of their cells: `look_up` is called with up to [`LOOKED_UP_TOGETHER`] rows at a time and returns the cells of
/// each, in the same order. An error among the rows takes the place of those collected since the last call.
pub(crate) fn look_up_cells<T, E, F>(
    found: impl Stream<Item = Result<T, E>>,
    look_up: impl FnMut(Vec<T>) -> F,
) -> impl Stream<Item = Result<Vec<Cell>, ApiError>>
where
    ApiError: From<E>,
    F: Future<Output = Result<Vec<Vec<Cell>>, ApiError>>,
{
    found
        .map_err(ApiError::from)
        .try_chunks(LOOKED_UP_TOGETHER)
        .map_err(|error| error.1)
        .and_then(look_up)
        .map_ok(|rows| stream::iter(rows).map(Ok))
        .try_flatten()
}

/// Answers the file `name-YYYY-MM-DD.csv`, or `.xlsx` where the query says `format=xlsx`: titles, `rows`, then the rows of `end`, filled up to the
/// same width. The day is that of the settings' time zone. A failure within [`TELLS_FAILURES`] is answered; a later one, or more rows than the
/// settings allow, breaks the download off, so that a part is never taken for the whole.
pub(crate) async fn download(
    state: &ApiState,
    pairs: &[(String, String)],
    name: &str,
    titles: Vec<String>,
    rows: impl Stream<Item = Result<Vec<Cell>, ApiError>> + Send + 'static,
    end: impl Stream<Item = Result<Vec<Cell>, ApiError>> + Send + 'static,
) -> Result<Response, ApiError> {
    let format = Format::from_query(pairs)?;
    let columns = titles.len();
    let end = end.map_ok(move |mut row| {
        row.resize(columns, Cell::Text(String::new()));
        row
    });
    let most = usize::try_from(state.settings.monitoring.most_exported_rows).unwrap_or(usize::MAX);
    let mut rows = Box::pin(up_to(most, rows).chain(end).peekable());
    let first = tokio::time::timeout(TELLS_FAILURES, rows.as_mut().peek()).await;
    if matches!(first, Ok(Some(Err(_))))
        && let Some(Err(failure)) = rows.next().await
    {
        return Err(failure);
    }
    let zone = state.settings.time_zone;
    let day = state.clock.now().with_timezone(&zone).date_naive();
    let disposition = format!("attachment; filename=\"{name}-{day}.{}\"", format.ending());
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(format.media_type())),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_str(&disposition).map_err(ApiError::internal)?,
        ),
    ];
    let body = match format {
        Format::Csv => csv::body(titles, rows),
        Format::Xlsx => xlsx::body(titles, rows, zone),
    };
    Ok((headers, body).into_response())
}

/// The first `most` rows; each row after them is replaced by the error `TooManyResults`.
fn up_to(
    most: usize,
    rows: impl Stream<Item = Result<Vec<Cell>, ApiError>>,
) -> impl Stream<Item = Result<Vec<Cell>, ApiError>> {
    rows.enumerate().map(move |(number, row)| {
        if number < most {
            row
        } else {
            Err(ApiError::TooManyResults)
        }
    })
}

/// The failure of a download that has begun, without its cause.
fn broken_off() -> std::io::Error {
    std::io::Error::other("the rows of the file broke off")
}

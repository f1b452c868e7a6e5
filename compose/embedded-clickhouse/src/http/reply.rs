//! The reply to a query, sent while it is produced.

use std::convert::Infallible;
use std::io;
use std::time::Instant;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::{CancelOnDrop, QueryRequest};
use crate::chdb::Totals;
use crate::compression::{Encoder, Encoding};
use crate::engine::Engine;
use crate::exception::ServerError;
use crate::format;

/// Pieces of a response buffered for a slow client.
const WAITING_PIECES: usize = 2;
/// Delimiter of an exception in the middle of a response.
const MARK: &str = "__exception__";

/// Why a statement stopped early.
pub(crate) enum StopReason {
    /// The statement failed.
    Failed(ServerError),
    /// The client disconnected.
    Gone,
}

impl<E: Into<ServerError>> From<E> for StopReason {
    /// Every error is a failure of the statement, never [`Self::Gone`].
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// The status and headers of a response.
struct Head {
    status: u16,
    format: Option<String>,
    encoding: Encoding,
    exception_code: Option<i32>,
    summary: String,
    tag: String,
}

/// A message from the thread that runs the statement to the handler.
enum ReplyChunk {
    Data(Bytes),
    /// The response is complete; without this, the connection is broken so that no client takes a part for the whole.
    End,
}

/// The worker's end: compresses and sends output.
pub(crate) struct Reply {
    head: Option<oneshot::Sender<Head>>,
    pieces: mpsc::Sender<ReplyChunk>,
    /// Output buffered until the head is sent, so that a failure can still set the status.
    buffer: Vec<Bytes>,
    buffered_bytes: usize,
    /// The head is sent once the buffer exceeds this.
    buffer_limit: usize,
    encoder: Encoder,
    encoding: Encoding,
    format: Option<String>,
    tag: String,
    version: String,
    started: Instant,
}

/// The handler's end: turns output into a response.
pub(super) struct ReplyReceiver {
    head: oneshot::Receiver<Head>,
    pieces: mpsc::Receiver<ReplyChunk>,
}

impl Reply {
    /// Creates both ends of a response: one for the thread that runs the statement, one for the handler. Output is buffered up to the query's size,
    /// or whole if it waits for the end. Of `engine` only the version is kept, for the texts of errors.
    pub(super) fn new(query: &QueryRequest, engine: &Engine) -> Result<(Self, ReplyReceiver), ServerError> {
        let (head_sender, head) = oneshot::channel();
        let (piece_sender, pieces) = mpsc::channel(WAITING_PIECES);
        let reply = Self {
            head: Some(head_sender),
            pieces: piece_sender,
            buffer: Vec::new(),
            buffered_bytes: 0,
            buffer_limit: if query.waits_for_the_end {
                usize::MAX
            } else {
                query.buffer_size
            },
            encoder: Encoder::new(query.response_encoding)?,
            encoding: query.response_encoding,
            format: None,
            tag: draw_tag(),
            version: engine.version.clone(),
            started: Instant::now(),
        };
        Ok((reply, ReplyReceiver { head, pieces }))
    }

    /// Sets the format of the output that follows.
    pub(crate) fn set_format(&mut self, format: &str) {
        self.format = Some(format.to_owned());
    }

    /// Sends a piece of output, compressed; `totals` covers the statement so far. Pieces are buffered until the response starts; blocks while the
    /// client is behind. Fails with [`StopReason::Gone`] when the client has disconnected.
    pub(crate) fn write(&mut self, piece: Bytes, totals: Totals) -> Result<(), StopReason> {
        let piece = if self.encoder.is_identity() {
            piece
        } else {
            self.encoder.encode(&piece)?.into()
        };
        if self.head.is_none() {
            return self.send(piece);
        }
        self.buffered_bytes += piece.len();
        self.buffer.push(piece);
        if self.buffered_bytes > self.buffer_limit {
            self.send_head(totals)
        } else {
            Ok(())
        }
    }

    /// Sends what is still buffered, ends the compressed output and the response; `totals` covers the whole statement. A client that has disconnected
    /// is no error.
    pub(crate) fn finish(mut self, totals: Totals) {
        let encoder = std::mem::replace(&mut self.encoder, Encoder::Identity);
        if self.send_head(totals).is_ok()
            && let Ok(rest) = encoder.finish()
            && self.send(rest.into()).is_ok()
        {
            // A client that is gone needs no end.
            let _ = self.pieces.blocking_send(ReplyChunk::End);
        }
    }

    /// Reports a failure to the client: by its status and text, dropping buffered output, if the response has not started; else after what was sent,
    /// breaking the connection.
    pub(crate) fn fail(mut self, error: &ServerError) {
        let text = error.text(&self.version) + "\n";
        let Some(sender) = self.head.take() else {
            self.fail_in_the_middle(&text);
            return;
        };
        let head = Head {
            status: error.status(),
            format: None,
            encoding: Encoding::Identity,
            exception_code: Some(error.code),
            summary: self.summary(Totals::default()),
            tag: self.tag.clone(),
        };
        if sender.send(head).is_ok() && self.send(text.into()).is_ok() {
            // As in `finish`.
            let _ = self.pieces.blocking_send(ReplyChunk::End);
        }
    }

    /// Sends a failure after output that was already sent, in ClickHouse's form between two marks, and drops the reply without its end, so that the
    /// client sees it as broken.
    fn fail_in_the_middle(mut self, text: &str) {
        let tag = &self.tag;
        let tail = format!(
            "\r\n{MARK}\r\n{tag}\r\n{text}{length} {tag}\r\n{MARK}\r\n",
            length = text.len()
        );
        let mut encoder = std::mem::replace(&mut self.encoder, Encoder::Identity);
        let tail = encoder.encode(tail.as_bytes()).and_then(|mut tail| {
            tail.extend(encoder.finish()?);
            Ok(tail)
        });
        if let Ok(tail) = tail {
            // No end follows, whether or not the client is still there.
            let _ = self.send(tail.into());
        }
    }

    /// Sends the head, with status 200 and these totals, and the buffered output; does nothing if a head was already sent. Fails with
    /// [`StopReason::Gone`].
    fn send_head(&mut self, totals: Totals) -> Result<(), StopReason> {
        let Some(sender) = self.head.take() else { return Ok(()) };
        let head = Head {
            status: StatusCode::OK.as_u16(),
            format: self.format.take(),
            encoding: self.encoding,
            exception_code: None,
            summary: self.summary(totals),
            tag: self.tag.clone(),
        };
        sender.send(head).map_err(|_| StopReason::Gone)?;
        std::mem::take(&mut self.buffer)
            .into_iter()
            .try_for_each(|piece| self.send(piece))
    }

    /// Sends bytes, which are already compressed, unless there are none; blocks while the client is behind. Fails with [`StopReason::Gone`].
    fn send(&self, piece: Bytes) -> Result<(), StopReason> {
        if piece.is_empty() {
            return Ok(());
        }
        self.pieces
            .blocking_send(ReplyChunk::Data(piece))
            .map_err(|_| StopReason::Gone)
    }

    /// Builds the JSON of the header `X-ClickHouse-Summary`, with the time since the start; its numbers are texts.
    fn summary(&self, totals: Totals) -> String {
        format!(
            concat!(
                r#"{{"read_rows":"{}","read_bytes":"{}","written_rows":"{}","written_bytes":"{}","#,
                r#""total_rows_to_read":"0","result_rows":"{}","result_bytes":"{}","elapsed_ns":"{}"}}"#
            ),
            totals.read_rows,
            totals.read_bytes,
            totals.written_rows,
            totals.written_bytes,
            totals.result_rows,
            totals.result_bytes,
            self.started.elapsed().as_nanos()
        )
    }
}

impl ReplyReceiver {
    /// Waits until the response starts and returns it; an error response when the thread ends without one. A statement that fails later breaks the
    /// body off. Dropping the body early drops `guard`, which cancels the statement.
    pub(super) async fn response(self, engine: &Engine, id: &str, guard: CancelOnDrop) -> Response {
        let Ok(head) = self.head.await else {
            return error_response(
                engine,
                &ServerError::unknown("The statement's thread ended without an answer"),
            );
        };
        let body = Body::from_stream(stream::unfold(Some((self.pieces, guard)), |state| async {
            let (mut pieces, guard) = state?;
            match pieces.recv().await {
                Some(ReplyChunk::Data(piece)) => Some((Ok(piece), Some((pieces, guard)))),
                Some(ReplyChunk::End) => None,
                None => {
                    // Lets the server write out what came before the connection breaks.
                    tokio::task::yield_now().await;
                    Some((
                        Err(io::Error::other("the statement failed in the middle of its answer")),
                        None,
                    ))
                }
            }
        }));
        let mut response = Response::new(body);
        fill_head(&mut response, engine, &head, id);
        response
    }
}

/// Builds the error response to a request that fails before its statement runs: the status and code of the error, its text as the body.
pub(super) fn error_response(engine: &Engine, error: &ServerError) -> Response {
    let head = Head {
        status: error.status(),
        format: None,
        encoding: Encoding::Identity,
        exception_code: Some(error.code),
        summary: String::new(),
        tag: draw_tag(),
    };
    let text = error.text(&engine.version) + "\n";
    let mut response = Response::new(Body::from_stream(stream::once(async { Ok::<_, Infallible>(text) })));
    fill_head(&mut response, engine, &head, "");
    response
}

/// Sets a response's status and ClickHouse's headers, without those that are empty or that no header can hold; `id` is the query id.
fn fill_head(response: &mut Response, engine: &Engine, head: &Head, id: &str) {
    *response.status_mut() = StatusCode::from_u16(head.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = head
        .format
        .as_deref()
        .map_or("text/plain; charset=UTF-8", format::content_type);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(encoding) = head.encoding.name() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    let code = head.exception_code.map(|code| code.to_string());
    for (name, value) in [
        ("x-clickhouse-server-display-name", "embedded"),
        ("x-clickhouse-query-id", id),
        ("x-clickhouse-timezone", &engine.timezone),
        ("x-clickhouse-format", head.format.as_deref().unwrap_or_default()),
        ("x-clickhouse-summary", &head.summary),
        ("x-clickhouse-exception-code", code.as_deref().unwrap_or_default()),
        ("x-clickhouse-exception-tag", &head.tag),
    ] {
        // A value that no header can hold (a query id with line breaks) is left out.
        if let (false, Ok(value)) = (value.is_empty(), HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
}

/// Draws sixteen random letters, so that no row can be mistaken for the delimiter of an exception.
fn draw_tag() -> String {
    Uuid::new_v4()
        .as_bytes()
        .iter()
        .map(|byte| char::from(b'a' + byte % 26))
        .collect()
}

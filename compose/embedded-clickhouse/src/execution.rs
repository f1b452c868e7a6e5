//! Runs one request's statement on its own thread.

use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use crate::body::BodyReader;
use crate::chdb::{Connection, Progress};
use crate::compression::{Encoding, decoder};
use crate::exception::{ServerError, code};
use crate::format::{self, Head};
use crate::http::{QueryRequest, Reply, StopReason};
use crate::sql;
use crate::state::ServerState;
use crate::statement::{self, Insert, Query, Statement};

/// Bytes of a request's text read before its statement is parsed again, and size of the pieces of its data.
const PIECE: usize = 256 << 10;
/// The longest statement, without the data of an INSERT.
const LONGEST_STATEMENT: usize = 64 << 20;

/// Runs the statement and sends the response. `reads` is set while the statement only reads, and so may be cancelled.
pub(crate) fn run(state: &ServerState, request: &QueryRequest, body: BodyReader, mut reply: Reply, reads: &AtomicBool) {
    let outcome = execute(state, request, body, &mut reply, reads);
    reads.store(false, Ordering::Release);
    match outcome {
        Ok(progress) => reply.finish(progress),
        Err(StopReason::Failed(exception)) => {
            tracing::debug!(query_id = request.id, %exception, "statement failed");
            reply.fail(&exception);
        }
        Err(StopReason::Gone) => tracing::debug!(query_id = request.id, "the client went away"),
    }
}

fn execute(
    state: &ServerState,
    request: &QueryRequest,
    body: BodyReader,
    reply: &mut Reply,
    reads: &AtomicBool,
) -> Result<Progress, StopReason> {
    let mut body = decoder(request.body_encoding, body)?;
    if request.body_has_blocks {
        body = decoder(Encoding::Blocks, body)?;
    }
    let mut start = request.query.clone();
    if !start.is_empty() {
        start.push(b'\n');
    }
    let mut source = Cursor::new(start).chain(body);
    let (text, statement) = read_statement(&mut source)?;

    let mut lease = state.sessions.lend(&state.engine, request.session.as_ref())?;
    let connection = lease.connection()?;
    prepare(connection, request)?;
    let outcome = match statement {
        Statement::Insert(insert) => store(connection, request, &insert, &text[insert.data_at..], &mut source),
        Statement::Query(query) => {
            reads.store(query.reads, Ordering::Release);
            send_output(connection, request, &query, &text, reply)
        }
    };
    if request.session.is_some() && (request.is_read_only || outcome.is_err() || reset(connection, request).is_err()) {
        lease.discard();
    }
    outcome
}

/// Reads as much of the text as is needed to parse the statement.
fn read_statement(source: &mut impl Read) -> Result<(Vec<u8>, Statement), ServerError> {
    let mut text = Vec::new();
    let mut limit = PIECE;
    loop {
        let missing = limit - text.len();
        let is_whole = source.by_ref().take(missing as u64).read_to_end(&mut text)? < missing;
        if let Some(statement) = statement::read(&text, is_whole)? {
            return Ok((text, statement));
        }
        if limit >= LONGEST_STATEMENT {
            let message = format!("The statement is longer than {LONGEST_STATEMENT} bytes");
            return Err(ServerError::new(
                code::QUERY_IS_TOO_LARGE,
                "QUERY_IS_TOO_LARGE",
                message,
            ));
        }
        limit *= 2;
    }
}

/// Applies the request's database and settings to the connection, so that the engine reports wrong ones.
fn prepare(connection: &mut Connection, request: &QueryRequest) -> Result<(), ServerError> {
    let mut text = String::new();
    if let Some(database) = &request.database {
        text = format!("USE {}; ", sql::name(database));
    }
    text.push_str("SET log_comment = ");
    text.push_str(&sql::text(&request.id));
    for (name, value) in &request.settings {
        text.extend([", ", name, " = ", &sql::text(value)]);
    }
    if request.is_read_only && !request.settings.iter().any(|(name, _)| name == "readonly") {
        text.push_str(", readonly = 2");
    }
    connection.query(text.as_bytes(), "Null", &[])?;
    Ok(())
}

/// Resets the request's settings on a session's connection.
fn reset(connection: &mut Connection, request: &QueryRequest) -> Result<(), ServerError> {
    let names = std::iter::once("log_comment").chain(request.settings.iter().map(|(name, _)| name.as_str()));
    let text = names
        .map(|name| format!("{name} = DEFAULT"))
        .collect::<Vec<_>>()
        .join(", ");
    connection.query(format!("SET {text}").as_bytes(), "Null", &[])?;
    Ok(())
}

/// Streams the data of an INSERT into the engine. If they end too early, the INSERT is cancelled.
fn store(
    connection: &mut Connection,
    request: &QueryRequest,
    insert: &Insert,
    first: &[u8],
    rest: &mut impl Read,
) -> Result<Progress, StopReason> {
    let mut stream = connection.insert(&insert.head, &insert.format, &request.parameters)?;
    let mut takes_more = first.is_empty() || stream.append(first);
    let mut piece = Vec::with_capacity(PIECE);
    while takes_more {
        piece.clear();
        if rest.by_ref().take(PIECE as u64).read_to_end(&mut piece)? == 0 {
            break;
        }
        takes_more = stream.append(&piece);
    }
    Ok(stream.finish()?.progress())
}

/// Sends the output of a statement: in pieces where its format allows it, else once it is complete.
fn send_output(
    connection: &mut Connection,
    request: &QueryRequest,
    query: &Query,
    text: &[u8],
    reply: &mut Reply,
) -> Result<Progress, StopReason> {
    let format = query.format.as_deref().unwrap_or(&request.format);
    reply.set_format(format);
    let sets_a_foot = request
        .settings
        .iter()
        .any(|(name, _)| name == "extremes" || name == "output_format_json_array_of_rows");
    if query.reads
        && !query.has_foot
        && !sets_a_foot
        && let Some(head) = format::head_of(format)
    {
        match stream(connection, request, text, head, reply) {
            Err(StopReason::Failed(exception)) if exception.is_not_streamable() => {}
            outcome => return outcome,
        }
    }
    let output = connection.query(text, &request.format, &request.parameters)?;
    let progress = output.progress();
    reply.write(Bytes::from_owner(output), progress)?;
    Ok(progress)
}

fn stream(
    connection: &mut Connection,
    request: &QueryRequest,
    text: &[u8],
    head: Head,
    reply: &mut Reply,
) -> Result<Progress, StopReason> {
    let mut rows = connection.stream(text, &request.format, &request.parameters)?;
    let mut progress = Progress::default();
    let mut repeated: Option<Bytes> = None;
    while let Some(output) = rows.next()? {
        progress += output.progress();
        let mut piece = Bytes::from_owner(output);
        match &repeated {
            Some(repeated) if piece.starts_with(repeated) => piece = piece.slice(repeated.len()..),
            Some(_) => {}
            None => repeated = Some(piece.slice(..head.length(&piece).unwrap_or_default())),
        }
        reply.write(piece, progress)?;
    }
    Ok(progress)
}

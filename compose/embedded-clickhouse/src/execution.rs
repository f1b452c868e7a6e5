//! Runs one request's statement on its own thread.

use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use crate::body::BodyReader;
use crate::chdb::{Connection, Totals};
use crate::compression::{Encoding, decoder};
use crate::exception::{ServerError, code};
use crate::format::{self, RepeatedHeader};
use crate::http::{QueryRequest, Reply, StopReason};
use crate::sql;
use crate::state::ServerState;
use crate::statement::{self, Insert, Query, Statement};

/// Bytes of a request's text read before its statement is parsed again, and size of the pieces of its data.
const PIECE: usize = 256 << 10;
/// The longest statement, without the data of an INSERT.
const LONGEST_STATEMENT: usize = 64 << 20;

/// Runs the request's statement and sends the response or the failure; only logs when the client has disconnected. `reads` is set while the statement
/// only reads, and so may be cancelled. Blocks until the end.
pub(crate) fn run(state: &ServerState, request: &QueryRequest, body: BodyReader, mut reply: Reply, reads: &AtomicBool) {
    let outcome = execute(state, request, body, &mut reply, reads);
    reads.store(false, Ordering::Release);
    match outcome {
        Ok(totals) => reply.finish(totals),
        Err(StopReason::Failed(exception)) => {
            tracing::debug!(query_id = request.id, %exception, "statement failed");
            reply.fail(&exception);
        }
        Err(StopReason::Gone) => tracing::debug!(query_id = request.id, "the client went away"),
    }
}

/// Reads the statement from the request and its decoded body, runs it on the session's connection or a new one and sends its output, but not the end
/// of the response; returns the totals. Sets `reads` if the statement only reads. The session ends after a statement that failed or a read-only
/// request.
fn execute(
    state: &ServerState,
    request: &QueryRequest,
    body: BodyReader,
    reply: &mut Reply,
    reads: &AtomicBool,
) -> Result<Totals, StopReason> {
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
    // A failed preparation may have changed the database or a setting: it ends the session as a failed statement does.
    let outcome = match (prepare_connection(connection, request), statement) {
        (Err(error), _) => Err(error.into()),
        (Ok(()), Statement::Insert(insert)) => {
            run_insert(connection, request, &insert, &text[insert.data_at..], &mut source)
        }
        (Ok(()), Statement::Query(query)) => {
            reads.store(query.reads, Ordering::Release);
            send_output(connection, request, &query, &text, reply)
        }
    };
    if request.session.is_some()
        && (request.is_read_only || outcome.is_err() || reset_connection(connection, request).is_err())
    {
        lease.discard();
    }
    outcome
}

/// Reads as much of the text as is needed to parse the statement; returns that text, whose rest may be data, and the statement. Fails for none, one
/// that is not allowed, and one longer than [`LONGEST_STATEMENT`].
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

/// Applies the request's database, query id (as the log comment) and settings to the connection; a read-only request gets `readonly = 2` unless it
/// sets `readonly`. Fails when the engine refuses one.
fn prepare_connection(connection: &mut Connection, request: &QueryRequest) -> Result<(), ServerError> {
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

/// Sets the log comment and the settings that the request made on a session's connection back to their defaults; the database stays.
fn reset_connection(connection: &mut Connection, request: &QueryRequest) -> Result<(), ServerError> {
    let names = std::iter::once("log_comment").chain(request.settings.iter().map(|(name, _)| name.as_str()));
    let text = names
        .map(|name| format!("{name} = DEFAULT"))
        .collect::<Vec<_>>()
        .join(", ");
    connection.query(format!("SET {text}").as_bytes(), "Null", &[])?;
    Ok(())
}

/// Runs an INSERT with its data, `first` and then all of `rest`; returns its totals. Stops reading once the engine fails, with the engine's error;
/// when reading fails, the INSERT is cancelled.
fn run_insert(
    connection: &mut Connection,
    request: &QueryRequest,
    insert: &Insert,
    first: &[u8],
    rest: &mut impl Read,
) -> Result<Totals, StopReason> {
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
    Ok(stream.finish()?.totals())
}

/// Runs a statement and sends its output, in pieces where its format allows it and the engine agrees, else once it is complete; returns the totals.
/// The response is not ended.
fn send_output(
    connection: &mut Connection,
    request: &QueryRequest,
    query: &Query,
    text: &[u8],
    reply: &mut Reply,
) -> Result<Totals, StopReason> {
    let format = query.format.as_deref().unwrap_or(&request.format);
    reply.set_format(format);
    let sets_a_foot = request
        .settings
        .iter()
        .any(|(name, _)| name == "extremes" || name == "output_format_json_array_of_rows");
    if query.reads
        && !query.has_foot
        && !sets_a_foot
        && let Some(header) = format::repeated_header(format)
    {
        match run_select(connection, request, text, header, reply) {
            Err(StopReason::Failed(exception)) if exception.is_not_streamable() => {}
            outcome => return outcome,
        }
    }
    let output = connection.query(text, &request.format, &request.parameters)?;
    let totals = output.totals();
    reply.write(Bytes::from_owner(output), totals)?;
    Ok(totals)
}

/// Runs a SELECT and sends its output in pieces, without the header that each piece after the first repeats; returns the totals. An engine that
/// refuses to stream fails before anything is sent.
fn run_select(
    connection: &mut Connection,
    request: &QueryRequest,
    text: &[u8],
    header: RepeatedHeader,
    reply: &mut Reply,
) -> Result<Totals, StopReason> {
    let mut rows = connection.stream(text, &request.format, &request.parameters)?;
    let mut totals = Totals::default();
    let mut repeated: Option<Bytes> = None;
    while let Some(output) = rows.next()? {
        totals += output.totals();
        let mut piece = Bytes::from_owner(output);
        match &repeated {
            Some(repeated) if piece.starts_with(repeated) => piece = piece.slice(repeated.len()..),
            Some(_) => {}
            None => repeated = Some(piece.slice(..header.length(&piece).unwrap_or_default())),
        }
        reply.write(piece, totals)?;
    }
    Ok(totals)
}

//! Between a process and PostgreSQL: knows each write before it is made, and when it was made.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::unix::OwnedReadHalf as UnixReadHalf;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::mpsc;

use super::link::{self, LinkState};
use super::statements;
use crate::listener::serve_each;
use crate::part::Part;
use crate::trap::Trap;

/// Of either direction, so much waits for the other side.
const WAITING: usize = 64;
/// The server has answered everything and waits; the next byte is the state of the transaction.
const READY: u8 = b'Z';
const IDLE: u8 = b'I';
/// A statement was carried out.
const DONE: u8 = b'C';

/// What one process may do to the ledger.
#[derive(Clone)]
pub struct LedgerRelay {
    /// The server's socket.
    pub socket: PathBuf,
    pub part: Arc<Part>,
    pub trap: Arc<Trap>,
    pub link_state: LinkState,
}

/// Messages up to one that the server answers, and the statements that they execute.
struct Request {
    bytes: Vec<u8>,
    statements: Vec<String>,
}

impl LedgerRelay {
    /// Listens on a port of loopback, which it returns.
    pub async fn listen(self) -> u16 {
        serve_each(move |connection| self.clone().serve(connection)).await
    }

    async fn serve(mut self, client: TcpStream) -> std::io::Result<()> {
        if !link::lets_through(&mut self.link_state).await {
            return Ok(());
        }
        client.set_nodelay(true)?;
        let (mut from_client, mut to_client) = client.into_split();
        let (from_server, mut to_server) = UnixStream::connect(&self.socket).await?.into_split();
        to_server.write_all(&start_of(&mut from_client).await?).await?;
        let (mut requests, mut answers) = (read_requests(from_client), read_answers(from_server));

        let breaks = link::breaks(self.link_state.clone());
        tokio::pin!(breaks);
        let (mut transaction, mut asked) = (Transaction::default(), VecDeque::new());
        loop {
            tokio::select! {
                () = &mut breaks => return Ok(()),
                answer = answers.recv() => {
                    let Some(answer) = answer else { return Ok(()) };
                    transaction.hear(&answer);
                    if answer[0] == READY
                        && let Some(Some(moment)) = asked.pop_front()
                        && transaction.take_has_written()
                    {
                        self.trap.note(moment);
                    }
                    to_client.write_all(&answer).await?;
                }
                request = requests.recv() => {
                    let Some(request) = request else { return Ok(()) };
                    self.part.listen(&request.bytes);
                    if !link::lets_through(&mut self.link_state).await {
                        return Ok(());
                    }
                    let moment = transaction.moment(&request.statements);
                    let moment = moment.map(|moment| format!("{}: {moment}", self.kind()));
                    let effect = moment.as_ref().and_then(|moment| self.trap.spring(moment));
                    let (Some(moment), Some(effect)) = (&moment, effect) else {
                        asked.push_back(moment);
                        to_server.write_all(&request.bytes).await?;
                        continue;
                    };
                    if effect.is_after() {
                        to_server.write_all(&request.bytes).await?;
                        let mut held = Vec::new();
                        while let Some(answer) = answers.recv().await {
                            transaction.hear(&answer);
                            let is_last = answer[0] == READY;
                            held.extend(answer);
                            if is_last {
                                break;
                            }
                        }
                        // There was nothing to do: the next time there may be.
                        if !transaction.take_has_written() {
                            self.trap.arm(moment, effect);
                            to_client.write_all(&held).await?;
                            continue;
                        }
                    }
                    if effect.kills() {
                        self.part.kill();
                    }
                    return Ok(());
                }
            }
        }
    }

    /// The subcommand of the process: all that run it do the same.
    fn kind(&self) -> &str {
        self.part.name.split(' ').next().unwrap_or_default()
    }
}

/// What a connection is writing.
#[derive(Default)]
struct Transaction {
    is_open: bool,
    /// The statements that write since it began.
    written: Vec<String>,
    /// Whether they have changed a row. Many only look whether there is something to do.
    has_written: bool,
}

impl Transaction {
    /// The write that becomes visible with these statements, if any.
    fn moment(&mut self, executed: &[String]) -> Option<String> {
        let new = executed.iter().filter(|statement| statements::writes(statement));
        if !self.is_open {
            self.written = new.cloned().collect();
            self.has_written = false;
            return (!self.written.is_empty()).then(|| statements::name(&self.written));
        }
        self.written.extend(new.cloned());
        let is_commit = executed
            .iter()
            .any(|statement| statement.trim().eq_ignore_ascii_case("commit"));
        (is_commit && !self.written.is_empty()).then(|| format!("commit of {}", statements::name(&self.written)))
    }

    /// Learns from what the server says.
    fn hear(&mut self, answer: &[u8]) {
        match answer[0] {
            // Ends with the number of rows, as in `UPDATE 2`. What only reads has no moment.
            DONE => {
                let words = text(&answer[5..]).0;
                let rows = words.rsplit(' ').next().and_then(|rows| rows.parse::<u64>().ok());
                self.has_written |= !self.written.is_empty() && rows.is_some_and(|rows| rows > 0);
            }
            READY => self.is_open = answer[5] != IDLE,
            _ => {}
        }
    }

    /// Whether a row was changed since the transaction began, which has ended.
    fn take_has_written(&mut self) -> bool {
        std::mem::take(&mut self.has_written)
    }
}

/// The first message of a connection, which has no kind.
async fn start_of(client: &mut OwnedReadHalf) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    client.read_exact(&mut length).await?;
    with_content(client, length.to_vec(), length).await
}

/// Adds to the beginning of a message the content that its length names, which counts its own four bytes.
async fn with_content(
    from: &mut (impl AsyncReadExt + Unpin),
    mut beginning: Vec<u8>,
    length: [u8; 4],
) -> std::io::Result<Vec<u8>> {
    let at = beginning.len();
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or_default();
    beginning.resize(at + length.saturating_sub(4), 0);
    from.read_exact(&mut beginning[at..]).await?;
    Ok(beginning)
}

async fn message(from: &mut (impl AsyncReadExt + Unpin)) -> std::io::Result<Vec<u8>> {
    let mut head = [0; 5];
    from.read_exact(&mut head).await?;
    let length = [head[1], head[2], head[3], head[4]];
    with_content(from, head.to_vec(), length).await
}

/// Reads what the server sends until it ends.
fn read_answers(server: UnixReadHalf) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let mut server = BufReader::new(server);
    tokio::spawn(async move {
        while let Ok(answer) = message(&mut server).await {
            if sender.send(answer).await.is_err() {
                return;
            }
        }
    });
    receiver
}

/// Reads what the process sends until it ends, and what each statement is that it has prepared.
fn read_requests(client: OwnedReadHalf) -> mpsc::Receiver<Request> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let mut client = BufReader::new(client);
    tokio::spawn(async move {
        let mut prepared: HashMap<String, String> = HashMap::new();
        let mut request = Request::new();
        while let Ok(message) = message(&mut client).await {
            let content = &message[5..];
            match message[0] {
                b'P' => {
                    let (name, rest) = text(content);
                    prepared.insert(name, text(rest).0);
                }
                b'B' => {
                    let (_portal, rest) = text(content);
                    request.statements.extend(prepared.get(&text(rest).0).cloned());
                }
                b'Q' => request.statements.push(text(content).0),
                _ => {}
            }
            let is_whole = !matches!(message[0], b'P' | b'B' | b'D' | b'E' | b'C');
            request.bytes.extend(message);
            if is_whole
                && sender
                    .send(std::mem::replace(&mut request, Request::new()))
                    .await
                    .is_err()
            {
                return;
            }
        }
    });
    receiver
}

impl Request {
    fn new() -> Self {
        Self {
            bytes: Vec::new(),
            statements: Vec::new(),
        }
    }
}

/// The text up to a zero byte, and what follows it.
fn text(bytes: &[u8]) -> (String, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let rest = bytes.get(end + 1..).unwrap_or_default();
    (String::from_utf8_lossy(&bytes[..end]).into_owned(), rest)
}

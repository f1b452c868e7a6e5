//! Browsers under a separate user: a host process starts them for pools that may not become that user themselves.
//!
//! A pool connects to the host's socket for each browser, sends the flags as one line of JSON, and receives the browser's process id with
//! its three pipes as descriptors. The browser lives as long as the connection: whatever ends the pool ends it too. The host needs only the
//! program and a folder, and holds no password; a page that escapes from its browser finds neither the stores' passwords nor the workers'
//! files.

use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use super::failure::StartError;
use super::process::{self, Started};
use super::work_folder::WorkFolder;

/// Time for a pool to send its request and for the host to answer.
const REPLY_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of a request. The flags name every host that an engine may reach.
const LONGEST_REQUEST: u64 = 64 << 10;
/// Bytes of the host's response.
const LONGEST_REPLY: usize = 4 << 10;
/// Browsers at once: two for each of eight worker processes.
const MAX_BROWSERS: usize = 16;
/// A browser's input, output and error pipes.
const PIPES: usize = 3;
/// Only the owner and its group may use the socket; workers belong to that group.
const OWNER_AND_GROUP: u32 = 0o660;

#[derive(Serialize, Deserialize)]
struct Request {
    flags: Vec<String>,
}

/// The host's response to a request, one line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HostReply {
    Started { pid: u32 },
    Refused(String),
}

/// A browser that a host runs for this process.
pub(super) struct Hosted {
    connection: UnixStream,
}

impl Hosted {
    /// Ends the browser with all its processes.
    pub fn end(self) {
        // Fails when the host is gone, and then so is the browser.
        let _ = self.connection.shutdown(Shutdown::Both);
    }
}

/// Asks the host that listens on `socket` to start a browser; blocks for at most [`REPLY_LIMIT`]. The browser runs until the [`Hosted`] is ended or
/// dropped, or the host ends. Fails when no host answers or it refuses.
pub(super) fn request_browser(socket: &Path, flags: Vec<String>) -> io::Result<(Started, Hosted)> {
    let no_host = |error: io::Error| {
        let reason = format!(
            "no browser host answers at {} ({error}): start `vigie browsers`",
            socket.display()
        );
        io::Error::new(error.kind(), reason)
    };
    let connection = UnixStream::connect(socket).map_err(no_host)?;
    connection.set_read_timeout(Some(REPLY_LIMIT))?;
    connection.set_write_timeout(Some(REPLY_LIMIT))?;
    let mut request = serde_json::to_vec(&Request { flags })?;
    request.push(b'\n');
    io::Write::write_all(&mut &connection, &request).map_err(no_host)?;
    let (reply, pipes) = receive_reply(&connection).map_err(no_host)?;
    match (reply, <[OwnedFd; PIPES]>::try_from(pipes)) {
        (HostReply::Started { pid }, Ok([input, output, errors])) => {
            let started = Started {
                pid,
                input,
                output,
                errors,
            };
            Ok((started, Hosted { connection }))
        }
        (HostReply::Refused(reason), _) => Err(io::Error::other(reason)),
        (HostReply::Started { .. }, Err(_)) => Err(io::Error::other("the browser host sent no pipes")),
    }
}

/// Sends a reply as one line of JSON, with the pipes as descriptors in the same message.
fn send_reply(connection: &UnixStream, reply: &HostReply, pipes: &[OwnedFd]) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PIPES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let borrowed: Vec<_> = pipes.iter().map(AsFd::as_fd).collect();
    if !borrowed.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
        return Err(io::Error::other("the pipes do not fit into a message"));
    }
    sendmsg(connection, &[IoSlice::new(&line)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives one reply with its pipes, in the order input, output, errors, and none with a refusal; fails when the connection has ended or the reply
/// is cut.
fn receive_reply(connection: &UnixStream) -> io::Result<(HostReply, Vec<OwnedFd>)> {
    let mut line = [0; LONGEST_REPLY];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PIPES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let length = recvmsg(connection, &mut [IoSliceMut::new(&mut line)], &mut control, flags)?.bytes;
    let mut pipes = Vec::with_capacity(PIPES);
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            pipes.extend(descriptors);
        }
    }
    if length == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // A line without its end was cut and is not JSON.
    Ok((serde_json::from_slice(&line[..length])?, pipes))
}

/// Settings of a host.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// The Chromium or Chrome to run.
    pub chromium: PathBuf,
    /// Parent of the browsers' folders; created when missing.
    pub work_folder: PathBuf,
    /// Where pools connect. A socket left by a dead host is replaced.
    pub socket: PathBuf,
}

/// Starts browsers for pools of other users. Dropping it ends all its browsers.
pub struct BrowserHost {
    shared: Arc<Shared>,
    socket: PathBuf,
    acceptor: Option<thread::JoinHandle<()>>,
}

/// What the host's threads share.
struct Shared {
    chromium: PathBuf,
    folder: WorkFolder,
    /// Open connections. `None` once the host closes.
    connections: Mutex<Option<Vec<Connection>>>,
    browsers: AtomicUsize,
}

/// An open connection with the thread that serves it.
struct Connection {
    stream: UnixStream,
    server: thread::JoinHandle<()>,
}

impl BrowserHost {
    /// Creates the work folder and listens on the socket, from a thread of its own; the socket's owner and the group of its folder may connect. Fails
    /// when another host listens there.
    pub fn start(settings: HostSettings) -> Result<Self, StartError> {
        let HostSettings {
            chromium,
            work_folder,
            socket,
        } = settings;
        let folder = WorkFolder::create(&work_folder).map_err(|source| StartError::WorkFolder {
            folder: work_folder,
            source,
        })?;
        let listener = bind_socket(&socket).map_err(|source| StartError::HostSocket {
            socket: socket.clone(),
            source,
        })?;
        let shared = Arc::new(Shared {
            chromium,
            folder,
            connections: Mutex::new(Some(Vec::new())),
            browsers: AtomicUsize::new(0),
        });
        let served = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("browser-host".into())
            .spawn(move || accept_connections(&listener, &served))
            .map_err(StartError::Launch)?;
        Ok(Self {
            shared,
            socket,
            acceptor: Some(acceptor),
        })
    }
}

impl Drop for BrowserHost {
    /// Takes no new connections, closes the open ones, which ends their browsers, waits for all threads and removes the socket.
    fn drop(&mut self) {
        let connections = self
            .shared
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // Wakes the acceptor, which then finds the list gone.
        let _ = UnixStream::connect(&self.socket);
        for connection in connections.into_iter().flatten() {
            let _ = connection.stream.shutdown(Shutdown::Both);
            let _ = connection.server.join();
        }
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Binds the socket, replacing one that nothing listens on any more, and restricts it to [`OWNER_AND_GROUP`]. Fails when something listens there.
fn bind_socket(socket: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(socket) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && UnixStream::connect(socket).is_err() => {
            std::fs::remove_file(socket)?;
            UnixListener::bind(socket)
        }
        bound => bound,
    }
    .and_then(|listener| {
        std::fs::set_permissions(socket, std::fs::Permissions::from_mode(OWNER_AND_GROUP))?;
        Ok(listener)
    })
}

/// Starts a thread for each connection and adds it to the list of connections, until that list is gone; a connection that cannot be served is logged
/// and dropped.
fn accept_connections(listener: &UnixListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        let mut connections = shared.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = connections.as_mut() else {
            return;
        };
        open.retain(|connection| !connection.server.is_finished());
        match stream.and_then(|stream| start_connection(stream, shared)) {
            Ok(connection) => open.push(connection),
            Err(error) => tracing::warn!(%error, "a connection could not be served"),
        }
    }
}

/// Starts the thread that serves a connection. Each connection has its own: a browser dies with the thread that started it.
fn start_connection(stream: UnixStream, shared: &Arc<Shared>) -> io::Result<Connection> {
    let own = stream.try_clone()?;
    let shared = Arc::clone(shared);
    let server = thread::Builder::new()
        .name("browser".into())
        .spawn(move || serve_connection(&own, &shared))?;
    Ok(Connection { stream, server })
}

/// Serves one connection to its end and closes it; when no browser can be started, logs the reason and sends it.
fn serve_connection(connection: &UnixStream, shared: &Shared) {
    let running = shared.browsers.fetch_add(1, Ordering::Relaxed);
    if let Err(error) = serve_one(connection, shared, running) {
        tracing::warn!(%error, "a browser was not started");
        let _ = send_reply(connection, &HostReply::Refused(error.to_string()), &[]);
    }
    shared.browsers.fetch_sub(1, Ordering::Relaxed);
    let _ = connection.shutdown(Shutdown::Both);
}

/// Starts the requested browser, sends its pipes and waits until the connection closes, then ends the browser. A connection that closes without a
/// request is a probe and starts none. Refuses when `running` has reached [`MAX_BROWSERS`].
fn serve_one(connection: &UnixStream, shared: &Shared, running: usize) -> io::Result<()> {
    if running >= MAX_BROWSERS {
        return Err(io::Error::other(format!(
            "the host runs {MAX_BROWSERS} browsers already"
        )));
    }
    connection.set_read_timeout(Some(REPLY_LIMIT))?;
    connection.set_write_timeout(Some(REPLY_LIMIT))?;
    let mut line = Vec::new();
    BufReader::new(connection)
        .take(LONGEST_REQUEST)
        .read_until(b'\n', &mut line)?;
    if line.is_empty() {
        // A probe of whether the host listens.
        return Ok(());
    }
    let Request { flags } = serde_json::from_slice(&line)?;
    let (started, browser) = process::start(&shared.chromium, shared.folder.browser_folder()?, flags)?;
    let reply = HostReply::Started { pid: started.pid };
    let sent = send_reply(connection, &reply, &[started.input, started.output, started.errors]);
    if sent.is_ok() {
        tracing::info!(pid = started.pid, "a browser has started");
        wait_for_end(connection);
    }
    browser.end();
    sent
}

/// Waits without a limit until the pool, or whatever ended it, closes the connection; ignores what it sends.
fn wait_for_end(connection: &UnixStream) {
    if connection.set_read_timeout(None).is_ok() {
        let mut nothing = [0; 1];
        let mut connection = connection;
        while connection.read(&mut nothing).is_ok_and(|read| read > 0) {}
    }
}

//! The DevTools protocol over a pipe: JSON messages, each ended by a zero byte.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use headless_chrome::protocol::cdp::types::{Method, MethodCall};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};

/// Bytes read from the pipe at a time.
const READ_BUFFER_BYTES: usize = 256 * 1024;

/// The only events that are parsed; others are dropped unread.
const HANDLED_EVENTS: [&str; 14] = [
    "Fetch.authRequired",
    "Fetch.requestPaused",
    "Inspector.targetCrashed",
    "Network.dataReceived",
    "Network.loadingFailed",
    "Network.loadingFinished",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.frameNavigated",
    "Page.javascriptDialogOpening",
    "Page.lifecycleEvent",
    "Target.detachedFromTarget",
    "Target.targetCreated",
    "Target.targetDestroyed",
];

/// Why a call failed.
#[derive(Debug, Error)]
pub(super) enum WireError {
    /// The browser, or the tab the call was for, is gone.
    #[error("{0}: the browser or its tab is gone")]
    Gone(&'static str),
    /// The browser refused the call.
    #[error("{method}: {message}")]
    Refused { method: &'static str, message: String },
    /// The call or its response does not have the expected form.
    #[error("{method}: {source}")]
    Form {
        method: &'static str,
        source: serde_json::Error,
    },
}

/// The id of a tab's session.
pub(super) type SessionId = Arc<str>;

/// A notification of the browser.
#[derive(Debug)]
pub(super) struct Event {
    pub method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// The parameters; `None` when they have another form.
    pub fn params<P: DeserializeOwned>(&self) -> Option<P> {
        serde_json::from_str(self.params.as_ref()?.get()).ok()
    }
}

/// A connection to a browser. All calls fail once the browser is gone.
pub(super) struct Wire {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    next_id: AtomicU32,
    state: Arc<Mutex<State>>,
}

/// What the reading task shares with callers.
#[derive(Default)]
struct State {
    gone: bool,
    waiting: HashMap<u32, PendingCommand>,
    /// Receivers of events by session; those of the browser itself have none.
    listeners: HashMap<Option<SessionId>, mpsc::UnboundedSender<Event>>,
}

/// A call that waits for its response.
struct PendingCommand {
    session: Option<SessionId>,
    reply: oneshot::Sender<CommandResult>,
}

/// The browser's response to a call.
enum CommandResult {
    Result(Box<RawValue>),
    Refusal(String),
}

#[derive(Serialize)]
struct Outgoing<'a, M: std::fmt::Debug> {
    #[serde(flatten)]
    call: &'a MethodCall<M>,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

/// A message of the browser: a response where it has an `id`, else an event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Incoming<'a> {
    id: Option<u32>,
    session_id: Option<&'a str>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ProtocolError>,
}

#[derive(Deserialize)]
struct ProtocolError {
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

impl Wire {
    /// Connects over a browser's pipes and starts the tasks that read and write. A message over `longest` bytes ends the connection.
    pub fn open(
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
        longest: usize,
    ) -> Arc<Self> {
        let (outgoing, messages) = mpsc::unbounded_channel();
        let state = Arc::new(Mutex::new(State::default()));
        tokio::spawn(write_all(input, messages));
        tokio::spawn(read_all(output, longest, Arc::clone(&state)));
        Arc::new(Self {
            outgoing,
            next_id: AtomicU32::new(1),
            state,
        })
    }

    /// Calls a method of the browser, or of a tab when a session is given, and waits without a limit for the response. Fails when the browser refuses
    /// it, or when browser or tab are gone.
    pub async fn call<M>(&self, session: Option<&SessionId>, method: M) -> Result<M::ReturnObject, WireError>
    where
        M: Method + Serialize,
    {
        self.call_for(session, method).await
    }

    /// Calls a method as [`Wire::call`] does and parses of the response only what `R` names; [`WireError::Form`] when that does not fit.
    pub async fn call_for<M, R>(&self, session: Option<&SessionId>, method: M) -> Result<R, WireError>
    where
        M: Method + Serialize,
        R: DeserializeOwned,
    {
        let reply = self
            .send(session, method)?
            .await
            .map_err(|_| WireError::Gone(M::NAME))?;
        match reply {
            CommandResult::Result(result) => serde_json::from_str(result.get()).map_err(|source| WireError::Form {
                method: M::NAME,
                source,
            }),
            CommandResult::Refusal(message) => Err(WireError::Refused {
                method: M::NAME,
                message,
            }),
        }
    }

    /// Sends a call without waiting for the response; errors are ignored, also that the browser is gone.
    pub fn notify<M: Method + Serialize>(&self, session: Option<&SessionId>, method: M) {
        drop(self.send(session, method));
    }

    /// Queues a call and returns where its response will arrive; the receiver fails when the session or the browser ends first. Without a session the
    /// call goes to the browser itself. There is no time limit here. An error if the browser is already gone or the call cannot be written as JSON.
    fn send<M: Method + Serialize>(
        &self,
        session: Option<&SessionId>,
        method: M,
    ) -> Result<oneshot::Receiver<CommandResult>, WireError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let call = method.to_method_call(id);
        let outgoing = Outgoing {
            call: &call,
            session: session.map(AsRef::as_ref),
        };
        let mut message = serde_json::to_vec(&outgoing).map_err(|source| WireError::Form {
            method: M::NAME,
            source,
        })?;
        message.push(0);
        let (reply, receiver) = oneshot::channel();
        {
            let mut state = lock(&self.state);
            if state.gone {
                return Err(WireError::Gone(M::NAME));
            }
            state.waiting.insert(
                id,
                PendingCommand {
                    session: session.cloned(),
                    reply,
                },
            );
        }
        self.outgoing.send(message).map_err(|_| WireError::Gone(M::NAME))?;
        Ok(receiver)
    }

    /// Returns the events of a session, or of the browser itself for `None`, replacing its previous listener. The events end when the session or the
    /// browser does.
    pub fn listen(&self, session: Option<SessionId>) -> mpsc::UnboundedReceiver<Event> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut state = lock(&self.state);
        if !state.gone {
            state.listeners.insert(session, sender);
        }
        receiver
    }

    /// Whether the browser is gone.
    pub fn is_gone(&self) -> bool {
        lock(&self.state).gone
    }
}

impl State {
    /// Passes a message on: a response to its caller, one of [`HANDLED_EVENTS`] to the listener of its session, or to the browser's own;
    /// `Target.detachedFromTarget` ends the session that it names. Other events, and those without a listener, are dropped; fails when the message is no
    /// JSON.
    fn handle(&mut self, message: &[u8]) -> Result<(), serde_json::Error> {
        let incoming: Incoming<'_> = serde_json::from_slice(message)?;
        if let Some(id) = incoming.id {
            if let Some(waiting) = self.waiting.remove(&id) {
                let reply = match (incoming.error, incoming.result) {
                    (Some(refusal), _) => CommandResult::Refusal(refusal.message),
                    (None, Some(result)) => CommandResult::Result(result.to_owned()),
                    (None, None) => CommandResult::Refusal("an answer without a result".to_owned()),
                };
                // The caller may have given up; the response is then of no use.
                let _ = waiting.reply.send(reply);
            }
            return Ok(());
        }
        let Some(method) = incoming.method.filter(|method| HANDLED_EVENTS.contains(method)) else {
            return Ok(());
        };
        if method == "Target.detachedFromTarget"
            && let Some(detached) = incoming
                .params
                .and_then(|p| serde_json::from_str::<Detached>(p.get()).ok())
        {
            self.end_session(&detached.session_id);
            return Ok(());
        }
        let session: Option<SessionId> = incoming.session_id.map(Into::into);
        if let Some(listener) = self.listeners.get(&session) {
            let event = Event {
                method: method.to_owned(),
                params: incoming.params.map(ToOwned::to_owned),
            };
            let _ = listener.send(event);
        }
        Ok(())
    }

    /// Ends a session's events and fails its calls that wait for a response.
    fn end_session(&mut self, session: &str) {
        self.listeners.retain(|key, _| key.as_deref() != Some(session));
        self.waiting
            .retain(|_, waiting| waiting.session.as_deref() != Some(session));
    }
}

/// Writes messages to the browser until it is gone or the connection is dropped.
async fn write_all(mut input: impl AsyncWrite + Unpin, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if input.write_all(&message).await.is_err() {
            break;
        }
    }
}

/// Reads messages, each ended by a zero byte, until the output ends or a message is over `longest` bytes; then marks the browser as gone, which fails
/// all waiting calls and ends all events. A message that is no JSON is logged and skipped.
async fn read_all(output: impl AsyncRead + Unpin, longest: usize, state: Arc<Mutex<State>>) {
    let mut output = BufReader::with_capacity(READ_BUFFER_BYTES, output);
    let mut message = Vec::new();
    loop {
        let (used, ended) = match output.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let end = memchr::memchr(0, bytes);
                message.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
                (end.map_or(bytes.len(), |end| end + 1), end.is_some())
            }
        };
        output.consume(used);
        if message.len() > longest {
            tracing::warn!(bytes = message.len(), "the browser sent a message over the limit");
            break;
        }
        if ended {
            if let Err(error) = lock(&state).handle(&message) {
                tracing::warn!(%error, "the browser sent a message that is none");
            }
            message.clear();
            message.shrink_to(READ_BUFFER_BYTES);
        }
    }
    *lock(&state) = State {
        gone: true,
        ..State::default()
    };
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // A panic under the lock leaves whole entries behind: the maps stay usable.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use headless_chrome::protocol::cdp::{Browser, Page};
    use tokio::io::AsyncReadExt;

    const LONGEST: usize = 1_000;

    fn pair() -> (Arc<Wire>, tokio::io::DuplexStream, tokio::io::DuplexStream) {
        let (input, sent) = tokio::io::duplex(4_096);
        let (replies, output) = tokio::io::duplex(4_096);
        (Wire::open(input, output, LONGEST), sent, replies)
    }

    async fn next_message(sent: &mut tokio::io::DuplexStream) -> serde_json::Value {
        let mut message = Vec::new();
        loop {
            match sent.read_u8().await.unwrap() {
                0 => return serde_json::from_slice(&message).unwrap(),
                byte => message.push(byte),
            }
        }
    }

    #[tokio::test]
    async fn a_call_gets_the_answer_of_its_id() {
        let (wire, mut sent, mut replies) = pair();
        let call = tokio::spawn(async move { wire.call(None, Page::StopLoading(None)).await });
        let message = next_message(&mut sent).await;
        assert_eq!(message["method"], "Page.stopLoading");
        replies
            .write_all(b"{\"id\":99,\"result\":{}}\0{\"id\":1,\"result\":{}}\0")
            .await
            .unwrap();
        call.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn every_call_fails_when_the_browser_ends() {
        let (wire, _sent, replies) = pair();
        let call = tokio::spawn({
            let wire = Arc::clone(&wire);
            async move { wire.call(None, Page::StopLoading(None)).await }
        });
        let mut events = wire.listen(None);
        drop(replies);
        assert!(matches!(call.await.unwrap(), Err(WireError::Gone(_))));
        assert!(events.recv().await.is_none());
        assert!(matches!(
            wire.call(None, Browser::Close(None)).await,
            Err(WireError::Gone(_))
        ));
    }

    #[tokio::test]
    async fn the_calls_of_a_closed_tab_fail_and_others_go_on() {
        let (wire, mut sent, mut replies) = pair();
        let session: SessionId = "S".into();
        let events = wire.listen(Some(Arc::clone(&session)));
        let hung = wire.call(Some(&session), Page::StopLoading(None));
        let other = wire.call(None, Page::StopLoading(None));
        let browser = async {
            assert_eq!(next_message(&mut sent).await["sessionId"], "S");
            next_message(&mut sent).await;
            let detached = b"{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"S\"}}\0";
            replies.write_all(detached).await.unwrap();
            replies.write_all(b"{\"id\":2,\"result\":{}}\0").await.unwrap();
        };
        let (hung, other, ()) = tokio::join!(hung, other, browser);
        assert!(matches!(hung, Err(WireError::Gone(_))));
        other.unwrap();
        assert!(events.is_closed());
    }

    #[tokio::test]
    async fn a_message_over_the_limit_ends_the_connection() {
        let (wire, _sent, mut replies) = pair();
        let mut events = wire.listen(None);
        replies.write_all(&[b'x'; LONGEST + 1]).await.unwrap();
        assert!(events.recv().await.is_none());
        assert!(wire.is_gone());
    }

    #[tokio::test]
    async fn a_refusal_carries_the_browsers_words() {
        let (wire, mut sent, mut replies) = pair();
        let call = tokio::spawn(async move { wire.call(None, Page::StopLoading(None)).await });
        next_message(&mut sent).await;
        replies
            .write_all(b"{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"No such tab\"}}\0")
            .await
            .unwrap();
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "Page.stopLoading: No such tab");
    }
}

//! Sessions: connections kept between requests, for temporary tables and `SET`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::chdb::Connection;
use crate::engine::Engine;
use crate::exception::{ServerError, code};
use crate::http::SessionParams;

/// The server's sessions by id.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, State>>);

/// A session: its connection is leased, or kept until it expires.
enum State {
    Busy,
    Idle { connection: Connection, until: Instant },
}

/// A connection leased to one statement; returned to its session at the end, or closed where it has none.
pub(crate) struct Lease<'a> {
    sessions: &'a Sessions,
    session: Option<&'a SessionParams>,
    connection: Option<Connection>,
    /// Whether the session already existed.
    pub(crate) is_resumed: bool,
}

impl Sessions {
    /// Leases the session's connection, or a new one without a session or for a new session. Fails at once when the session is in use, when it does
    /// not exist but the request demands it, or when no connection opens.
    pub(crate) fn lend<'a>(
        &'a self,
        engine: &Engine,
        session: Option<&'a SessionParams>,
    ) -> Result<Lease<'a>, ServerError> {
        let mut lease = Lease {
            sessions: self,
            session: None,
            connection: None,
            is_resumed: false,
        };
        if let Some(params) = session {
            lease.connection = self.take(params)?;
            lease.session = session;
            lease.is_resumed = lease.connection.is_some();
        }
        if lease.connection.is_none() {
            lease.connection = Some(engine.connect()?);
        }
        Ok(lease)
    }

    /// Closes expired sessions, then marks this one, which may be new, as busy and takes out its connection: `None` for a new one. Fails when the session
    /// is busy, or must exist and does not.
    fn take(&self, session: &SessionParams) -> Result<Option<Connection>, ServerError> {
        let mut sessions = self.lock();
        let now = Instant::now();
        sessions.retain(|_, state| !matches!(state, State::Idle { until, .. } if *until < now));
        match sessions.get(&session.id) {
            Some(State::Busy) => {
                let message = format!("Session {} is locked by a concurrent client", session.id);
                return Err(ServerError::new(code::SESSION_IS_LOCKED, "SESSION_IS_LOCKED", message));
            }
            None if session.must_exist => {
                let message = format!("Session {} not found", session.id);
                return Err(ServerError::new(code::SESSION_NOT_FOUND, "SESSION_NOT_FOUND", message));
            }
            _ => {}
        }
        match sessions.insert(session.id.clone(), State::Busy) {
            Some(State::Idle { connection, .. }) => Ok(Some(connection)),
            _ => Ok(None),
        }
    }

    /// Closes every idle session.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease<'_> {
    /// Returns the leased connection.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, ServerError> {
        self.connection
            .as_mut()
            .ok_or_else(|| ServerError::unknown("The connection is closed"))
    }

    /// Closes the connection instead of returning it.
    pub(crate) fn discard(mut self) {
        self.connection = None;
    }
}

impl Drop for Lease<'_> {
    /// Gives the connection back to its session, whose timeout starts again; without the connection, the session ends. Without a session, only the
    /// connection closes.
    fn drop(&mut self) {
        let Some(session) = self.session else { return };
        let mut sessions = self.sessions.lock();
        match self.connection.take() {
            Some(connection) => {
                let until = Instant::now() + session.timeout;
                sessions.insert(session.id.clone(), State::Idle { connection, until });
            }
            None => {
                sessions.remove(&session.id);
            }
        }
    }
}

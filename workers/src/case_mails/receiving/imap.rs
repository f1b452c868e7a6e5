//! Reads a mailbox over IMAP. Nothing in it is changed, and what was read is known by numbers, not by marks that other programs set.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use async_imap::types::Fetch;
use async_imap::{Client, Session};
use chrono::TimeDelta;
use futures::TryStreamExt;
use hyper_rustls::ConfigBuilderExt;
use postgres::Pool;
use postgres::case_mails::imap_cursors::{self, ImapCursor};
use postgres::case_mails::inbound::{self, Arrival, MAX_MAIL_BYTES, Origin};
use runtime::Clock;
use runtime::settings::{Imap, ImapSecurity};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, timeout};
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

/// How long a step of the dialogue may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How far back a mailbox is read that was numbered again, or never read.
const READ_AGAIN: TimeDelta = TimeDelta::days(14);
/// Bytes that the server may send besides a mail: its greeting, a list of numbers.
const MAX_TALK: u64 = 8 << 20;
/// The beginning of a mail that is too large, which is kept.
const MAX_BEGINNING: usize = 64 << 10;
/// Mails of one look at the mailbox; the rest follows in the next.
const MOST_AT_ONCE: usize = 1_000;

/// A mailbox that replies are read from.
#[derive(Clone)]
pub struct Mailbox {
    postgres: Pool,
    clock: Clock,
    settings: Imap,
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
}

/// Why a mailbox cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    /// The certificates of the system cannot be read.
    #[error("the certificate authorities of this system cannot be read: {0}")]
    Authorities(io::Error),
    /// The name of the host is none.
    #[error("VIGIE__INBOUND__IMAP__HOST: '{0}' is no name of a host")]
    Host(String),
    /// The server does not answer, or something that is not IMAP.
    #[error("the IMAP server {server}: {source}")]
    Server {
        /// Its name and port.
        server: String,
        /// What its client says.
        source: async_imap::error::Error,
    },
    /// The server was silent for too long.
    #[error("the IMAP server {server} was silent for {} s", PATIENCE.as_secs())]
    Silent {
        /// Its name and port.
        server: String,
    },
    /// The mailbox has no numbering, without which nobody knows what was read.
    #[error("the mailbox has no UIDVALIDITY")]
    Unnumbered,
    /// A mail has more bytes than the server said; it is refused, and the connection of no use any more.
    #[error("mail {0} of the mailbox has more bytes than its server said")]
    Endless(u32),
    /// What was read could not be stored.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
}

/// A signed-in connection.
type Signed = Session<Metered>;

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Start {
    /// Mails up to this number were read.
    last: u32,
    /// Whether only the last days are read.
    only_recent: bool,
}

impl Mailbox {
    /// The mailbox of the settings; `None` when they name no host. Connects nothing yet.
    pub fn from_settings(settings: &Imap, postgres: Pool, clock: Clock) -> Result<Option<Self>, MailboxError> {
        let Some(host) = settings.host.clone().filter(|host| !host.is_empty()) else {
            return Ok(None);
        };
        let (tls, port) = match settings.security {
            ImapSecurity::Tls => {
                let roots = rustls::ClientConfig::builder()
                    .with_native_roots()
                    .map_err(MailboxError::Authorities)?;
                (Some(TlsConnector::from(Arc::new(roots.with_no_client_auth()))), 993)
            }
            ImapSecurity::None => (None, 143),
        };
        Ok(Some(Self {
            postgres,
            clock,
            settings: settings.clone(),
            port: settings.port.unwrap_or(port),
            host,
            tls,
        }))
    }

    /// Looks at the mailbox until `shutdown`, as often as the settings say.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut beat = tokio::time::interval(Duration::from_secs(self.settings.poll_seconds.max(1)));
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = beat.tick() => {}
            }
            let looked = tokio::select! {
                () = shutdown.cancelled() => return,
                looked = self.look() => looked,
            };
            match looked {
                Ok(0) => {}
                Ok(stored) => tracing::info!(stored, "mails were read from the mailbox"),
                Err(error) => tracing::warn!(%error, "the mailbox could not be read"),
            }
        }
    }

    /// Stores the mails that have come since the last look, oldest first, and returns how many were looked at. What was stored stays stored if it fails later.
    pub async fn look(&self) -> Result<usize, MailboxError> {
        let (mut session, meter) = self.sign_in().await?;
        let stored = self.read_new(&mut session, &meter).await;
        // The mails are stored, however the farewell goes.
        let _ = timeout(PATIENCE, session.logout()).await;
        stored
    }

    /// Connects and signs in.
    async fn sign_in(&self) -> Result<(Signed, Meter), MailboxError> {
        let meter = Meter::default();
        meter.allow(MAX_TALK);
        let connecting = async {
            let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
            let stream: Box<dyn Duplex> = match &self.tls {
                Some(tls) => {
                    let name = ServerName::try_from(self.host.clone()).map_err(io::Error::other)?;
                    Box::new(tls.connect(name, stream).await?)
                }
                None => Box::new(stream),
            };
            let metered = Metered {
                stream,
                meter: meter.clone(),
            };
            let mut client = Client::new(metered);
            let greeting = client.read_response().await?;
            greeting.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
            let login = client.login(&self.settings.user, self.settings.password.expose());
            login.await.map_err(|(error, _)| error)
        };
        let session = self.in_time(connecting).await?;
        Ok((session, meter))
    }

    /// Reads the new mails of the mailbox, one at a time.
    async fn read_new(&self, session: &mut Signed, meter: &Meter) -> Result<usize, MailboxError> {
        let mailbox = self.in_time(session.examine(&self.settings.mailbox)).await?;
        let validity = mailbox.uid_validity.ok_or(MailboxError::Unnumbered)?;
        let start = self.start(validity).await?;
        let mails = self.list(session, meter, start).await?;
        for (uid, bytes) in &mails {
            self.store(session, meter, (validity, *uid), u64::from(*bytes)).await?;
        }
        // What is too old in a mailbox that was numbered again is not looked at next time either.
        if mails.is_empty()
            && start.only_recent
            && let Some(next) = mailbox.uid_next
        {
            let here = ImapCursor {
                uid_validity: validity,
                last_uid: next.saturating_sub(1),
            };
            imap_cursors::advance(&self.postgres, &self.name(), here, self.clock.now()).await?;
        }
        Ok(mails.len())
    }

    /// Where reading begins: after the last mail that was stored, or in a mailbox that was numbered again some days back, where what was stored before is
    /// known by its content.
    async fn start(&self, validity: u32) -> Result<Start, MailboxError> {
        let cursor = imap_cursors::find(&self.postgres, &self.name()).await?;
        let known = cursor.filter(|cursor| cursor.uid_validity == validity);
        Ok(Start {
            last: known.map_or(0, |cursor| cursor.last_uid),
            only_recent: known.is_none(),
        })
    }

    /// The numbers and sizes of the mails to be read, ascending.
    async fn list(&self, session: &mut Signed, meter: &Meter, start: Start) -> Result<Vec<(u32, u32)>, MailboxError> {
        meter.allow(MAX_TALK);
        let first = start.last.saturating_add(1);
        let mut wanted: Option<std::collections::HashSet<u32>> = None;
        if start.only_recent {
            let since = (self.clock.now() - READ_AGAIN).format("%-d-%b-%Y");
            wanted = Some(self.in_time(session.uid_search(format!("SINCE {since}"))).await?);
            if wanted.as_ref().is_some_and(std::collections::HashSet::is_empty) {
                return Ok(Vec::new());
            }
        }
        let listing = async {
            let fetched = session.uid_fetch(format!("{first}:*"), "(UID RFC822.SIZE)").await?;
            fetched.try_collect::<Vec<Fetch>>().await
        };
        let fetched = self.in_time(listing).await?;
        let mut mails: Vec<(u32, u32)> = fetched
            .iter()
            .filter_map(|mail| Some((mail.uid?, mail.size.unwrap_or_default())))
            // `n:*` has the last mail even where its number is below n (RFC 3501, 6.4.8).
            .filter(|(uid, _)| *uid >= first && wanted.as_ref().is_none_or(|wanted| wanted.contains(uid)))
            .collect();
        mails.sort_unstable();
        mails.dedup_by_key(|(uid, _)| *uid);
        mails.truncate(MOST_AT_ONCE);
        Ok(mails)
    }

    /// Reads one mail and stores it together with the cursor: neither happens without the other. Of one that is too large only the beginning is read.
    async fn store(
        &self,
        session: &mut Signed,
        meter: &Meter,
        (uid_validity, uid): (u32, u32),
        bytes: u64,
    ) -> Result<(), MailboxError> {
        let is_large = bytes > MAX_MAIL_BYTES as u64;
        let query = if is_large {
            format!("(UID BODY.PEEK[]<0.{MAX_BEGINNING}>)")
        } else {
            "(UID BODY.PEEK[])".to_owned()
        };
        // A server that sends more than it said is not read to the end.
        meter.allow(MAX_BEGINNING as u64 + MAX_MAIL_BYTES as u64);
        let fetching = async {
            let fetched = session.uid_fetch(uid.to_string(), query).await?;
            fetched.try_collect::<Vec<Fetch>>().await
        };
        let fetched = self.in_time(fetching).await;
        let (now, mailbox) = (self.clock.now(), self.name());
        let place = format!("X-Refused: mail {uid} of {mailbox}, {uid_validity}\r\n\r\n");
        let is_endless = meter.is_over();
        let fetched = if is_endless { Vec::new() } else { fetched? };
        let mail = fetched.iter().find(|mail| mail.uid == Some(uid));
        let raw = if is_endless {
            Some(place.as_bytes())
        } else {
            mail.and_then(Fetch::body)
        };
        let mut tx = postgres::begin(&self.postgres).await?;
        // Without a body it was deleted meanwhile.
        if let Some(raw) = raw {
            let arrival = Arrival {
                raw,
                envelope_to: &[],
                envelope_from: None,
                source: Origin::Imap {
                    mailbox: &mailbox,
                    uid_validity,
                    uid,
                },
            };
            if is_large || is_endless {
                let bytes = bytes.max(MAX_MAIL_BYTES as u64 + 1);
                inbound::refuse_large(&mut tx, &arrival, bytes, now).await?;
            } else {
                inbound::receive(&mut tx, &arrival, now).await?;
            }
        }
        let here = ImapCursor {
            uid_validity,
            last_uid: uid,
        };
        imap_cursors::advance(&mut *tx, &mailbox, here, now).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        // The connection ends in the middle of the mail; the next look goes on after it.
        if is_endless {
            Err(MailboxError::Endless(uid))
        } else {
            Ok(())
        }
    }

    /// What the mailbox is called in the store: user, host and folder.
    fn name(&self) -> String {
        format!("{}@{}/{}", self.settings.user, self.host, self.settings.mailbox)
    }

    /// Waits for a step of the dialogue, at most [`PATIENCE`]; afterwards the connection is of no use.
    async fn in_time<T>(
        &self,
        step: impl Future<Output = Result<T, async_imap::error::Error>>,
    ) -> Result<T, MailboxError> {
        let server = || format!("{}:{}", self.host, self.port);
        let done = timeout(PATIENCE, step).await;
        done.map_err(|_| MailboxError::Silent { server: server() })?
            .map_err(|source| MailboxError::Server {
                server: server(),
                source,
            })
    }
}

/// A stream in both directions.
trait Duplex: AsyncRead + AsyncWrite + Unpin + Send + std::fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + std::fmt::Debug> Duplex for T {}

/// How many bytes may still be read, and whether more came.
#[derive(Clone, Debug, Default)]
struct Meter(Arc<(AtomicU64, AtomicBool)>);

impl Meter {
    fn allow(&self, bytes: u64) {
        self.0.0.store(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were read. `false` if they are more than may be read.
    fn count(&self, bytes: u64) -> bool {
        let left = self.0.0.load(Ordering::Relaxed).checked_sub(bytes);
        self.0.0.store(left.unwrap_or_default(), Ordering::Relaxed);
        self.0.1.fetch_or(left.is_none(), Ordering::Relaxed);
        left.is_some()
    }

    fn is_over(&self) -> bool {
        self.0.1.load(Ordering::Relaxed)
    }
}

/// A stream that fails once more was read than its meter allows: the client would keep all of it in memory.
#[derive(Debug)]
struct Metered {
    stream: Box<dyn Duplex>,
    meter: Meter,
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = (buffer.filled().len() - before) as u64;
        if self.meter.count(read) {
            polled
        } else {
            Poll::Ready(Err(io::Error::other("it sends more than it may")))
        }
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

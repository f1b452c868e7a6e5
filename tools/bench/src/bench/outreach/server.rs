//! A mail server that takes the mails of a run and is cut while it does. It keeps counts, no mails.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Mails of a run at most, and at least; between them a hundredth of the cases.
const MOST_MAILS: u64 = 10_000;
const FEWEST_MAILS: u64 = 1_000;
/// Of so many mails one is cut at each of the places.
const CUT_ONE_OF: usize = 10;

/// Where the first connection of a mail is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Instead of the reply to DATA: nothing can have arrived.
    BeforeBody,
    /// After some lines of the body.
    InBody,
    /// Instead of the reply to the whole body, which was taken.
    AfterDot,
}

/// Where a mail is cut; `None` for seven of ten.
pub(super) const fn cut_of(mail: usize) -> Option<Cut> {
    match mail % CUT_ONE_OF {
        1 => Some(Cut::BeforeBody),
        4 => Some(Cut::InBody),
        7 => Some(Cut::AfterDot),
        _ => None,
    }
}

/// What came of the mails so far.
struct Counts {
    /// Connections that named the recipient.
    tried: Vec<AtomicU8>,
    /// Bodies taken whole.
    taken: Vec<AtomicU8>,
    /// Recipients that were named at least once.
    begun: AtomicU64,
    /// When the first recipient was named first, and when the last one was.
    span: Mutex<Option<(Instant, Instant)>>,
}

/// The server; it ends with the process.
pub(in crate::bench) struct BenchMailServer {
    counts: Arc<Counts>,
    port: String,
}

impl BenchMailServer {
    /// Listens on a free port of this machine, for the mails that fit so many cases; recipient `n` of them is `ads@run<n>.example`.
    pub(in crate::bench) async fn start(cases: u64) -> std::io::Result<Self> {
        let mails = usize::try_from((cases / 100).clamp(FEWEST_MAILS, MOST_MAILS)).unwrap_or_default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let zeros = || (0..mails).map(|_| AtomicU8::new(0)).collect();
        let counts = Arc::new(Counts {
            tried: zeros(),
            taken: zeros(),
            begun: AtomicU64::new(0),
            span: Mutex::new(None),
        });
        let port = listener.local_addr()?.port().to_string();
        let serving = Arc::clone(&counts);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let counts = Arc::clone(&serving);
                // A sender that goes away has ended its connection, no more.
                tokio::spawn(async move { serve(connection, &counts).await });
            }
        });
        Ok(Self { counts, port })
    }

    /// The settings of a stack that sends to it, without a limit for the day.
    pub(in crate::bench) fn settings(&self) -> [(&str, &str); 5] {
        [
            ("VIGIE__SMTP__HOST", "127.0.0.1"),
            ("VIGIE__SMTP__PORT", &self.port),
            ("VIGIE__SMTP__SECURITY", "none"),
            ("VIGIE__SMTP__FROM", "Vigie <vigie@mail.example>"),
            ("VIGIE__ACTIONS__MAIL_DAILY_MAX", "10000000"),
        ]
    }

    /// How many mails it expects.
    pub(super) fn mails(&self) -> usize {
        self.counts.taken.len()
    }

    /// How many of the mails were begun at least once.
    pub(super) fn begun(&self) -> u64 {
        self.counts.begun.load(Ordering::SeqCst)
    }

    /// The time from the first mail that was begun until the last one was.
    pub(super) fn span(&self) -> Duration {
        let span = *self.counts.span.lock().unwrap_or_else(PoisonError::into_inner);
        span.map_or(Duration::ZERO, |(first, last)| last.duration_since(first))
    }

    /// How often the body of a mail was taken whole.
    pub(super) fn taken(&self, mail: usize) -> u8 {
        self.counts.taken[mail].load(Ordering::SeqCst)
    }
}

impl Counts {
    /// Counts a connection for a mail; returns where it is cut.
    fn begin(&self, mail: usize) -> Option<Cut> {
        if self.tried[mail].fetch_add(1, Ordering::SeqCst) > 0 {
            return None;
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        let now = Instant::now();
        let mut span = self.span.lock().unwrap_or_else(PoisonError::into_inner);
        *span = Some((span.map_or(now, |(first, _)| first), now));
        cut_of(mail)
    }
}

/// Serves a connection until it ends, or is cut.
async fn serve(connection: TcpStream, counts: &Counts) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut connection = BufReader::new(connection);
    connection.write_all(b"220 bench\r\n").await?;
    let (mut line, mut mail, mut cut) = (String::new(), None, None);
    while next_line(&mut connection, &mut line).await? {
        let reply = match line.get(..4) {
            Some("RCPT") => {
                mail = number(&line).filter(|mail| *mail < counts.taken.len());
                cut = mail.and_then(|mail| counts.begin(mail));
                if mail.is_some() {
                    "250 well\r\n"
                } else {
                    "550 5.1.1 nobody\r\n"
                }
            }
            Some("DATA") => {
                if cut == Some(Cut::BeforeBody) {
                    return Ok(());
                }
                connection.write_all(b"354 go on\r\n").await?;
                while next_line(&mut connection, &mut line).await? && line != ".\r\n" {
                    if cut == Some(Cut::InBody) {
                        return Ok(());
                    }
                }
                // A mail without its end is none.
                if line != ".\r\n" {
                    return Ok(());
                }
                if let Some(mail) = mail {
                    counts.taken[mail].fetch_add(1, Ordering::SeqCst);
                }
                if cut == Some(Cut::AfterDot) {
                    return Ok(());
                }
                "250 kept\r\n"
            }
            Some("QUIT") => return connection.write_all(b"221 goodbye\r\n").await,
            _ => "250 well\r\n",
        };
        connection.write_all(reply.as_bytes()).await?;
    }
    Ok(())
}

/// Reads a line in place of the one before; `false` at the end.
async fn next_line(connection: &mut (impl AsyncBufRead + Unpin), line: &mut String) -> std::io::Result<bool> {
    line.clear();
    Ok(connection.read_line(line).await? > 0)
}

/// The number in the address of a recipient; `None` for those of no run.
fn number(rcpt: &str) -> Option<usize> {
    let (_, host) = rcpt.split_once("@run")?;
    host.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mail_of_ten_is_cut_at_each_place() {
        for cut in [Cut::BeforeBody, Cut::InBody, Cut::AfterDot] {
            let mails = (0..1_000).filter(|mail| cut_of(*mail) == Some(cut)).count();
            assert_eq!(mails, 1_000 / CUT_ONE_OF, "{cut:?}");
        }
    }

    #[test]
    fn a_recipient_is_known_by_its_number() {
        assert_eq!(number("RCPT TO:<ads@run42.example>\r\n"), Some(42));
        assert_eq!(number("RCPT TO:<bench@vigie.example>\r\n"), None);
    }
}

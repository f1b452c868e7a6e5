//! A mail server for a machine without one: it takes mails over SMTP, delivers none, and shows them on a page.
//!
//! It keeps the last mails in memory, up to [`MOST_MAILS`] and [`MOST_BYTES`], and forgets them when it ends. A mail that comes again under the
//! same Message-ID is shown once, with the number of times it came. What the local part of a recipient begins with makes it fail as real servers
//! do:
//!
//! | Recipient | Answer |
//! | --- | --- |
//! | `try-later@…` | 451, for every try |
//! | `no-such-user@…` | 550 |
//! | `hang-up@…` | the mail is kept, and the connection ends before the answer that says so |
//!
//! | Address | Answers |
//! | --- | --- |
//! | `/` | the list of mails |
//! | `/mails/{id}` | one mail: headers, text and HTML |
//! | `/mails/{id}/html`, `/mails/{id}/source` | its HTML part, in which no script runs and nothing is loaded; the mail as it came |
//! | `/api/mails` | all mails as JSON, the newest first |

mod mailbox;
mod page;
mod session;

use std::net::SocketAddr;
use std::sync::Arc;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub use mailbox::{MOST_BYTES, MOST_MAILS};

use mailbox::Mailbox;

/// Senders at the same time; more wait.
const MOST_SESSIONS: usize = 32;

/// Where the catcher listens; port 0 takes a free one.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// For mails.
    pub mail: SocketAddr,
    /// For the page.
    pub page: SocketAddr,
}

/// Why the catcher cannot start or go on.
#[derive(Debug, Error)]
pub enum Error {
    /// An address is taken or not this machine's.
    #[error("cannot listen on {address}: {source}; choose a free port, or port 0 to take any")]
    Listen {
        /// The address of the settings.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// A template is wrong.
    #[error("a page template is wrong: {0}")]
    Template(#[from] minijinja::Error),
    /// A socket failed.
    #[error("the mail catcher failed: {0}")]
    Serve(#[from] std::io::Error),
}

/// A catcher that has its addresses and is ready to serve.
pub struct Catcher {
    mail: TcpListener,
    page: TcpListener,
    addresses: Settings,
}

impl Catcher {
    /// Takes the addresses of the settings.
    pub async fn bind(settings: Settings) -> Result<Self, Error> {
        let mail = listen(settings.mail).await?;
        let page = listen(settings.page).await?;
        let addresses = Settings {
            mail: mail.local_addr()?,
            page: page.local_addr()?,
        };
        Ok(Self { mail, page, addresses })
    }

    /// The addresses it listens on, with the ports it was given.
    pub const fn addresses(&self) -> Settings {
        self.addresses
    }

    /// Catches mails and shows them until `shutdown` is over.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let kept = Arc::new(Mailbox::default());
        let pages = page::router(Arc::clone(&kept), self.addresses.page)?;
        let serving = axum::serve(self.page, pages).into_future();
        tokio::select! {
            served = serving => served?,
            () = catch(self.mail, kept) => (),
            () = shutdown => (),
        }
        Ok(())
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address)
        .await
        .map_err(|source| Error::Listen { address, source })
}

/// Takes connections. Never returns.
async fn catch(listener: TcpListener, kept: Arc<Mailbox>) {
    let turns = Arc::new(Semaphore::new(MOST_SESSIONS));
    loop {
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((connection, _)) => {
                let kept = Arc::clone(&kept);
                tokio::spawn(async move {
                    if let Err(error) = session::serve(connection, &kept).await {
                        tracing::debug!(%error, "a sender went away");
                    }
                    drop(turn);
                });
            }
            Err(error) => tracing::warn!(%error, "a connection could not be taken"),
        }
    }
}

//! A mail server for a machine without one: it accepts mails over SMTP, delivers none, and shows them on a page.
//!
//! It keeps the last mails in memory, up to [`MAX_MAILS`] and [`MAX_BYTES`], and forgets them when it ends. A mail that arrives again with
//! the same Message-ID is shown once, with the number of times it arrived. The local part of a recipient can make it fail as real servers
//! do:
//!
//! | Recipient | Response |
//! | --- | --- |
//! | `try-later@…` | 451, on every attempt |
//! | `no-such-user@…` | 550 |
//! | `hang-up@…` | the mail is kept, and the connection ends before the response that says so |
//!
//! | Address | Shows |
//! | --- | --- |
//! | `/` | the list of mails |
//! | `/mails/{id}` | one mail: headers, text and HTML |
//! | `/mails/{id}/html`, `/mails/{id}/source` | its HTML part, in which no script runs and nothing is loaded; the mail as received |
//! | `/mails/{id}/answer` | answers a mail of a case as the advertiser or its mail server does, by a form; with [`Catcher::answering`] alone |
//! | `/api/mails` | all mails as JSON, the newest first |
//!
//! It is our own because mailpit and MailDev are programs of their own runtimes that would have to be installed beside the one binary; libraries
//! do the parsing of SMTP and of mails.

mod answers;
mod mailbox;
mod page;
mod session;

use std::net::SocketAddr;
use std::sync::Arc;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub use answers::Webhook;
pub use mailbox::{MAX_BYTES, MAX_MAILS};

use mailbox::Mailbox;

/// Most sessions at the same time; more wait.
const MAX_SESSIONS: usize = 32;

/// Where the catcher listens; port 0 takes a free one.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The address for mails.
    pub mail: SocketAddr,
    /// The address for the page.
    pub page: SocketAddr,
}

/// Why the catcher cannot start or continue.
#[derive(Debug, Error)]
pub enum Error {
    /// An address is in use or does not belong to this machine.
    #[error("cannot listen on {address}: {source}; choose a free port, or port 0 to take any")]
    Listen {
        /// The address of the settings.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// A template is wrong.
    #[error("a page template is wrong: {0}")]
    Template(#[from] minijinja::Error),
    /// A socket failed.
    #[error("the mail catcher failed: {0}")]
    Serve(#[from] std::io::Error),
}

/// A catcher that has bound its addresses and is ready to serve.
pub struct Catcher {
    mail: TcpListener,
    page: TcpListener,
    addresses: Settings,
    webhook: Option<Webhook>,
}

impl Catcher {
    /// Binds the addresses of the settings, the port 0 as a free one; accepts nothing until [`Catcher::serve`].
    pub async fn bind(settings: Settings) -> Result<Self, Error> {
        let mail = listen(settings.mail).await?;
        let page = listen(settings.page).await?;
        let addresses = Settings {
            mail: mail.local_addr()?,
            page: page.local_addr()?,
        };
        Ok(Self {
            mail,
            page,
            addresses,
            webhook: None,
        })
    }

    /// Offers answers to the mails of cases, which are posted to this webhook.
    #[must_use]
    pub fn answering(mut self, webhook: Webhook) -> Self {
        self.webhook = Some(webhook);
        self
    }

    /// The addresses it listens on, with the ports it was given.
    pub const fn addresses(&self) -> Settings {
        self.addresses
    }

    /// Catches mails and shows them until `shutdown` completes; open sessions then end with the runtime. Fails when a page template is wrong or the
    /// page can no longer be served.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let mailbox = Arc::new(Mailbox::default());
        let pages = page::router(Arc::clone(&mailbox), self.addresses.page, self.webhook)?;
        let serving = axum::serve(self.page, pages).into_future();
        tokio::select! {
            served = serving => served?,
            () = accept_senders(self.mail, mailbox) => (),
            () = shutdown => (),
        }
        Ok(())
    }
}

/// Binds an address; the error names it.
async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address)
        .await
        .map_err(|source| Error::Listen { address, source })
}

/// Accepts senders, at most [`MAX_SESSIONS`] at once, and adds their mails to the mailbox. Never returns.
async fn accept_senders(listener: TcpListener, mailbox: Arc<Mailbox>) {
    let permits = Arc::new(Semaphore::new(MAX_SESSIONS));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((connection, _)) => {
                let mailbox = Arc::clone(&mailbox);
                tokio::spawn(async move {
                    if let Err(error) = session::serve(connection, &mailbox).await {
                        tracing::debug!(%error, "a sender went away");
                    }
                    drop(permit);
                });
            }
            Err(error) => tracing::warn!(%error, "a connection could not be taken"),
        }
    }
}

//! The mail server of the settings.

mod dialogue;

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error as SmtpError, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{Address, Message};
use runtime::settings::{Smtp, SmtpSecurity};
use thiserror::Error;
use tokio::time::timeout;

use dialogue::{DialogueError, Timers, step};

pub use dialogue::Phase;

/// Of account mails, which are sent again when a reply is late: shorter than a client of RFC 5321 would wait.
const TIMERS: Timers = Timers {
    reply: Duration::from_secs(20),
    body: Duration::from_mins(1),
};

/// For the reply to QUIT, which changes nothing.
const FAREWELL: Duration = Duration::from_secs(1);

/// How the connection is protected.
#[derive(Clone)]
enum Protection {
    None,
    /// Demanded: a server that does not offer it gets neither password nor mail.
    Starttls(TlsParameters),
    Tls(TlsParameters),
}

/// The mail server of the settings. Each mail has a connection of its own, which ends with it.
#[derive(Clone)]
pub struct MailServer {
    host: String,
    port: u16,
    protection: Protection,
    credentials: Option<Credentials>,
    from: Mailbox,
    timers: Timers,
}

/// Why the settings name no mail server that can be used.
#[derive(Debug, Error)]
pub enum MailServerError {
    /// The sender's address is malformed.
    #[error("VIGIE__SMTP__FROM is no address of a sender such as 'Vigie <vigie@company.example>': {0}")]
    From(#[from] lettre::address::AddressError),
    /// Only one of user and password is set.
    #[error("VIGIE__SMTP__USER and VIGIE__SMTP__PASSWORD go together: set both, or neither")]
    HalfSignIn,
    /// The name of the host is not valid for a certificate.
    #[error("VIGIE__SMTP__HOST '{host}' cannot be used with encryption: {source}")]
    Tls {
        /// The host in the settings.
        host: String,
        /// The error of the TLS library.
        source: SmtpError,
    },
}

/// Why the server did not take a mail.
#[derive(Debug, Error)]
#[error("the mail server {address} {}: {cause}", if *.is_final { "refuses it" } else { "did not take it" })]
pub struct DeliveryError {
    address: String,
    /// Whether another attempt would fail in the same way.
    pub is_final: bool,
    /// Whether the server may have taken the mail all the same.
    pub may_have_arrived: bool,
    #[source]
    cause: DialogueError,
}

impl MailServer {
    /// The server in the settings, with credentials only if user and password are set; `None` if they name no host. Does not connect yet. Without a
    /// port in the settings, it follows from the encryption.
    pub fn from_settings(settings: &Smtp) -> Result<Option<Self>, MailServerError> {
        let Some(host) = settings.host.as_deref().filter(|host| !host.is_empty()) else {
            return Ok(None);
        };
        let from: Mailbox = settings.from.parse()?;
        let tls = |wrap: fn(TlsParameters) -> Protection| {
            TlsParameters::new(host.to_owned())
                .map(wrap)
                .map_err(|source| MailServerError::Tls {
                    host: host.to_owned(),
                    source,
                })
        };
        let (protection, usual_port) = match settings.security {
            SmtpSecurity::Starttls => (tls(Protection::Starttls)?, SUBMISSION_PORT),
            SmtpSecurity::Tls => (tls(Protection::Tls)?, SUBMISSIONS_PORT),
            SmtpSecurity::None => (Protection::None, SMTP_PORT),
        };
        let password = settings.password.expose();
        let credentials = match settings.user.as_deref().filter(|user| !user.is_empty()) {
            Some(user) if !password.is_empty() => Some(Credentials::new(user.to_owned(), password.to_owned())),
            None if password.is_empty() => None,
            _ => return Err(MailServerError::HalfSignIn),
        };
        Ok(Some(Self {
            host: host.to_owned(),
            port: settings.port.unwrap_or(usual_port),
            protection,
            credentials,
            from,
            timers: TIMERS,
        }))
    }

    /// The same server, which may take `reply` for each reply and `body` for a mail. For tests of silent servers.
    #[must_use]
    pub fn with_patience(mut self, reply: Duration, body: Duration) -> Self {
        self.timers = Timers { reply, body };
        self
    }

    /// The address as `host:port`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The mailbox that mails are sent from.
    pub(crate) const fn from(&self) -> &Mailbox {
        &self.from
    }

    /// Connects to the server and signs in, without sending a mail; an error if either fails.
    pub async fn check(&self) -> Result<(), DeliveryError> {
        let mut connection = self.connect().await.map_err(|cause| self.not_taken(cause))?;
        let _ = timeout(FAREWELL, connection.quit()).await;
        Ok(())
    }

    /// Hands a mail to the server, which is responsible for it after `Ok`. Every reply has its time; the connection is given up with the mail.
    pub(crate) async fn send(&self, to: &Address, message: &Message) -> Result<(), DeliveryError> {
        let sent = async {
            let mut connection = self.connect().await?;
            let message = message.formatted();
            dialogue::hand_over(&mut connection, self.timers, &self.from.email, to, &message).await?;
            let _ = timeout(FAREWELL, connection.quit()).await;
            Ok(())
        };
        sent.await.map_err(|cause| self.not_taken(cause))
    }

    /// Connects, demands encryption where the settings do, and signs in.
    async fn connect(&self) -> Result<AsyncSmtpConnection, DialogueError> {
        let limit = self.timers.reply;
        let hello = ClientId::default();
        let wrapped = match &self.protection {
            Protection::Tls(parameters) => Some(parameters.clone()),
            Protection::None | Protection::Starttls(_) => None,
        };
        let server = (self.host.as_str(), self.port);
        let connect = AsyncSmtpConnection::connect_tokio1(server, Some(limit), &hello, wrapped, None);
        let mut connection = step(Phase::Connect, limit, connect).await?;
        if let Protection::Starttls(parameters) = &self.protection {
            let encrypt = connection.starttls(parameters.clone(), &hello);
            step(Phase::Connect, limit, encrypt).await?;
        }
        if let Some(credentials) = &self.credentials {
            let sign_in = connection.auth(DEFAULT_MECHANISMS, credentials);
            step(Phase::Connect, limit, sign_in).await?;
        }
        Ok(connection)
    }

    fn not_taken(&self, cause: DialogueError) -> DeliveryError {
        DeliveryError {
            address: self.address(),
            is_final: cause.is_final(),
            may_have_arrived: cause.may_have_arrived(),
            cause,
        }
    }
}

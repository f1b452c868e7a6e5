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

use dialogue::{Timers, step};

pub(crate) use dialogue::DialogueError;
pub use dialogue::Phase;

/// Of account mails, which are sent again when a reply is late: shorter than a client of RFC 5321 would wait.
const TIMERS: Timers = Timers {
    reply: Duration::from_secs(20),
    data: Duration::from_secs(20),
    body: Duration::from_mins(1),
};
/// Of mails that are never sent twice, as RFC 5321 (4.5.3.2) asks: servers take minutes for their reply to the body, which has ten after three for its blocks.
const PATIENT: Timers = Timers {
    reply: Duration::from_mins(5),
    data: Duration::from_mins(2),
    body: Duration::from_mins(13),
};
/// Before the second attempt, the third and so on: seconds for a server that restarts, hours for one that is down.
pub(crate) const RETRY_WAITS: [Duration; 9] = [
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(10),
    Duration::from_mins(30),
    Duration::from_hours(1),
    Duration::from_hours(2),
    Duration::from_hours(4),
    Duration::from_hours(8),
];

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
    domain: String,
    timers: Timers,
    patient: Timers,
}

/// Why the settings name no mail server that can be used.
#[derive(Debug, Error)]
pub enum MailServerError {
    /// The sender's address is malformed.
    #[error("VIGIE__SMTP__FROM is no address of a sender such as 'Vigie <vigie@company.example>': {0}")]
    From(#[from] lettre::address::AddressError),
    /// The domain of replies is malformed.
    #[error("VIGIE__SMTP__DOMAIN '{0}' is no domain that mail is sent to")]
    Domain(String),
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
        let domain = settings.domain.as_deref().filter(|domain| !domain.is_empty());
        let domain = domain.unwrap_or_else(|| from.email.domain()).to_ascii_lowercase();
        if Address::new("reply", &domain).is_err() || !domain.is_ascii() {
            return Err(MailServerError::Domain(domain));
        }
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
            domain,
            from,
            timers: TIMERS,
            patient: PATIENT,
        }))
    }

    /// The same server, which may take `reply` for each reply and `body` for a mail. For tests of silent servers.
    #[must_use]
    pub fn with_patience(mut self, reply: Duration, body: Duration) -> Self {
        let timers = Timers {
            reply,
            data: reply,
            body,
        };
        (self.timers, self.patient) = (timers, timers);
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

    /// The domain that replies and delivery reports come back to.
    pub(crate) fn domain(&self) -> &str {
        &self.domain
    }

    /// Connects to the server and signs in, without sending a mail; an error if either fails.
    pub async fn check(&self) -> Result<(), DeliveryError> {
        let mut connection = self.connect(self.timers).await.map_err(|cause| self.not_taken(cause))?;
        let _ = timeout(FAREWELL, connection.quit()).await;
        Ok(())
    }

    /// Hands a mail to the server, which is responsible for it after `Ok`. Every reply has its time; the connection is given up with the mail.
    pub(crate) async fn send(&self, to: &Address, message: &Message) -> Result<(), DeliveryError> {
        let sent = async {
            let mut connection = self.connect(self.timers).await?;
            let message = message.formatted();
            dialogue::announce(&mut connection, self.timers, &self.from.email, to, &message).await?;
            dialogue::send_body(&mut connection, self.timers, &message).await?;
            let _ = timeout(FAREWELL, connection.quit()).await;
            Ok(())
        };
        sent.await.map_err(|cause| self.not_taken(cause))
    }

    /// Hands a mail to the server from this envelope address, and returns the server's words. Between its reply to DATA and the first byte of the body, `fence` is
    /// asked: `None` when that says no, and nothing was sent. Never drop it before it ends: what the server replies then is lost.
    pub(crate) async fn send_fenced(
        &self,
        from: &Address,
        to: &Address,
        message: &[u8],
        fence: impl AsyncFnOnce() -> bool,
    ) -> Result<Option<String>, DialogueError> {
        let mut connection = self.connect(self.patient).await?;
        dialogue::announce(&mut connection, self.patient, from, to, message).await?;
        if !fence().await {
            return Ok(None);
        }
        let words = dialogue::send_body(&mut connection, self.patient, message).await?;
        let _ = timeout(FAREWELL, connection.quit()).await;
        Ok(Some(words))
    }

    /// Connects, demands encryption where the settings do, and signs in.
    async fn connect(&self, timers: Timers) -> Result<AsyncSmtpConnection, DialogueError> {
        let limit = timers.reply;
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

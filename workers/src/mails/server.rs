//! The connection to the mail server, and which of its errors are final.

use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::{Error as SmtpError, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use runtime::settings::{Smtp, SmtpSecurity};
use thiserror::Error;

/// The longest wait for one reply of the server.
const REPLY_LIMIT: Duration = Duration::from_secs(30);
/// The longest time for all replies to one mail; shorter than the lease of a mail.
pub(super) const DIALOGUE_LIMIT: Duration = Duration::from_mins(2);
/// Replies that ask for a sign-in or refuse it. They are not final: the mail can wait until the settings are corrected.
const SIGN_IN_REPLIES: [u16; 4] = [530, 534, 535, 538];

/// The mail server of the settings. Clones share its connections.
#[derive(Clone)]
pub struct MailServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    address: String,
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
    cause: CauseError,
}

/// What went wrong while a mail was handed over.
#[derive(Debug, Error)]
enum CauseError {
    #[error(transparent)]
    Smtp(SmtpError),
    #[error("it took longer than {} s", DIALOGUE_LIMIT.as_secs())]
    TooSlow,
}

impl MailServer {
    /// The server in the settings, with credentials only if user and password are set; `None` if they name no host. Does not connect yet. Without a
    /// port in the settings, it follows from the encryption.
    pub fn from_settings(settings: &Smtp) -> Result<Option<Self>, MailServerError> {
        let Some(host) = settings.host.as_deref().filter(|host| !host.is_empty()) else {
            return Ok(None);
        };
        let from: Mailbox = settings.from.parse()?;
        let tls = |wrap: fn(TlsParameters) -> Tls| {
            TlsParameters::new(host.to_owned())
                .map(wrap)
                .map_err(|source| MailServerError::Tls {
                    host: host.to_owned(),
                    source,
                })
        };
        let (security, usual_port) = match settings.security {
            SmtpSecurity::Starttls => (tls(Tls::Required)?, SUBMISSION_PORT),
            SmtpSecurity::Tls => (tls(Tls::Wrapper)?, SUBMISSIONS_PORT),
            SmtpSecurity::None => (Tls::None, SMTP_PORT),
        };
        let port = settings.port.unwrap_or(usual_port);
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(port)
            .tls(security)
            .timeout(Some(REPLY_LIMIT));
        let password = settings.password.expose();
        match settings.user.as_deref().filter(|user| !user.is_empty()) {
            Some(user) if !password.is_empty() => {
                transport = transport.credentials(Credentials::new(user.to_owned(), password.to_owned()));
            }
            None if password.is_empty() => {}
            _ => return Err(MailServerError::HalfSignIn),
        }
        Ok(Some(Self {
            transport: transport.build(),
            from,
            address: format!("{host}:{port}"),
        }))
    }

    /// The address as `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The mailbox that mails are sent from.
    pub(super) fn from(&self) -> &Mailbox {
        &self.from
    }

    /// Connects to the server and signs in, without sending a mail; an error if either fails.
    pub async fn check(&self) -> Result<(), DeliveryError> {
        match self.transport.test_connection().await {
            Ok(_) => Ok(()),
            Err(cause) => Err(self.not_taken(cause)),
        }
    }

    /// Hands a mail to the server, which is responsible for it after `Ok`. Fails after [`DIALOGUE_LIMIT`], with an error that is not final.
    pub(super) async fn send(&self, message: Message) -> Result<(), DeliveryError> {
        match tokio::time::timeout(DIALOGUE_LIMIT, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(cause)) => Err(self.not_taken(cause)),
            Err(_) => Err(DeliveryError {
                address: self.address.clone(),
                is_final: false,
                cause: CauseError::TooSlow,
            }),
        }
    }

    /// The error of a failed request: final, so that nothing is retried, for permanent refusals, except [`SIGN_IN_REPLIES`].
    fn not_taken(&self, cause: SmtpError) -> DeliveryError {
        let code = cause.status().map(u16::from);
        DeliveryError {
            address: self.address.clone(),
            is_final: cause.is_permanent() && !code.is_some_and(|code| SIGN_IN_REPLIES.contains(&code)),
            cause: CauseError::Smtp(cause),
        }
    }
}

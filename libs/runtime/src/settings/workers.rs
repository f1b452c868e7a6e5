//! The workers, the mails they send, the search volumes they read, and the cases they open.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::Secret;

/// The queue consumers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Workers {
    /// Address of `/metrics` and the health checks.
    pub operations_listen: SocketAddr,
    /// Milliseconds between two passes over due terms.
    pub tick_millis: u64,
    /// Whether changed terms begin a pass at once.
    pub plan_changes_at_once: bool,
    /// Captures at the same time in one process.
    pub concurrency: usize,
    /// Bytes that must be free where captured pages are kept; below it no page is captured.
    pub least_free_bytes: u64,
}

impl Default for Workers {
    /// Operations on the loopback interface, two captures at a time, a pass every 30 s and when terms change.
    fn default() -> Self {
        Self {
            operations_listen: SocketAddr::from(([127, 0, 0, 1], 8082)),
            tick_millis: 30_000,
            plan_changes_at_once: true,
            concurrency: 2,
            least_free_bytes: 512 << 20,
        }
    }
}

/// The mail server that sends Vigie's mails.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Smtp {
    /// The name of its host; absent: mails wait, and `vigie up` starts a catcher that shows them instead of sending them.
    pub host: Option<String>,
    /// The port; absent: 587 with `starttls`, 465 with `tls`, 25 with `none`.
    pub port: Option<u16>,
    /// How the connection is encrypted.
    pub security: SmtpSecurity,
    /// The name of the user; absent: the server asks for none.
    pub user: Option<String>,
    /// The password of that user.
    pub password: Secret,
    /// The sender of mails, as in `Vigie <vigie@company.example>`.
    pub from: String,
    /// The domain that replies of advertisers and delivery reports are sent to, as in `mail.company.example`; absent: that of `from`.
    pub domain: Option<String>,
}

impl Default for Smtp {
    /// No server, so that mails wait; STARTTLS once a host is set.
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            security: SmtpSecurity::Starttls,
            user: None,
            password: Secret::default(),
            from: "Vigie <vigie@localhost>".to_owned(),
            domain: None,
        }
    }
}

/// The service that counts how often words are searched in a month.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchVolumes {
    /// The address that questions are sent to; absent: terms with the automatic frequency are captured every day, and `vigie up` asks its simulator.
    pub url: Option<Url>,
    /// Questions an hour at most, over all processes; each is about 200 terms or fewer.
    pub questions_per_hour: u32,
}

impl Default for SearchVolumes {
    /// No service; ten questions a minute once there is one.
    fn default() -> Self {
        Self {
            url: None,
            questions_per_hour: 600,
        }
    }
}

/// How the connection to the mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpSecurity {
    /// Begins in the clear and is encrypted before mails or credentials are sent.
    Starttls,
    /// Encrypted from the start.
    Tls,
    /// Not encrypted, for a server on this machine.
    None,
}

/// The cases of advertisers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Actions {
    /// Days an advertiser that agreed has to stop, before it counts as seen again (decision D42).
    pub reappearance_grace_days: u32,
    /// Days without a sighting after which an advertiser counts as gone (decision D54).
    pub disappear_days: u32,
    /// First mails that Vigie writes by itself for one brand on a day at most (decision D47).
    pub auto_notify_daily_max: u32,
    /// First and reminder mails that leave on a day (UTC) at most, once the sender has warmed up (decision D175).
    pub mail_daily_max: u32,
    /// Whether mails to advertisers carry a picture that says when they are opened (`MAIL_OPEN_PIXEL`, decision D179); off: nobody is followed.
    pub open_pixel: bool,
}

impl Default for Actions {
    fn default() -> Self {
        Self {
            reappearance_grace_days: 7,
            disappear_days: 30,
            auto_notify_daily_max: 50,
            mail_daily_max: 1_000,
            open_pixel: false,
        }
    }
}

//! How replies to Vigie's mails and reports of mail servers come in.

use serde::{Deserialize, Serialize};

use crate::Secret;

/// Mail that comes in: posted by a mail server, read from a mailbox, or both.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Inbound {
    /// What a mail server that posts mails to `/api/Emails/inbound` must know; absent: no mail is taken there.
    pub secret: Option<Secret>,
    /// The mailbox that replies are read from.
    pub imap: Imap,
}

/// A mailbox that is read over IMAP. Nothing in it is changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Imap {
    /// The name of its host; absent: no mailbox is read.
    pub host: Option<String>,
    /// The port; absent: 993 with `tls`, 143 otherwise.
    pub port: Option<u16>,
    /// How the connection is encrypted.
    pub security: ImapSecurity,
    /// The name of the user.
    pub user: String,
    /// The password of that user.
    pub password: Secret,
    /// The folder that is read.
    pub mailbox: String,
    /// Seconds between two looks at it.
    pub poll_seconds: u64,
}

impl Default for Imap {
    /// No mailbox; encrypted, and looked at every two minutes, once there is one (decision D151).
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            security: ImapSecurity::Tls,
            user: String::new(),
            password: Secret::default(),
            mailbox: "INBOX".to_owned(),
            poll_seconds: 120,
        }
    }
}

/// How the connection to the mailbox is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImapSecurity {
    /// Encrypted from the start.
    Tls,
    /// Not encrypted, for a server on this machine.
    None,
}

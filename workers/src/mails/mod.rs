//! Sending the mails that wait in the outbox.
//!
//! A mail is leased while the mail server is spoken to. A process that dies meanwhile leaves a lease that runs out, and the mail is sent again
//! under the same Message-ID: a mail may come twice after a crash, and is never lost.

mod compose;
mod server;

use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use postgres::mails::{self, ClaimedMail};
use postgres::users::{self, PROOF_DAYS, Proof};
use postgres::{Pool, tokens};
use runtime::Clock;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use url::Url;
use vocabulary::{Language, MailKind};

pub use compose::ComposeError;
pub use server::{DeliveryError, MailServer, MailServerError};

use crate::GRACE;
use compose::Letter;

/// Mails spoken about with the server at the same time.
const AT_ONCE: i64 = 4;
/// Longer than the server may take ([`server::WHOLE_DIALOGUE`]), so that only the mails of dead processes are claimed again.
const LEASE: Duration = Duration::from_mins(3);
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// Before the second try, the third and so on: some seconds for a server that restarts, hours for one that is down. After the last a mail is
/// given up.
const WAITS: [Duration; 9] = [
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
/// How long a link to choose a new password works (decision D25), and that of a new account.
const RESET_TTL: Duration = Duration::from_hours(1);
const ACCOUNT_TTL: Duration = Duration::from_hours(3 * 24);

/// Sends mails. Clones share the connections to the server.
#[derive(Clone)]
pub struct Sender {
    /// The outbox.
    pub postgres: Pool,
    /// The time tokens are made at.
    pub clock: Clock,
    /// The mail server.
    pub server: MailServer,
    /// The address users type, for links.
    pub public_url: Url,
}

/// What came of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum MailEnd {
    Sent,
    /// Not now; it is tried again.
    Later,
    Dead,
    /// There is nobody to send it to, or nothing to say any more.
    Dropped,
}

/// Why a mail was not sent.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    #[error("it cannot be written: {0}")]
    Compose(#[from] ComposeError),
    #[error(transparent)]
    Server(#[from] DeliveryError),
}

impl Sender {
    /// Sends what waits until `shutdown`; what is under way then may take [`GRACE`], and is left to its lease after that.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut beat = tokio::time::interval(BETWEEN_LOOKS);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = beat.tick() => {}
            }
            while !shutdown.is_cancelled() {
                tokio::select! {
                    passed = self.pass() => match passed {
                        Ok(0) => break,
                        Ok(_) => {}
                        Err(error) => {
                            tracing::warn!(%error, "mails could not be claimed");
                            break;
                        }
                    },
                    () = async { shutdown.cancelled().await; tokio::time::sleep(GRACE).await } => return,
                }
            }
        }
    }

    /// Claims some of the mails that are due, tries each once, and answers how many there were.
    pub async fn pass(&self) -> Result<usize, postgres::Error> {
        let claimed = mails::claim(&self.postgres, AT_ONCE, LEASE).await?;
        join_all(claimed.iter().map(|mail| self.send_one(mail))).await;
        Ok(claimed.len())
    }

    async fn send_one(&self, mail: &ClaimedMail) {
        let kind = mail.kind.to_string();
        match self.try_once(mail).await {
            Ok(end) => {
                tracing::info!(kind, %end, tries = mail.tries(), mail = mail.message_id, "mail");
                metrics::counter!("vigie_mails_total", "kind" => kind, "end" => end.to_string()).increment(1);
            }
            // Its lease runs out, and it is claimed again.
            Err(error) => {
                tracing::warn!(kind, %error, mail = mail.message_id, "what came of a mail could not be noted");
            }
        }
    }

    async fn try_once(&self, mail: &ClaimedMail) -> Result<MailEnd, postgres::Error> {
        if mail.kind.worth_sending_for().is_some_and(|limit| mail.age > limit) {
            mails::give_up(&self.postgres, mail, "nobody waits for it any more").await?;
            return Ok(MailEnd::Dead);
        }
        match self.deliver(mail).await {
            Ok(true) => {
                mails::sent(&self.postgres, mail).await?;
                Ok(MailEnd::Sent)
            }
            Ok(false) => {
                mails::forget(&self.postgres, mail).await?;
                Ok(MailEnd::Dropped)
            }
            Err(trouble) => self.settle(mail, &trouble).await,
        }
    }

    async fn settle(&self, mail: &ClaimedMail, trouble: &SendError) -> Result<MailEnd, postgres::Error> {
        let reason = trouble.to_string();
        let is_final = match trouble {
            SendError::Postgres(_) => false,
            SendError::Compose(_) => true,
            SendError::Server(refusal) => refusal.is_final,
        };
        let wait = mail.tries().checked_sub(1).and_then(|waited| WAITS.get(waited));
        if let Some(wait) = wait.filter(|_| !is_final) {
            tracing::warn!(kind = %mail.kind, reason, wait_seconds = wait.as_secs(), "a mail was not taken and is tried again");
            mails::put_off(&self.postgres, mail, *wait, &reason).await?;
            Ok(MailEnd::Later)
        } else {
            tracing::error!(kind = %mail.kind, reason, "a mail is given up");
            mails::give_up(&self.postgres, mail, &reason).await?;
            Ok(MailEnd::Dead)
        }
    }

    /// Writes a mail and hands it to the server. `false`: there is nobody to write to, or nothing to say any more.
    async fn deliver(&self, mail: &ClaimedMail) -> Result<bool, SendError> {
        let Some(addressee) = mails::addressee(&self.postgres, mail).await? else {
            return Ok(false);
        };
        let language = mail.language.or(addressee.language).unwrap_or(Language::En);
        let template = mails::template(&self.postgres, mail.kind, language).await?;
        let (link, made) = match mail.kind {
            MailKind::Reset | MailKind::Account => {
                let ttl = if mail.kind == MailKind::Reset {
                    RESET_TTL
                } else {
                    ACCOUNT_TTL
                };
                let token = tokens::fresh();
                let new = tokens::NewToken {
                    digest: &tokens::digest(&token),
                    user: addressee.id,
                    ttl: i64::try_from(ttl.as_secs()).unwrap_or_default(),
                    scopes: Some(&[tokens::RESET_SCOPE.to_owned()]),
                    created: self.clock.now(),
                    made_in: None,
                    impersonated_by: None,
                    user_agent: None,
                };
                let made = tokens::create(&self.postgres, &new).await?;
                // What follows the hash is sent to no server: neither logs nor referrers have it.
                let mut link = self.link(&["reset"]);
                link.set_fragment(Some(&token));
                (link, Some(made))
            }
            MailKind::Verify => {
                let token = tokens::fresh();
                let proof = Proof {
                    digest: hex::encode(tokens::digest(&token)),
                    ends: self.clock.now() + TimeDelta::days(PROOF_DAYS),
                };
                users::set_proof(&self.postgres, addressee.id, Some(&proof)).await?;
                let mut link = self.link(&["api", "UserAccounts", "confirm"]);
                link.query_pairs_mut()
                    .append_pair("uid", &addressee.id.to_string())
                    .append_pair("token", &token)
                    .append_pair("redirect", "/login");
                (link, None)
            }
            MailKind::Password => (self.link(&["forgot"]), None),
        };
        let letter = Letter {
            template: &template,
            addressee: &addressee,
            language,
            link: link.as_str(),
            message_id: &mail.message_id,
        };
        let outcome = match compose::message(&letter, self.server.from()) {
            Ok(message) => self.server.send(message).await.map_err(SendError::from),
            Err(error) => Err(error.into()),
        };
        if let (Err(_), Some(token)) = (&outcome, made) {
            // Nobody has this link.
            tokens::revoke(&self.postgres, token).await?;
        }
        outcome.map(|()| true)
    }

    /// A page of this site.
    fn link(&self, segments: &[&str]) -> Url {
        let mut link = self.public_url.clone();
        if let Ok(mut path) = link.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        link
    }
}

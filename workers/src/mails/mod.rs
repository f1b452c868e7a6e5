//! Sending the mails that wait in the outbox.
//!
//! A mail is leased while it is handed to the mail server. If the process dies meanwhile, the lease runs out and the mail is sent again under
//! the same Message-ID: after a crash a mail may arrive twice, but none is lost.

mod compose;

use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use outreach::{Digest, DigestError, MonthlyReport};
use postgres::mails::{self, ClaimedMail};
use postgres::report_files::{self, Progress, ReportOrder};
use postgres::tokens::TokenId;
use postgres::users::{self, PROOF_DAYS, Proof};
use postgres::{Pool, tokens};
use runtime::Clock;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use url::Url;
use vocabulary::{Language, MailKind, UserId};

pub use compose::ComposeError;
pub use outreach::DigestStores;

use crate::GRACE;
use crate::smtp::{DeliveryError, MailServer, RETRY_WAITS};
use compose::Letter;

/// Mails handed to the server at the same time.
const AT_ONCE: i64 = 4;
/// Longer than the server may take for all its replies, so that only the mails of dead processes are claimed again.
const LEASE: Duration = Duration::from_mins(4);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a link to choose a new password is valid (decision D25), and the link of a new account.
const RESET_TTL: Duration = Duration::from_hours(1);
const ACCOUNT_TTL: Duration = Duration::from_hours(3 * 24);
/// Attempts of a digest that are put off while its report is printed: by ten seconds, half a minute and two minutes.
const WAITS_FOR_REPORT: usize = 3;
/// A report that was asked for since then is sent, too.
const REPORTS_REUSED: TimeDelta = TimeDelta::minutes(30);
/// What a mail says whose words are written already.
const OWN_SUBJECT: &str = "{{ subject }}";
const OWN_BODY: &str = "{{ letter }}";

/// What sends the mails of the outbox: their store, the server and the texts.
#[derive(Clone)]
pub struct Sender {
    /// The store of the outbox, accounts and tokens.
    pub postgres: Pool,
    /// The clock for the times of tokens.
    pub clock: Clock,
    /// The mail server to send through.
    pub server: MailServer,
    /// The base of the links in mails.
    pub public_url: Url,
    /// What the digests of alerts are made from.
    pub digests: DigestStores,
}

/// How an attempt to send a mail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum MailEnd {
    Sent,
    /// It is tried again.
    Later,
    Dead,
    /// The server may have it; it is not sent again.
    Unknown,
    /// There is no account for it, or the account may not have it any more; it was deleted.
    Dropped,
}

/// Why a mail was not sent.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    #[error("it cannot be written: {0}")]
    Compose(#[from] ComposeError),
    #[error("its figures are not known: {0}")]
    Digest(#[from] DigestError),
    #[error("its report is not printed yet")]
    ReportWaits,
    #[error(transparent)]
    Server(#[from] DeliveryError),
}

impl Sender {
    /// Sends waiting mails until `shutdown`, looking for them every [`CHECK_INTERVAL`]. Mails under way at the shutdown may take [`GRACE`]; after
    /// that they are left to their leases.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        let mut beat = tokio::time::interval(CHECK_INTERVAL);
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

    /// Claims up to [`AT_ONCE`] mails that are due, tries to send each once, and returns how many were claimed. A mail that fails is put off or given
    /// up, which is no error.
    pub async fn pass(&self) -> Result<usize, postgres::Error> {
        mails::settle_handed_over(&self.postgres).await?;
        let claimed = mails::claim(&self.postgres, AT_ONCE, LEASE).await?;
        join_all(claimed.iter().map(|mail| self.send_one(mail))).await;
        Ok(claimed.len())
    }

    /// Tries to send a claimed mail, records and logs the end, and counts it. If the end cannot be recorded, the mail is claimed again once its lease
    /// runs out.
    async fn send_one(&self, mail: &ClaimedMail) {
        let kind = mail.kind.to_string();
        match self.try_once(mail).await {
            Ok(end) => {
                tracing::info!(kind, %end, tries = mail.tries(), mail = mail.id(), "mail");
                metrics::counter!("vigie_mails_total", "kind" => kind, "end" => end.to_string()).increment(1);
            }
            Err(error) => {
                tracing::warn!(kind, %error, mail = mail.id(), "what came of a mail could not be noted");
            }
        }
    }

    /// Tries to send a claimed mail and records how that ended. A failed delivery is recorded too and is no error: only a failure of the database is
    /// one here. A mail too old for its kind is given up without an attempt; one whose account no longer exists is deleted.
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
            Err(error) => self.settle(mail, &error).await,
        }
    }

    /// Records a failed attempt: the mail is put off by the next of [`RETRY_WAITS`], or given up if the error is final or there were too many
    /// attempts.
    async fn settle(&self, mail: &ClaimedMail, error: &SendError) -> Result<MailEnd, postgres::Error> {
        let reason = error.to_string();
        let is_final = match error {
            SendError::Server(error) if error.may_have_arrived && mail.kind.is_sent_once() => {
                mails::lose_sight(&self.postgres, mail, &reason).await?;
                return Ok(MailEnd::Unknown);
            }
            SendError::Postgres(_) | SendError::Digest(_) | SendError::ReportWaits => false,
            SendError::Compose(_) => true,
            SendError::Server(error) => error.is_final,
        };
        let wait = mail
            .tries()
            .checked_sub(1)
            .and_then(|failures| RETRY_WAITS.get(failures));
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

    /// Composes a mail in its language, else that of the account, else English, with a fresh token where its kind has a link with one, and hands it
    /// to the server. `false`, without sending it, if it has no account. The token of a reset or account mail that could not be sent is revoked; that
    /// of a verify mail stays and replaces the one before.
    async fn deliver(&self, mail: &ClaimedMail) -> Result<bool, SendError> {
        let Some(addressee) = mails::addressee(&self.postgres, mail).await? else {
            return Ok(false);
        };
        let language = mail.language.or(addressee.language).unwrap_or(Language::En);
        let digest = match mail.digest {
            Some(period) => {
                let reader = (addressee.id, language);
                self.digests.digest(period, reader, &self.public_url).await?
            }
            None => Some(Digest::default()).filter(|_| mail.kind != MailKind::Alert),
        };
        let Some(digest) = digest else {
            return Ok(false);
        };
        let language = digest.language().unwrap_or(language);
        let report = match &digest.report {
            Some(report) => self.report(mail, report, (addressee.id, language)).await?,
            None => None,
        };
        let (link, token) = self.link_in(mail.kind, addressee.id).await?;
        let own = digest.write_own(addressee.called(), &link);
        let mut texts = texts::mail(language, mail.kind);
        let mut tried = (mail.tried.0.as_str(), mail.tried.1.as_str());
        if let Some(own) = &own {
            OWN_SUBJECT.clone_into(&mut texts.subject);
            OWN_BODY.clone_into(&mut texts.body);
            tried = (&own.subject, &own.body);
        }
        let unsubscribe = mail
            .digest
            .map(|_| self.link(&["api", "alerts", "unsubscribe", &mail.leave_key.to_string()]));
        let letter = Letter {
            texts: &texts,
            addressee: &addressee,
            language,
            link: link.as_str(),
            tried,
            digest: &digest,
            report: report.as_ref(),
            unsubscribe: unsubscribe.as_ref().map(Url::as_str),
            message_id: &mail.message_id,
        };
        let outcome = match compose::message(&letter, self.server.from()) {
            Ok((to, message)) => {
                if mail.kind.is_sent_once() {
                    mails::hand_over(&self.postgres, mail, self.clock.now()).await?;
                }
                self.server.send(&to, &message).await.map_err(SendError::from)
            }
            Err(error) => Err(error.into()),
        };
        if let (Err(_), Some(token)) = (&outcome, token) {
            tokens::revoke(&self.postgres, token).await?;
        }
        outcome.map(|()| true)
    }

    /// The file of a digest's report, with its name: printed as its reader sees it, and asked for here where nobody has yet. `ReportWaits` while it is
    /// printed; `None` where it cannot be, or is not by the attempt [`WAITS_FOR_REPORT`]: the digest has its link.
    async fn report(
        &self,
        mail: &ClaimedMail,
        report: &MonthlyReport,
        (user, language): (UserId, Language),
    ) -> Result<Option<(String, Vec<u8>)>, SendError> {
        let order = ReportOrder {
            user,
            brand: Some(report.brand),
            month: report.first_day,
            language,
            time_zone: self.digests.zone,
        };
        let now = self.clock.now();
        match report_files::find_since(&self.postgres, &order, now - REPORTS_REUSED).await? {
            Some((id, Progress::Ready)) => {
                let pdf = report_files::pdf(&self.postgres, user, id).await?;
                let name = format!("report-{}.pdf", order.month.format("%Y-%m"));
                Ok(pdf.map(|pdf| (name, pdf)))
            }
            Some((_, Progress::Failed)) => Ok(None),
            Some((_, Progress::Waiting)) | None if mail.tries() > WAITS_FOR_REPORT => Ok(None),
            Some((_, Progress::Waiting)) => Err(SendError::ReportWaits),
            None => {
                let mut connection = self.postgres.acquire().await.map_err(postgres::Error::from)?;
                report_files::request(&mut connection, &order, now).await?;
                Err(SendError::ReportWaits)
            }
        }
    }

    /// The link of a mail of this kind to `user`. Stores the fresh token that the link carries, if its kind has one: of a verify link as the user's
    /// proof, which replaces the one before; of a reset or account link as a token of its own, whose id is returned as well.
    async fn link_in(&self, kind: MailKind, user: UserId) -> Result<(Url, Option<TokenId>), postgres::Error> {
        match kind {
            MailKind::Reset => self.password_link(user, RESET_TTL).await,
            MailKind::Account => self.password_link(user, ACCOUNT_TTL).await,
            MailKind::Verify => {
                let token = tokens::fresh();
                let proof = Proof {
                    digest: hex::encode(tokens::digest(&token)),
                    ends: self.clock.now() + TimeDelta::days(PROOF_DAYS),
                };
                users::set_proof(&self.postgres, user, Some(&proof)).await?;
                let mut link = self.link(&["api", "UserAccounts", "confirm"]);
                link.query_pairs_mut()
                    .append_pair("uid", &user.to_string())
                    .append_pair("token", &token)
                    .append_pair("redirect", "/login");
                Ok((link, None))
            }
            MailKind::Password | MailKind::SecondFactor => Ok((self.link(&["forgot"]), None)),
            MailKind::Alert => Ok((self.link(&["actions"]), None)),
            MailKind::Stranded | MailKind::Stopped => Ok((self.link(&["stop-go-management"]), None)),
            MailKind::Revoked | MailKind::Version => Ok((self.link(&["google-connect"]), None)),
            MailKind::Trial => Ok((self.link(&[]), None)),
        }
    }

    /// A link on which `user` chooses a password, with a fresh token that lives for `ttl`; returns the id of the stored token as well.
    async fn password_link(&self, user: UserId, ttl: Duration) -> Result<(Url, Option<TokenId>), postgres::Error> {
        let token = tokens::fresh();
        let new = tokens::NewToken {
            digest: &tokens::digest(&token),
            user,
            ttl: i64::try_from(ttl.as_secs()).unwrap_or_default(),
            scopes: Some(&[tokens::RESET_SCOPE.to_owned()]),
            created: self.clock.now(),
            made_in: None,
            impersonated_by: None,
            user_agent: None,
        };
        let created = tokens::create(&self.postgres, &new).await?;
        // Browsers never send the fragment, so neither logs nor referrers contain the token.
        let mut link = self.link(&["reset"]);
        link.set_fragment(Some(&token));
        Ok((link, Some(created)))
    }

    /// The address of a page of this site: the path segments below the public URL.
    fn link(&self, segments: &[&str]) -> Url {
        let mut link = self.public_url.clone();
        if let Ok(mut path) = link.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        link
    }
}

//! Answers to the mails caught, as advertisers and their mail servers give them, so that the whole exchange can be tried on one machine.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use runtime::{Clock, Secret};
use thiserror::Error;

use crate::mailbox::Mail;

/// Where answers are posted to: the webhook of the API for mails that come in.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The address of the webhook.
    pub url: String,
    /// What it asks for.
    pub secret: Secret,
}

/// Why an answer did not arrive.
#[derive(Debug, Error)]
pub(crate) enum AnswerError {
    #[error("the API cannot be reached: {0}")]
    Unreachable(#[from] reqwest::Error),
    #[error("the API says {0}")]
    Refused(reqwest::StatusCode),
}

/// What an advertiser, or a server for it, answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerKind {
    /// Somebody agrees to stop.
    Reply,
    /// An absence note.
    OutOfOffice,
    /// The address does not exist.
    HardBounce,
    /// The server does not take our mails.
    PolicyBounce,
    /// Somebody who has nothing to do with it.
    WrongPerson,
}

/// A mail with its envelope.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub from: String,
    pub to: String,
    pub raw: String,
}

/// Makes answers of the same microsecond differ.
static COUNT: AtomicU64 = AtomicU64::new(1);

/// Whether a mail has an address that answers come back to; mails to the holders of accounts have none.
pub(crate) fn can_be_answered(mail: &Mail) -> bool {
    reply_to(mail).is_some()
}

/// The answers of all recipients of a mail; none to one that cannot be answered.
pub(crate) fn compose(mail: &Mail, kind: AnswerKind, is_french: bool) -> Vec<Outgoing> {
    let Some(reply_to) = reply_to(mail) else {
        return Vec::new();
    };
    let now = Clock::system().now();
    let answer = |recipient: &String| {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}.{number}@answers.example", now.timestamp_micros());
        match kind {
            AnswerKind::HardBounce => bounce(mail, recipient, "5.1.1", "550 5.1.1 No such user", (&id, now)),
            AnswerKind::PolicyBounce => bounce(mail, recipient, "5.7.1", "550 5.7.1 Refused by our policy", (&id, now)),
            _ => letter(mail, (recipient, &reply_to), (kind, is_french), (&id, now)),
        }
    };
    mail.to.iter().map(answer).collect()
}

/// Posts an answer.
pub(crate) async fn post(webhook: &Webhook, answer: Outgoing) -> Result<(), AnswerError> {
    let response = reqwest::Client::new()
        .post(&webhook.url)
        .bearer_auth(webhook.secret.expose())
        .header("Content-Type", "message/rfc822")
        .header("X-Envelope-From", answer.from)
        .header("X-Envelope-To", answer.to)
        .body(answer.raw)
        .send()
        .await?;
    if response.status().is_success() {
        Ok(())
    } else {
        Err(AnswerError::Refused(response.status()))
    }
}

/// The address in the field Reply-To.
fn reply_to(mail: &Mail) -> Option<String> {
    let value = mail
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("reply-to"));
    let value = value.map(|(_, value)| value.trim())?;
    let address = value.rsplit_once('<').map_or(value, |(_, address)| address);
    let address = address.trim_end_matches('>').trim();
    (address.contains('@') && !address.contains(char::is_whitespace)).then(|| address.to_owned())
}

/// An answer in words.
fn letter(
    mail: &Mail,
    (recipient, reply_to): (&str, &str),
    (kind, is_french): (AnswerKind, bool),
    (id, now): (&str, DateTime<Utc>),
) -> Outgoing {
    let (prefix, text) = match (kind, is_french) {
        (AnswerKind::OutOfOffice, false) => (
            "Automatic reply: ",
            "I am out of the office until Monday and will read your mail then.",
        ),
        (AnswerKind::OutOfOffice, true) => (
            "Réponse automatique : ",
            "Je suis absent du bureau jusqu'à lundi ; je lirai votre message à mon retour.",
        ),
        (AnswerKind::WrongPerson, false) => (
            "Re: ",
            "I have nothing to do with this shop. Please write to somebody else.",
        ),
        (AnswerKind::WrongPerson, true) => (
            "Re: ",
            "Je n'ai rien à voir avec cette boutique. Merci de vous adresser à quelqu'un d'autre.",
        ),
        (_, false) => ("Re: ", "We have removed these ads and will not show them again."),
        (_, true) => ("Re: ", "Nous avons retiré ces annonces et ne les diffuserons plus."),
    };
    let is_automatic = kind == AnswerKind::OutOfOffice;
    // A program answers to the envelope, without a sender of its own.
    let (from, to) = if is_automatic {
        ("", mail.from.as_str())
    } else {
        (recipient, reply_to)
    };
    let mark = if is_automatic {
        "Auto-Submitted: auto-replied\r\n"
    } else {
        ""
    };
    let quoted: String = mail
        .text
        .iter()
        .flat_map(|text| text.lines())
        .fold(String::new(), |quoted, line| quoted + "> " + line + "\r\n");
    let subject = one_line(&format!("{prefix}{}", mail.subject));
    let answered = mail.message_id.as_deref().map(one_line).unwrap_or_default();
    Outgoing {
        from: from.to_owned(),
        to: to.to_owned(),
        raw: format!(
            "From: {recipient}\r\nTo: {reply_to}\r\nSubject: {subject}\r\nDate: {date}\r\nMessage-ID: <{id}>\r\nIn-Reply-To: <{answered}>\r\n\
             References: <{answered}>\r\n{mark}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\
             {text}\r\n\r\n{quoted}",
            date = now.to_rfc2822()
        ),
    }
}

/// A report of a mail server (RFC 3464).
fn bounce(mail: &Mail, recipient: &str, status: &str, says: &str, (id, now): (&str, DateTime<Utc>)) -> Outgoing {
    let host = recipient.rsplit('@').next().unwrap_or_default();
    let header: Vec<String> = mail
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}\r\n", one_line(value)))
        .collect();
    let header = header.concat();
    Outgoing {
        from: String::new(),
        to: mail.from.clone(),
        raw: format!(
            "From: Mail Delivery System <MAILER-DAEMON@mx.{host}>\r\nTo: {to}\r\nSubject: Undelivered Mail Returned to Sender\r\nDate: {date}\r\n\
             Message-ID: <{id}>\r\nAuto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=\"report\"\r\n\r\n\
             --report\r\nContent-Type: text/plain\r\n\r\nThe mail to {recipient} could not be delivered: {says}\r\n\r\n\
             --report\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.{host}\r\n\r\nFinal-Recipient: rfc822; {recipient}\r\n\
             Action: failed\r\nStatus: {status}\r\nDiagnostic-Code: smtp; {says}\r\n\r\n\
             --report\r\nContent-Type: text/rfc822-headers\r\n\r\n{header}\r\n--report--\r\n",
            to = mail.from,
            date = now.to_rfc2822()
        ),
    }
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mailbox::Mailbox;

    fn caught(reply_to: &str) -> std::sync::Arc<Mail> {
        let mailbox = Mailbox::default();
        let source = format!("Message-ID: <ours@mail.example>\r\n{reply_to}Subject: Your ads\r\n\r\nHello\r\n");
        let to = vec!["ann@shop.example".to_owned(), "bob@shop.example".to_owned()];
        mailbox.add("bounce+b@mail.example".to_owned(), to, source.into_bytes());
        mailbox.all().remove(0)
    }

    #[test]
    fn people_answer_to_the_reply_address_and_machines_to_that_of_the_envelope() {
        let mail = caught("Reply-To: Ads <reply+r@mail.example>\r\n");
        let replies = compose(&mail, AnswerKind::Reply, true);
        assert_eq!(replies.len(), 2);
        assert_eq!(
            (replies[0].from.as_str(), replies[0].to.as_str()),
            ("ann@shop.example", "reply+r@mail.example")
        );
        assert!(replies[0].raw.contains("In-Reply-To: <ours@mail.example>") && replies[0].raw.contains("> Hello"));
        for kind in [
            AnswerKind::OutOfOffice,
            AnswerKind::HardBounce,
            AnswerKind::PolicyBounce,
        ] {
            let answers = compose(&mail, kind, false);
            assert_eq!(
                (answers[1].from.as_str(), answers[1].to.as_str()),
                ("", "bounce+b@mail.example"),
                "{kind:?}"
            );
            assert_ne!(answers[0].raw, answers[1].raw);
        }
    }

    #[test]
    fn a_mail_without_an_address_for_replies_is_not_answered() {
        let mail = caught("");
        assert!(!can_be_answered(&mail));
        assert_eq!(compose(&mail, AnswerKind::Reply, false), []);
    }
}

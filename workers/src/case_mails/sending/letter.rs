//! A mail to an advertiser as bytes: its headers, its text and the same as HTML, and its files.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use minijinja::HtmlEscape;
use postgres::case_mails::{ClaimedDelivery, EarlierMail, message_id};
use thiserror::Error;
use url::Url;

/// The header References is as long at most: servers refuse or cut longer ones.
const MAX_REFERENCES: usize = 1_500;

/// Why a mail cannot be composed.
#[derive(Debug, Error)]
pub(super) enum LetterError {
    /// The address of the recipient is malformed.
    #[error("its address is none: {0}")]
    Address(#[from] lettre::address::AddressError),
    /// A header or a part cannot be encoded.
    #[error(transparent)]
    Message(#[from] lettre::error::Error),
    /// The type of a file is malformed.
    #[error("the type of a file is none: {0}")]
    ContentType(#[from] lettre::message::header::ContentTypeErr),
}

/// A composed mail.
pub(super) struct Letter {
    /// Where delivery reports go.
    pub(super) from: Address,
    /// Where the mail goes.
    pub(super) to: Address,
    /// Its Message-ID, without angle brackets.
    pub(super) message_id: String,
    /// All of it.
    pub(super) bytes: Vec<u8>,
}

/// What goes with the text of a mail.
pub(super) struct Enclosed {
    /// The contents of its files, in their order.
    pub(super) files: Vec<Vec<u8>>,
    /// The picture that is loaded when it is opened, if it has one.
    pub(super) picture: Option<Url>,
}

/// Marks a mail as written by a machine, so that no auto-responder replies.
#[derive(Clone)]
struct AutoSubmitted;

/// Where a recipient says that nothing more is wanted.
#[derive(Clone)]
struct ListUnsubscribe(String);

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

/// Composes a delivery, with replies and reports to the domain.
pub(super) fn compose(
    mail: &ClaimedDelivery,
    sender: &Mailbox,
    domain: &str,
    enclosed: Enclosed,
    now: DateTime<Utc>,
) -> Result<Letter, LetterError> {
    let to: Address = mail.address.parse()?;
    let from = Address::new(format!("bounce+{}", mail.bounce_token), domain)?;
    let replies = Address::new(format!("reply+{}", mail.reply_token), domain)?;
    let id = message_id(&mail.bounce_token, domain);
    let name = mail.name.as_deref().map(one_line).filter(|name| !name.is_empty());
    let mut message = Message::builder()
        .from(sender.clone())
        .to(Mailbox::new(name, to.clone()))
        .reply_to(Mailbox::new(sender.name.clone(), replies.clone()))
        .subject(one_line(&mail.subject))
        .date(SystemTime::from(now))
        .message_id(Some(format!("<{id}>")));
    let earlier: Vec<String> = mail.earlier.iter().map(|earlier| reference(earlier, domain)).collect();
    if let Some(last) = earlier.last() {
        message = message.in_reply_to(last.clone()).references(references(&earlier));
    }
    if mail.is_automatic {
        let unsubscribe = ListUnsubscribe(format!("<mailto:{replies}?subject=unsubscribe>"));
        message = message.header(AutoSubmitted).header(unsubscribe);
    }
    let html = HtmlEscape(&mail.body);
    let language = mail.language.map_or_else(String::new, |language| language.to_string());
    // An address has no signs that would end the attribute.
    let picture = enclosed.picture.map_or_else(String::new, |picture| {
        format!("<img src=\"{picture}\" width=\"1\" height=\"1\" alt=\"\">")
    });
    let html = format!(
        "<!doctype html><html lang=\"{language}\"><body><div style=\"white-space: pre-wrap; font-family: sans-serif\">{html}</div>{picture}</body></html>"
    );
    let text = MultiPart::alternative()
        .singlepart(SinglePart::plain(mail.body.clone()))
        .singlepart(SinglePart::builder().header(ContentType::TEXT_HTML).body(html));
    let message = if enclosed.files.is_empty() {
        message.multipart(text)?
    } else {
        let mut parts = MultiPart::mixed().multipart(text);
        for (file, content) in mail.attachments.iter().zip(enclosed.files) {
            parts = parts.singlepart(Attachment::new(one_line(&file.name)).body(content, file.mime_type.parse()?));
        }
        message.multipart(parts)?
    };
    Ok(Letter {
        from,
        to,
        message_id: id,
        bytes: message.formatted(),
    })
}

/// The Message-ID of an earlier mail, in its angle brackets.
fn reference(earlier: &EarlierMail, domain: &str) -> String {
    match earlier {
        EarlierMail::Received(id) => format!("<{}>", one_line(id).trim_matches(['<', '>', ' '])),
        EarlierMail::Ours(token) => format!("<{}>", message_id(token, domain)),
    }
}

/// The first of the ids and as many of the last as there is room for, in their order.
fn references(ids: &[String]) -> String {
    let Some((first, rest)) = ids.split_first() else {
        return String::new();
    };
    let mut room = MAX_REFERENCES.saturating_sub(first.len());
    let fits = |id: &&String| {
        let left = room.checked_sub(id.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let mut kept: Vec<&str> = rest.iter().rev().take_while(fits).map(String::as_str).collect();
    kept.push(first);
    kept.reverse();
    kept.join(" ")
}

/// A text as it may be in a header: without line breaks and other control characters.
fn one_line(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_keep_the_first_and_the_last() {
        let ids: Vec<String> = (0..100).map(|number| format!("<{number:030}@shop.example>")).collect();
        let kept = references(&ids);
        assert!(kept.len() <= MAX_REFERENCES, "{}", kept.len());
        let kept: Vec<&str> = kept.split(' ').collect();
        assert_eq!(kept[0], ids[0]);
        assert_eq!(kept[1..], ids[ids.len() + 1 - kept.len()..]);
        assert!(kept.len() > 20);
        assert_eq!(references(&ids[..1]), ids[0]);
    }

    #[test]
    fn a_name_never_becomes_a_header() {
        assert_eq!(one_line("Ann\r\nBcc: eve@evil.example\0"), "Ann  Bcc: eve@evil.example");
    }
}

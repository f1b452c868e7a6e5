//! The mails caught.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use mail_parser::MessageParser;
use runtime::Clock;
use serde::Serialize;

/// Most mails kept; older ones are dropped.
pub const MAX_MAILS: usize = 200;
/// Most bytes of all mails together; beyond that, the oldest are dropped.
pub const MAX_BYTES: usize = 64 << 20;

/// A mail, raw and parsed.
#[derive(Debug, Serialize)]
pub(crate) struct Mail {
    /// Counts up from 1.
    pub id: u64,
    /// When it first arrived.
    pub received: DateTime<Utc>,
    /// How often it arrived.
    pub times: u32,
    /// The sender of the envelope.
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    pub subject: String,
    pub message_id: Option<String>,
    pub headers: Vec<(String, String)>,
    pub text: Option<String>,
    pub html: Option<String>,
    #[serde(skip)]
    pub source: Vec<u8>,
}

/// The caught mails, the newest last.
#[derive(Default)]
pub(crate) struct Mailbox(Mutex<Contents>);

#[derive(Default)]
struct Contents {
    list: VecDeque<Arc<Mail>>,
    bytes: usize,
    last_id: u64,
}

impl Mailbox {
    /// Adds a mail as the newest. If an earlier mail has its Message-ID, replaces that one, keeping its id and the time it first arrived and counting
    /// its arrivals. Drops the oldest mails above [`MAX_MAILS`] and [`MAX_BYTES`], but never the newest.
    pub fn add(&self, from: String, to: Vec<String>, source: Vec<u8>) {
        let mut mails = self.lock();
        let mut mail = parse_mail(from, to, source);
        let same = |other: &Arc<Mail>| mail.message_id.is_some() && other.message_id == mail.message_id;
        if let Some(index) = mails.list.iter().position(same)
            && let Some(earlier) = mails.list.remove(index)
        {
            mails.bytes -= earlier.source.len();
            (mail.id, mail.received, mail.times) = (earlier.id, earlier.received, earlier.times + 1);
        } else {
            mails.last_id += 1;
            mail.id = mails.last_id;
        }
        mails.bytes += mail.source.len();
        mails.list.push_back(Arc::new(mail));
        while mails.list.len() > MAX_MAILS || (mails.bytes > MAX_BYTES && mails.list.len() > 1) {
            if let Some(oldest) = mails.list.pop_front() {
                mails.bytes -= oldest.source.len();
            }
        }
    }

    /// All mails, the newest first.
    pub fn all(&self) -> Vec<Arc<Mail>> {
        self.lock().list.iter().rev().cloned().collect()
    }

    /// Returns the mail with this id; `None` when there is none, or it was dropped.
    pub fn get(&self, id: u64) -> Option<Arc<Mail>> {
        self.lock().list.iter().find(|mail| mail.id == id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Parses a mail as received now, for the first time; what is missing or malformed stays empty. Its id is still 0. `text` and `html` are set only for
/// parts of that type.
fn parse_mail(from: String, to: Vec<String>, source: Vec<u8>) -> Mail {
    let parsed = MessageParser::default().parse(&source);
    let message = parsed.as_ref();
    let owned = |text: std::borrow::Cow<'_, str>| text.into_owned();
    // A converted part would hide that a mail has only one of them.
    let html = message.and_then(|mail| {
        let part = mail.html_part(0)?;
        part.is_text_html().then(|| mail.body_html(0).map(owned))?
    });
    let text = message.and_then(|mail| {
        let part = mail.text_part(0)?;
        (!part.is_text_html()).then(|| mail.body_text(0).map(owned))?
    });
    let headers = message.map_or_else(Vec::new, |mail| {
        let pairs = mail.headers_raw();
        pairs
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect()
    });
    Mail {
        id: 0,
        received: Clock::system().now(),
        times: 1,
        from,
        to,
        subject: message.and_then(|mail| mail.subject()).unwrap_or_default().to_owned(),
        message_id: message.and_then(|mail| mail.message_id()).map(ToOwned::to_owned),
        headers,
        text,
        html,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(id: &str, body: &str) -> Vec<u8> {
        format!("Message-ID: <{id}>\r\nSubject: =?utf-8?q?=C3=A9t=C3=A9?=\r\n\r\n{body}").into_bytes()
    }

    #[test]
    fn the_oldest_are_forgotten_and_memory_is_bounded() {
        let mailbox = Mailbox::default();
        for number in 0..MAX_MAILS + 5 {
            mailbox.add(String::new(), Vec::new(), mail(&number.to_string(), "hello"));
        }
        assert_eq!(mailbox.all().len(), MAX_MAILS);
        assert!(mailbox.get(1).is_none());
        let large = "x".repeat(MAX_BYTES / 3);
        for number in 0..4 {
            mailbox.add(String::new(), Vec::new(), mail(&format!("large {number}"), &large));
        }
        let bytes: usize = mailbox.all().iter().map(|mail| mail.source.len()).sum();
        assert!(bytes <= MAX_BYTES, "{bytes}");
    }

    #[test]
    fn a_mail_that_comes_again_is_shown_once() {
        let mailbox = Mailbox::default();
        mailbox.add(String::new(), Vec::new(), mail("same", "hello"));
        mailbox.add(String::new(), Vec::new(), mail("other", "hello"));
        mailbox.add(String::new(), Vec::new(), mail("same", "hello"));
        let shown = mailbox.all();
        assert_eq!(shown.len(), 2);
        assert_eq!((shown[0].id, shown[0].times), (1, 2));
        assert_eq!(shown[0].subject, "été");
        assert_eq!(shown[0].text.as_deref(), Some("hello"));
        assert_eq!(shown[0].html, None);
    }

    #[test]
    fn what_is_no_mail_is_kept_all_the_same() {
        let mailbox = Mailbox::default();
        mailbox.add("a@b.example".to_owned(), Vec::new(), vec![0xff, 0, b'\n']);
        assert_eq!(mailbox.all().len(), 1);
    }
}

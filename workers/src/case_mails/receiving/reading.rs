//! Reads a mail: who sent it, what it says, what kind of mail it is, and what it knows of our mails. A pure function of its bytes and its envelope.

use std::collections::BTreeSet;

use mail_parser::parsers::fields::thread::thread_name;
use mail_parser::{Address, Header, HeaderValue, Message};
use vocabulary::{Automatic, MailToken};

use super::automatic::Marks;
use super::bodies::{self, ReadFile, clean_line};
use super::delivery_status::{self, RecipientReport};
use super::structure::{Part, ReadMailError, parse};

/// Characters of a subject that are kept.
const MAX_SUBJECT: usize = 500;
const MAX_NAME: usize = 200;
const MAX_PREVIEW: usize = 300;
/// Recipients that a mail names and that are looked at.
const MOST_RECIPIENTS: usize = 200;
/// Ids of other mails that are looked at.
const MOST_IDS: usize = 100;
const LONGEST_ID: usize = 998;
/// Bytes of an attached mail in which its ids and addresses are looked for.
const MAX_QUOTED_HEADER: usize = 64 << 10;
const REPLY: &str = "reply";
const BOUNCE: &str = "bounce";

/// The stack of the thread that reads a mail: mails inside mails take a place on it each.
const STACK: usize = 256 << 20;

/// The envelope of a mail.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// Its recipients, and those that our servers wrote into the mail.
    pub to: Vec<String>,
    /// Its sender; empty for a report.
    pub from: Option<String>,
}

/// A mail as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadMail {
    /// Address of the sender, as the mail says it.
    pub sender: Option<String>,
    /// Name of the sender.
    pub sender_name: Option<String>,
    /// Its recipients, as the mail says them.
    pub recipients: Vec<String>,
    /// Its subject, on one line.
    pub subject: String,
    /// What it says, as text.
    pub text: String,
    /// Its sanitised HTML.
    pub html: Option<String>,
    /// Its files, decoded.
    pub files: Vec<ReadFile>,
    /// Its Message-ID, without brackets.
    pub message_id: Option<String>,
    /// What it is.
    pub nature: Nature,
    /// What it knows of our mails.
    pub clues: Clues,
}

/// What a mail is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Somebody writes, or a machine for somebody.
    Letter(Automatic),
    /// A mail server reports what became of a mail.
    Report(Vec<RecipientReport>),
    /// A recipient calls a mail unwanted.
    Complaint,
    /// A mail of ours that came back.
    Own,
}

/// What a mail knows of our mails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clues {
    /// Tokens of addresses for reports, in the envelope.
    pub bounce_tokens: Vec<MailToken>,
    /// Tokens of addresses for replies, in the envelope, To and Cc.
    pub reply_tokens: Vec<MailToken>,
    /// What it answers.
    pub in_reply_to: Vec<String>,
    /// What went before.
    pub references: Vec<String>,
    /// Ids of mails attached to it.
    pub quoted: Vec<String>,
    /// Tokens of either kind in mails attached to it.
    pub quoted_tokens: Vec<MailToken>,
}

/// Reads a mail on a thread of its own, with a large stack, so that whatever is in it the process goes on.
pub fn read_apart(raw: &[u8], envelope: &Envelope) -> Result<ReadMail, ReadMailError> {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new()
            .name("mail".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || read(raw, envelope));
        let read = reader.map_err(|_| ReadMailError::BrokeDown)?.join();
        read.unwrap_or(Err(ReadMailError::BrokeDown))
    })
}

/// Reads a mail. An error for bytes that are no mail.
fn read(raw: &[u8], envelope: &Envelope) -> Result<ReadMail, ReadMailError> {
    let message = parse(raw)?;
    let subject = clean_line(message.subject().unwrap_or_default(), MAX_SUBJECT);
    let (text, html) = bodies::texts(&message, raw);
    let sender = message.from().and_then(Address::first);
    let line = |text: Option<&str>, most| text.map(|text| clean_line(text, most)).filter(|text| !text.is_empty());
    let message_id = message.message_id().and_then(usable_id);
    let clues = clues(&message, raw, envelope);
    let nature = nature(&message, raw, envelope, &clues, (&subject, &text));
    let files = match nature {
        Nature::Letter(_) => bodies::files(&message, raw),
        _ => Vec::new(),
    };
    Ok(ReadMail {
        sender: line(sender.and_then(|sender| sender.address()), MAX_NAME),
        sender_name: line(sender.and_then(|sender| sender.name()), MAX_NAME),
        recipients: addresses(&message).collect(),
        subject,
        text,
        html,
        files,
        message_id,
        nature,
        clues,
    })
}

impl ReadMail {
    /// The beginning of its text, on one line.
    pub(super) fn preview(&self) -> String {
        clean_line(&self.text, MAX_PREVIEW)
    }
}

/// The subject without what replies and forwards put around it (RFC 5256, 2.1).
pub(super) fn base_subject(subject: &str) -> String {
    clean_line(thread_name(subject), MAX_SUBJECT).to_lowercase()
}

/// The addresses of To and Cc.
fn addresses<'a>(message: &'a Message<'a>) -> impl Iterator<Item = String> + 'a {
    let named = message.all_to().chain(message.all_cc());
    named
        .flat_map(Address::iter)
        .filter_map(|one| one.address())
        .map(|address| clean_line(address, MAX_NAME))
        .take(MOST_RECIPIENTS)
}

fn clues(message: &Message<'_>, raw: &[u8], envelope: &Envelope) -> Clues {
    let mut reply: BTreeSet<MailToken> = BTreeSet::new();
    let mut bounce: BTreeSet<MailToken> = BTreeSet::new();
    for address in &envelope.to {
        reply.extend(MailToken::in_address(REPLY, address));
        bounce.extend(MailToken::in_address(BOUNCE, address));
    }
    reply.extend(addresses(message).filter_map(|address| MailToken::in_address(REPLY, &address)));
    let (quoted, quoted_tokens) = attached_mails(message, raw);
    Clues {
        bounce_tokens: bounce.into_iter().collect(),
        reply_tokens: reply.into_iter().collect(),
        in_reply_to: ids(message.in_reply_to()),
        references: ids(message.references()),
        quoted,
        quoted_tokens,
    }
}

/// The ids in a field.
fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let all = match value {
        HeaderValue::Text(id) => vec![id.as_ref()],
        HeaderValue::TextList(list) => list.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    // The last ones are the nearest.
    all.into_iter().rev().filter_map(usable_id).take(MOST_IDS).collect()
}

/// An id without brackets; `None` for one that no mail has.
fn usable_id(id: &str) -> Option<String> {
    let id = id.trim().trim_matches(['<', '>']).trim();
    let fits = !id.is_empty() && id.len() <= LONGEST_ID && !id.contains(|letter: char| letter.is_control());
    fits.then(|| id.to_owned())
}

/// The ids and the tokens in the headers of mails that are attached to this one, whole or only their headers.
fn attached_mails(message: &Message<'_>, raw: &[u8]) -> (Vec<String>, Vec<MailToken>) {
    let (mut ids, mut tokens) = (BTreeSet::new(), BTreeSet::new());
    for part in Part::all(message, raw) {
        let kind = part.kind();
        if !matches!(
            kind.as_str(),
            "message/rfc822" | "message/global" | "text/rfc822-headers" | "message/rfc822-headers"
        ) {
            continue;
        }
        let content = part.content();
        let header = &content[..content.len().min(MAX_QUOTED_HEADER)];
        let text = String::from_utf8_lossy(header).replace("\r\n", "\n");
        let header = text.split("\n\n").next().unwrap_or_default();
        for line in header.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            if name.eq_ignore_ascii_case("message-id") && ids.len() < MOST_IDS {
                ids.extend(usable_id(value));
            }
        }
        for word in header.split(|letter: char| letter.is_whitespace() || "<>,;:\"()".contains(letter)) {
            tokens.extend(MailToken::in_address(REPLY, word).or_else(|| MailToken::in_address(BOUNCE, word)));
        }
    }
    (ids.into_iter().collect(), tokens.into_iter().take(MOST_IDS).collect())
}

fn nature(message: &Message<'_>, raw: &[u8], envelope: &Envelope, clues: &Clues, words: (&str, &str)) -> Nature {
    let comes_back = |from: &String| MailToken::in_address(BOUNCE, from).is_some();
    if envelope.from.as_ref().is_some_and(comes_back) {
        return Nature::Own;
    }
    let root = Part::numbered(message, raw, 0);
    let kind = root.map(|root| root.kind()).unwrap_or_default();
    let about = root.and_then(|root| root.parameter("report-type")).unwrap_or_default();
    let part_of = |wanted: &str| Part::all(message, raw).find(|part| part.kind() == wanted);
    if kind == "multipart/report" && about.eq_ignore_ascii_case("feedback-report") {
        return complaint(part_of("message/feedback-report"));
    }
    let has_no_sender = envelope.from.as_deref() == Some("");
    let status = part_of("message/delivery-status").or_else(|| part_of("message/global-delivery-status"));
    if kind == "multipart/report"
        && about.eq_ignore_ascii_case("delivery-status")
        && let Some(status) = status
    {
        return Nature::Report(delivery_status::recipients(&status.content()));
    }
    if has_no_sender && is_of_mail_server(message) {
        return Nature::Report(vec![delivery_status::of_text(words.1)]);
    }
    let fields = fields(message);
    let marks = Marks {
        fields: &fields,
        subject: words.0,
        text: words.1,
        has_no_sender,
    };
    let receipt = kind == "multipart/report";
    let judged = if receipt { Automatic::Certain } else { marks.judge() };
    // Programs of people answer to the address for replies, machines also to that of the envelope.
    let only_to_bounce = clues.reply_tokens.is_empty() && !clues.bounce_tokens.is_empty();
    Nature::Letter(if judged == Automatic::No && only_to_bounce {
        Automatic::Maybe
    } else {
        judged
    })
}

/// A complaint, unless the report says that a mail is wanted.
fn complaint(report: Option<Part<'_>>) -> Nature {
    let text = report.map(|part| part.text().to_ascii_lowercase()).unwrap_or_default();
    let is_praise = text.lines().any(|line| {
        line.split_once(':')
            .is_some_and(|(name, value)| name.trim() == "feedback-type" && value.trim() == "not-spam")
    });
    if is_praise {
        Nature::Report(Vec::new())
    } else {
        Nature::Complaint
    }
}

/// Whether the sender is the program of a mail server.
fn is_of_mail_server(message: &Message<'_>) -> bool {
    let address = message
        .from()
        .and_then(Address::first)
        .and_then(|sender| sender.address());
    let local = address
        .and_then(|address| address.split('@').next())
        .unwrap_or_default();
    ["mailer-daemon", "postmaster"]
        .iter()
        .any(|name| local.eq_ignore_ascii_case(name))
}

/// The fields of the header that say whether a machine wrote it.
fn fields(message: &Message<'_>) -> Vec<(String, String)> {
    let wanted = |header: &&Header<'_>| {
        let name = header.name();
        name.len() < 40 && (name.starts_with(['A', 'a', 'P', 'p', 'X', 'x']))
    };
    message
        .headers()
        .iter()
        .filter(wanted)
        .map(|header| {
            let value = message
                .raw_message()
                .get(header.offset_start() as usize..header.offset_end() as usize)
                .unwrap_or_default();
            let value = clean_line(&String::from_utf8_lossy(value), MAX_NAME);
            (header.name.as_str().to_ascii_lowercase(), value)
        })
        .take(MOST_RECIPIENTS)
        .collect()
}

#[cfg(test)]
mod tests;

//! Composing a mail from the texts of its kind, as plain text and as HTML.

use std::path::Path;

use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use outreach::Digest;
use postgres::mails::Addressee;
use texts::MailTexts;
use thiserror::Error;
use vocabulary::Language;

/// The name of the product in mails.
const PRODUCT: &str = "Vigie";
const PDF: &str = "application/pdf";
const FRAME: &str = include_str!("frame.html");

/// Why a mail cannot be composed.
#[derive(Debug, Error)]
pub enum ComposeError {
    /// A text is malformed, or uses an unknown variable.
    #[error("its text is wrong: {0}")]
    Template(#[from] minijinja::Error),
    /// An address is malformed.
    #[error("its address is none: {0}")]
    Address(#[from] lettre::address::AddressError),
    /// The type of a file is malformed.
    #[error("the type of its file is none: {0}")]
    FileType(#[from] lettre::message::header::ContentTypeErr),
    /// A header or a part cannot be encoded.
    #[error(transparent)]
    Message(#[from] lettre::error::Error),
}

/// What a mail is composed from.
pub(super) struct Letter<'a> {
    pub texts: &'a MailTexts,
    pub addressee: &'a Addressee,
    pub language: Language,
    pub link: &'a str,
    /// Subject and text that are written already: of a template that is tried, or of an alert with a text of its own; empty for others.
    pub tried: (&'a str, &'a str),
    /// What a digest says; empty for other kinds.
    pub digest: &'a Digest,
    /// The name and the bytes of a PDF that goes with it.
    pub report: Option<&'a (String, Vec<u8>)>,
    /// Where the recipient leaves the alert of a digest in one click; `None` for other kinds.
    pub unsubscribe: Option<&'a str>,
    /// The Message-ID without its domain. It does not change from attempt to attempt.
    pub message_id: &'a str,
}

/// Marks the mail as written by a machine, so that no auto-responder replies.
#[derive(Clone)]
struct AutoSubmitted;

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

/// Where a recipient says that no more mails like this are wanted (RFC 2369).
#[derive(Clone)]
struct ListUnsubscribe(String);

/// Says that one request to that address is enough (RFC 8058).
#[derive(Clone)]
struct ListUnsubscribePost;

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

impl Header for ListUnsubscribePost {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe-Post")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "List-Unsubscribe=One-Click".to_owned())
    }
}

/// Composes a mail as plain text and HTML, with the Message-ID of the letter at the domain of `from`; with the address of the account, which it is for.
pub(super) fn message(letter: &Letter<'_>, from: &Mailbox) -> Result<(Address, Message), ComposeError> {
    let ComposedMail { subject, text, html } = write(letter)?;
    let to: Address = letter.addressee.email.parse()?;
    let digest = letter.digest;
    let name = digest.from_name.clone().filter(|name| !name.is_empty());
    let mut builder = Message::builder().from(Mailbox::new(name.or_else(|| from.name.clone()), from.email.clone()));
    if let Some(address) = &digest.reply_to {
        builder = builder.reply_to(Mailbox::new(None, address.parse()?));
    }
    if let Some(address) = letter.unsubscribe {
        builder = builder
            .header(ListUnsubscribe(format!("<{address}>")))
            .header(ListUnsubscribePost);
    }
    let words = MultiPart::alternative()
        .singlepart(SinglePart::plain(text))
        .singlepart(SinglePart::builder().header(ContentType::TEXT_HTML).body(html));
    let parts = match letter.report {
        Some((name, pdf)) => {
            let file = Attachment::new(name.clone()).body(pdf.clone(), PDF.parse()?);
            MultiPart::mixed().multipart(words).singlepart(file)
        }
        None => words,
    };
    let message = builder
        .to(Mailbox::new(None, to.clone()))
        .subject(subject)
        .message_id(Some(format!("<{}@{}>", letter.message_id, from.email.domain())))
        .header(AutoSubmitted)
        .multipart(parts)?;
    Ok((to, message))
}

/// The texts of a mail, with all values filled in.
struct ComposedMail {
    subject: String,
    text: String,
    html: String,
}

/// Fills in the texts of a mail. The name is the first name, or the e-mail address without one. Paragraphs of the text, separated by blank lines,
/// become those of the HTML; one that is only the link becomes a button.
fn write(letter: &Letter<'_>) -> Result<ComposedMail, minijinja::Error> {
    let Letter {
        texts,
        addressee,
        language,
        link,
        tried,
        digest,
        ..
    } = letter;
    let values = context! {
        name => addressee.called(),
        email => &addressee.email,
        product => PRODUCT,
        link => *link,
        subject => tried.0,
        letter => tried.1,
        digest => Serde(digest),
    };
    let environment = environment();
    let subject = environment.render_str(&texts.subject, &values)?;
    let action = environment.render_str(&texts.action, &values)?;
    let text = environment.render_str(&texts.body, &values)?;
    let paragraphs: Vec<Value> = text
        .split("\n\n")
        .map(|paragraph| context! { text => paragraph, is_link => paragraph.trim() == *link })
        .collect();
    let html = environment.render_named_str(
        "frame.html",
        FRAME,
        context! {
            subject => &subject,
            action,
            paragraphs,
            link => *link,
            product => PRODUCT,
            language => language.to_string(),
        },
    )?;
    Ok(ComposedMail { subject, text, html })
}

/// The template engine: unknown variables are errors, and values are escaped in templates whose name ends in `.html`.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| {
        if Path::new(name).extension().is_some_and(|extension| extension == "html") {
            AutoEscape::Html
        } else {
            AutoEscape::None
        }
    });
    environment
}

#[cfg(test)]
mod tests {
    use vocabulary::UserId;

    use super::*;

    const LINK: &str = "https://vigie.example/reset/abc";

    fn addressee(first_name: &str) -> Addressee {
        Addressee {
            id: UserId(1),
            email: "ann@acme.example".to_owned(),
            first_name: Some(first_name.to_owned()),
            language: None,
        }
    }

    fn texts(body: &str) -> MailTexts {
        MailTexts {
            subject: "For {{ name }}".to_owned(),
            body: body.to_owned(),
            action: "Choose".to_owned(),
        }
    }

    fn written(first_name: &str, body: &str) -> Result<Message, ComposeError> {
        let (texts, addressee) = (texts(body), addressee(first_name));
        let letter = Letter {
            texts: &texts,
            addressee: &addressee,
            language: Language::Fr,
            link: LINK,
            tried: ("", ""),
            digest: &Digest::default(),
            report: None,
            unsubscribe: None,
            message_id: "0f5e",
        };
        message(&letter, &"Vigie <vigie@vigie.example>".parse().unwrap()).map(|(_, message)| message)
    }

    #[test]
    fn a_name_is_text_and_neither_markup_nor_a_header() {
        let evil = "<b>Ann</b>\r\nBcc: eve@evil.example";
        let sent = String::from_utf8(written(evil, "Hello {{ name }}\n\n{{ link }}").unwrap().formatted()).unwrap();
        let (headers, body) = sent.split_once("\r\n\r\n").unwrap();
        assert!(!headers.lines().any(|line| line.starts_with("Bcc")), "{headers}");
        let html = body.split("text/html").nth(1).unwrap();
        assert!(!html.contains("<b>Ann"), "{html}");
    }

    #[test]
    fn the_message_id_is_the_given_one_and_no_machine_replies() {
        let sent = String::from_utf8(written("Ann", "Hello\n\n{{ link }}").unwrap().formatted()).unwrap();
        assert!(sent.contains("Message-ID: <0f5e@vigie.example>"), "{sent}");
        assert!(sent.contains("Auto-Submitted: auto-generated"), "{sent}");
        assert!(sent.contains(LINK), "{sent}");
        assert!(sent.contains("To: ann@acme.example"), "{sent}");
    }

    #[test]
    fn an_unknown_variable_is_an_error() {
        assert!(matches!(
            written("Ann", "Hello {{ nmae }}"),
            Err(ComposeError::Template(_))
        ));
    }
}

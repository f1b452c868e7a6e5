//! The parts of a mail, found by a parser and decoded here, within limits.
//!
//! The parser decodes a message that is encoded inside another one and copies it once for each message inside it, so that a small mail could take all
//! memory. It therefore sees no encodings: it finds the parts, and [`Part`] decodes the ones that are looked at.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{HeaderName, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders};

/// Messages inside messages, and lists of messages. Each may take a place on the stack.
const MOST_NESTED: usize = 200;
const NESTING: [&[u8]; 3] = [b"message/rfc822", b"message/global", b"multipart/digest"];

/// Why a mail cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadMailError {
    /// It has no header.
    #[error("it has no header")]
    NoHeader,
    /// It has more messages inside messages than a person sends.
    #[error("it has more than {MOST_NESTED} mails inside it")]
    TooNested,
    /// The program that reads it broke down.
    #[error("reading it broke down")]
    BrokeDown,
}

/// Finds the parts of a mail.
pub(super) fn parse(raw: &[u8]) -> Result<Message<'_>, ReadMailError> {
    if is_too_nested(raw) {
        return Err(ReadMailError::TooNested);
    }
    // Read as a content type the field is kept, and is none that the parser decodes by.
    let parser = MessageParser::new()
        .with_mime_headers()
        .with_address_headers()
        .with_message_ids()
        .header_text(HeaderName::Subject)
        .header_content_type(HeaderName::ContentTransferEncoding);
    let has_header = |message: &Message<'_>| message.parts.first().is_some_and(|part| !part.headers.is_empty());
    let message = parser.parse(raw).filter(has_header);
    message.ok_or(ReadMailError::NoHeader)
}

/// Whether a mail names more messages inside it than [`MOST_NESTED`].
fn is_too_nested(raw: &[u8]) -> bool {
    let mut count = 0;
    for (at, byte) in raw.iter().enumerate() {
        if *byte == b'/' {
            let is_nesting = |kind: &[u8]| {
                let slash = kind.iter().position(|byte| *byte == b'/').unwrap_or_default();
                let start = at.checked_sub(slash);
                let found = start.and_then(|start| raw.get(start..start + kind.len()));
                found.is_some_and(|found| found.eq_ignore_ascii_case(kind))
            };
            count += usize::from(NESTING.iter().any(|kind| is_nesting(kind)));
        }
    }
    count > MOST_NESTED
}

/// A part of a mail.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    raw: &'a [u8],
    part: &'a MessagePart<'a>,
}

impl<'a> Part<'a> {
    /// The part of this number.
    pub(super) fn numbered(message: &'a Message<'a>, raw: &'a [u8], number: u32) -> Option<Self> {
        let part = message.parts.get(usize::try_from(number).ok()?)?;
        Some(Self { raw, part })
    }

    /// All parts in their order, those of inner messages left out.
    pub(super) fn all(message: &'a Message<'a>, raw: &'a [u8]) -> impl Iterator<Item = Self> {
        message.parts.iter().map(move |part| Self { raw, part })
    }

    /// Its content type in lower case, as in `text/plain`.
    pub(super) fn kind(&self) -> String {
        self.part.content_type().map_or_else(
            || "text/plain".to_owned(),
            |kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()).to_ascii_lowercase(),
        )
    }

    /// A parameter of its content type.
    pub(super) fn parameter(&self, name: &str) -> Option<&'a str> {
        self.part.content_type().and_then(|kind| kind.attribute(name))
    }

    /// The name of the file that it is.
    pub(super) fn file_name(&self) -> Option<&'a str> {
        self.part.attachment_name()
    }

    /// Its content, decoded; as it is where it cannot be decoded.
    pub(super) fn content(&self) -> Cow<'a, [u8]> {
        let range = self.part.offset_body as usize..self.part.offset_end as usize;
        let bytes = self.raw.get(range).unwrap_or_default();
        let encoding = self.part.headers.iter().rev().find_map(|header| match &header.value {
            HeaderValue::ContentType(value) if header.name == HeaderName::ContentTransferEncoding => {
                Some(value.ctype())
            }
            _ => None,
        });
        let decoded = match encoding {
            Some(name) if name.eq_ignore_ascii_case("base64") => base64_decode(bytes),
            Some(name) if name.eq_ignore_ascii_case("quoted-printable") => quoted_printable_decode(bytes),
            _ => None,
        };
        decoded.map_or(Cow::Borrowed(bytes), Cow::Owned)
    }

    /// Its content as text in the charset that it names, else UTF-8.
    pub(super) fn text(&self) -> String {
        let content = self.content();
        let decoder = self
            .parameter("charset")
            .and_then(|name| charset_decoder(name.as_bytes()));
        decoder.map_or_else(
            || String::from_utf8_lossy(&content).into_owned(),
            |decode| decode(&content),
        )
    }
}

//! What a mail says, and the files that hang on it, made harmless.

use std::collections::{BTreeMap, HashSet};

use mail_parser::Message;
use mail_parser::decoders::html::html_to_text;

use super::structure::Part;

/// Characters of a text that are kept.
const MAX_TEXT: usize = 200_000;
/// Bytes of HTML that are looked at.
const MAX_HTML: usize = 512 << 10;
/// Tags that format text, times all tags, of HTML that is looked at: a parser may have to repeat each of the former at each of the latter.
const MAX_FORMATTING: usize = 4_000_000;
/// Open tags, times all tags: a parser may have to look through all of the former at each of the latter.
const MAX_DEPTH: usize = 10_000_000;
/// Tags that are never closed.
const VOID: [&str; 10] = ["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"];
/// Files that are kept of one mail.
const MOST_FILES: usize = 50;
const MAX_FILE_NAME: usize = 150;
const UNKNOWN: &str = "application/octet-stream";
/// Tags that a parser of HTML repeats in every block until they are closed.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// A file of a mail, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    /// Its name, harmless on any system.
    pub name: String,
    /// What it is, by its content.
    pub mime_type: String,
    /// Its content, decoded.
    pub content: Vec<u8>,
}

/// The text and the sanitised HTML of a mail. Of a mail without text it is that of the HTML.
pub(super) fn texts(message: &Message<'_>, raw: &[u8]) -> (String, Option<String>) {
    let mut text = String::new();
    let mut html = None;
    for number in &message.text_body {
        let Some(part) = Part::numbered(message, raw, *number) else {
            continue;
        };
        let kind = part.kind();
        if kind.starts_with("text/") && kind != "text/html" && text.len() < MAX_TEXT {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&part.text());
        }
    }
    for number in &message.html_body {
        let Some(part) = Part::numbered(message, raw, *number) else {
            continue;
        };
        if part.kind() == "text/html" {
            html = Some(part.text());
            break;
        }
    }
    if text.trim().is_empty()
        && let Some(html) = &html
    {
        text = html_to_text(first_bytes(html, MAX_HTML));
    }
    (clean_text(&text, MAX_TEXT), html.as_deref().and_then(sanitise))
}

/// HTML in which nothing runs and nothing is loaded; `None` where it is too large to be looked at, or nothing is left of it.
fn sanitise(html: &str) -> Option<String> {
    if html.len() > MAX_HTML || is_costly(html) {
        return None;
    }
    let mut builder = ammonia::Builder::default();
    builder
        .rm_tags(["img", "map", "area"])
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank");
    let clean = builder.clean(html).to_string();
    let clean = clean.replace('\0', "");
    (!clean.trim().is_empty()).then_some(clean)
}

/// Whether HTML has so many tags that reading it takes long.
fn is_costly(html: &str) -> bool {
    let (mut formatting, mut all) = (0_usize, 0_usize);
    let (mut open, mut deepest) = (0_usize, 0_usize);
    let mut open_by_name: BTreeMap<String, usize> = BTreeMap::new();
    for piece in html.split('<').skip(1) {
        let is_end = piece.starts_with('/');
        let name: String = piece
            .chars()
            .skip(usize::from(is_end))
            .take(12)
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        all += 1;
        formatting += usize::from(!is_end && FORMATTING.contains(&name.as_str()));
        if name.is_empty() || VOID.contains(&name.as_str()) {
            continue;
        }
        // An end without a beginning closes nothing.
        let of_name = open_by_name.entry(name).or_default();
        if !is_end {
            *of_name += 1;
            open += 1;
        } else if *of_name > 0 {
            *of_name -= 1;
            open -= 1;
        }
        deepest = deepest.max(open);
    }
    formatting.saturating_mul(all) > MAX_FORMATTING || deepest.saturating_mul(all) > MAX_DEPTH
}

/// The files of a mail: everything that is not its text.
pub(super) fn files(message: &Message<'_>, raw: &[u8]) -> Vec<ReadFile> {
    let parts = message
        .attachments
        .iter()
        .filter_map(|number| Part::numbered(message, raw, *number));
    let mut files = Vec::new();
    for part in parts.take(MOST_FILES) {
        let content = part.content().into_owned();
        if content.is_empty() {
            continue;
        }
        let kind = part.kind();
        let mime_type = mime_type(&content, &kind);
        let fallback = if kind.starts_with("message/") {
            "message.eml"
        } else {
            "file"
        };
        files.push(ReadFile {
            name: safe_name(part.file_name().unwrap_or_default(), fallback),
            mime_type: mime_type.to_owned(),
            content,
        });
    }
    files
}

/// What a file is, by its content. Of what the sender says only text and mails are believed.
fn mime_type(content: &[u8], said: &str) -> &'static str {
    if let Some(found) = infer::get(content) {
        return found.mime_type();
    }
    match said {
        "message/rfc822" | "message/global" => "message/rfc822",
        _ if said.starts_with("text/") && std::str::from_utf8(content).is_ok() => "text/plain",
        _ => UNKNOWN,
    }
}

/// A name without folders and without characters that a system or a reader could take for something else.
fn safe_name(name: &str, fallback: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last
        .chars()
        .filter(|letter| !is_hidden(*letter) && !"<>:\"|?*".contains(*letter))
        .take(MAX_FILE_NAME)
        .collect();
    let plain = plain.trim().trim_start_matches('.').trim_end_matches('.').trim();
    if plain.is_empty() {
        fallback.to_owned()
    } else {
        plain.to_owned()
    }
}

/// A line without control characters, with single spaces, and with at most so many characters.
pub(super) fn clean_line(text: &str, most: usize) -> String {
    let plain: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .filter(|letter| !is_hidden(*letter))
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(most).collect()
}

/// A text with ends of lines of one form, and without other control characters.
fn clean_text(text: &str, most: usize) -> String {
    let plain: String = text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .chars()
        .filter(|letter| matches!(letter, '\n' | '\t') || !is_hidden(*letter))
        .take(most)
        .collect();
    plain.trim_matches('\n').trim_end().to_owned()
}

/// Whether a character shows nothing, or turns the direction of those around it.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The first bytes of a text, up to a whole character.
fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most.min(text.len()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_html_runs_or_is_loaded() {
        let html = "<p onclick='x()'>Hello <b>you</b><script>alert(1)</script><img src='https://track.example/1.gif'>\
            <a href='javascript:x()'>bad</a> <a href='https://shop.example/'>good</a><style>p{}</style><iframe src='//x'></iframe></p>";
        let clean = sanitise(html).unwrap();
        for bad in [
            "onclick",
            "alert",
            "track.example",
            "javascript",
            "iframe",
            "style",
            "img",
        ] {
            assert!(!clean.contains(bad), "{bad}: {clean}");
        }
        assert!(clean.contains("<b>you</b>") && clean.contains("https://shop.example/") && clean.contains("noopener"));
        assert_eq!(sanitise("<script>x</script>"), None);
    }

    #[test]
    fn html_that_would_take_long_is_not_read() {
        let begun = std::time::Instant::now();
        let fonts: Vec<String> = (0..10_000).map(|size| format!("<font size={size}>")).collect();
        assert_eq!(sanitise(&(fonts.concat() + &"<p>x".repeat(50_000))), None);
        for tag in ["<div>", "<table>", "<p>", "<div></p>", "<b><p>"] {
            for times in [1_000, 3_000, 100_000] {
                sanitise(&tag.repeat(times));
            }
        }
        let ordinary =
            "<p>Hello <b>you</b>, <a href='https://shop.example/'>see</a><br></p><table><tr><td>x</td></tr></table>"
                .repeat(300);
        assert!(sanitise(&ordinary).is_some());
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }

    #[test]
    fn a_name_is_harmless() {
        for (name, safe) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\x\\invoice.pdf", "invoice.pdf"),
            ("photo\r\nX: y\0.png", "photoX y.png"),
            ("exe\u{202e}fdp.scr", "exefdp.scr"),
            (".htaccess", "htaccess"),
            ("..", "file"),
            ("", "file"),
            ("réponse à vous.pdf", "réponse à vous.pdf"),
        ] {
            assert_eq!(safe_name(name, "file"), safe, "{name:?}");
        }
    }

    #[test]
    fn what_a_file_is_comes_from_its_content() {
        assert_eq!(mime_type(b"%PDF-1.7 ", "image/png"), "application/pdf");
        assert_eq!(mime_type(b"hello", "text/html"), "text/plain");
        assert_eq!(mime_type(b"hello", "application/pdf"), UNKNOWN);
    }

    #[test]
    fn a_line_has_no_control_characters() {
        assert_eq!(clean_line("a\r\nBcc: x\u{7}\0 b\u{202e}", 100), "a Bcc: x b");
    }
}

//! From bytes to text.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes at the start of a page in which browsers look for its encoding.
const PRESCAN: usize = 1024;

/// Decodes a page as a browser does: byte order mark, then the header's charset, then the page's own `meta`, then UTF-8 if it is valid,
/// else windows-1252. Never fails: what cannot be decoded becomes U+FFFD.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    let named = content_type.and_then(charset_of).or_else(|| meta_charset(bytes));
    let encoding = named.unwrap_or_else(|| {
        if std::str::from_utf8(bytes).is_ok() {
            UTF_8
        } else {
            WINDOWS_1252
        }
    });
    encoding.decode(bytes).0.into_owned()
}

fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let start = lower.find("charset")? + "charset".len();
    let rest = lower[start..].trim_start().strip_prefix('=')?.trim_start();
    let value = rest.trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| matches!(c, '"' | '\'' | ';' | '>' | '/') || c.is_whitespace());
    Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])
}

fn meta_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]).to_ascii_lowercase();
    let mut metas = start.match_indices("<meta").map(|(at, _)| &start[at..]);
    let found = metas.find_map(|meta| charset_of(&meta[..meta.find('>')?]))?;
    // A page that can be read as ASCII so far cannot be UTF-16, whatever it says.
    Some(if found == UTF_16LE || found == UTF_16BE {
        UTF_8
    } else {
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_wins_over_the_page() {
        let page = b"<meta charset=utf-8>caf\xe9";
        assert!(decode(page, Some("text/html; charset=ISO-8859-1")).ends_with("café"));
    }

    #[test]
    fn reads_the_charset_of_the_page() {
        let (bytes, _, _) = encoding_rs::WINDOWS_1251
            .encode("<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>Реклама");
        assert!(decode(&bytes, Some("text/html")).ends_with("Реклама"));
    }

    #[test]
    fn falls_back_to_utf_8_and_then_to_windows_1252() {
        assert_eq!(decode("é".as_bytes(), None), "é");
        assert_eq!(decode(b"caf\xe9", None), "café");
        assert_eq!(decode(b"\xef\xbb\xbfa", None), "a");
    }
}

//! Decodes a page's bytes.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes at the start of a page in which browsers look for its encoding.
const PRESCAN: usize = 1024;

/// Decodes a page as a browser does: byte order mark, then the header's charset, then the page's own `meta`, then UTF-8 if it is valid,
/// else windows-1252. A page saved without its header may claim UTF-8 without being it, as the engines' pages for browsers without scripts
/// do: then its letters decide. Never fails: what cannot be decoded becomes U+FFFD.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    let encoding = content_type
        .and_then(charset_of)
        .or_else(|| match meta_charset(bytes) {
            Some(named) if named == UTF_8 && !is_mostly_utf_8(bytes) => Some(guess_encoding(bytes)),
            named => named,
        })
        .unwrap_or_else(|| {
            if std::str::from_utf8(bytes).is_ok() {
                UTF_8
            } else {
                WINDOWS_1252
            }
        });
    encoding.decode(bytes).0.into_owned()
}

/// Returns whether at least as many letters beyond ASCII are valid UTF-8 as are broken; a page may be cut within a letter, or quote a broken text.
fn is_mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut letters, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    letters >= broken
}

/// Guesses the legacy encoding of a whole page from its letters; never UTF-8.
fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Finds `charset=…` in a content type or a `meta` tag; `None` when it is missing or names no known encoding.
fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let start = lower.find("charset")? + "charset".len();
    let rest = lower[start..].trim_start().strip_prefix('=')?.trim_start();
    let value = rest.trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| matches!(c, '"' | '\'' | ';' | '>' | '/') || c.is_whitespace());
    Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])
}

/// Finds the encoding that the first `meta` tag with a known charset names, within the first [`PRESCAN`] bytes. A page that claims UTF-16 there is
/// UTF-8, since it reads as ASCII so far.
fn meta_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]).to_ascii_lowercase();
    let mut metas = start.match_indices("<meta").map(|(at, _)| &start[at..]);
    let found = metas.find_map(|meta| charset_of(&meta[..meta.find('>')?]))?;
    // A page that reads as ASCII so far cannot be UTF-16, whatever it claims.
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
    fn a_page_that_names_utf_8_and_is_none_is_read_by_its_letters() {
        let said = "<meta charset=utf-8><p>По запросу ничего не найдено. Рекомендации: убедитесь, что все слова написаны без ошибок.";
        for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::KOI8_R, UTF_8] {
            let (bytes, _, _) = encoding.encode(said);
            assert_eq!(decode(&bytes, None), said, "{}", encoding.name());
        }
        let (bytes, _, _) = WINDOWS_1252.encode("<meta charset=utf-8>Protège à l'œil, déjà payé");
        assert!(decode(&bytes, None).ends_with("Protège à l'œil, déjà payé"));
        let cut = &"<meta charset=utf-8>éé".as_bytes()[..23];
        assert!(
            decode(cut, None).ends_with('\u{fffd}'),
            "a page cut within a letter stays UTF-8"
        );
    }

    #[test]
    fn falls_back_to_utf_8_and_then_to_windows_1252() {
        assert_eq!(decode("é".as_bytes(), None), "é");
        assert_eq!(decode(b"caf\xe9", None), "café");
        assert_eq!(decode(b"\xef\xbb\xbfa", None), "a");
    }
}

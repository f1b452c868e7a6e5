//! The program that sends a request, by its headers.

use axum::http::{HeaderMap, header};
use vocabulary::Language;

/// The first language of `Accept-Language` that Vigie speaks; `None` without the header or such a language. Our own client names only the language of
/// its screens.
pub fn language(headers: &HeaderMap) -> Option<Language> {
    let tags = headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
    tags.split(',')
        .find_map(|tag| Language::of_tag(tag.split(';').next().unwrap_or_default()))
}

/// The program, as it names itself.
pub fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::USER_AGENT)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_we_speak_counts() {
        for (given, language_of) in [
            ("fr", Some(Language::Fr)),
            ("de-DE,de;q=0.9,en;q=0.8,fr;q=0.7", Some(Language::En)),
            ("de", None),
            ("*", None),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, given.parse().unwrap())]);
            assert_eq!(language(&headers), language_of, "{given}");
        }
        assert_eq!(language(&HeaderMap::new()), None);
    }
}

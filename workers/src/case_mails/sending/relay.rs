//! The id that a relay gives to a mail, in the words with which it takes it over.

/// Shorter words are no ids of mails.
const SHORTEST_ID: usize = 16;

/// The Message-ID, or the part of one before its `@`, that the words name: a word with an `@`, else a last word that is long and has digits, as in
/// `Ok 0102018f2c7d9a11-4b2e-000000`. `None` for words that name only a place in the relay's queue.
pub(super) fn id_in(words: &str) -> Option<String> {
    let mut found = words
        .split([' ', '='])
        .map(|word| word.trim_matches(['<', '>', '[', ']', '(', ')', '"', ';', ',', '.']));
    let with_host = found.clone().find(|word| {
        word.split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
    });
    let is_id = |word: &&str| {
        word.len() >= SHORTEST_ID && word.bytes().any(|byte| byte.is_ascii_digit()) && !word.contains('/')
    };
    let id = with_host.or_else(|| found.next_back().filter(is_id));
    id.filter(|id| id.is_ascii()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_relay_is_found_and_a_place_in_its_queue_is_none() {
        for (words, id) in [
            ("Ok 0102018f2c7d9a11-4b2e-000000", Some("0102018f2c7d9a11-4b2e-000000")),
            (
                "2.0.0 Ok <20240509.1a2b@relay.example> queued",
                Some("20240509.1a2b@relay.example"),
            ),
            ("2.6.0 message-id=<a1@relay.example>", Some("a1@relay.example")),
            ("2.0.0 Ok: queued as 4VZyX12abc", None),
            ("kept", None),
            ("", None),
        ] {
            assert_eq!(id_in(words).as_deref(), id, "{words}");
        }
    }
}

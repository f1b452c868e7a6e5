//! Texts without accents, and the slugs made of them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The words of a label in lower case without accents and ligatures, joined by hyphens; empty for a label without letters and digits.
pub fn slug(label: &str) -> String {
    let plain: String = label.nfd().filter(|letter| !is_combining_mark(*letter)).collect();
    let lower = plain
        .to_lowercase()
        .replace('œ', "oe")
        .replace('æ', "ae")
        .replace('ß', "ss");
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// The words of a text in lower case without accents, each between two spaces, so that a text contains whole words of another.
pub fn whole_words(text: &str) -> String {
    let plain = FoldedText::new(text).as_str().to_lowercase();
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

/// A text without accents, which knows where each of its characters came from.
pub(crate) struct FoldedText {
    text: String,
    /// For each character its byte in `text`, and its offset in the original; the ends of both come last. Empty where the original is ASCII: its
    /// offsets are those of `text`.
    origins: Vec<(usize, usize)>,
}

impl FoldedText {
    /// Folds a text: letters lose their accents, and nothing else changes.
    pub(crate) fn new(original: &str) -> Self {
        if original.is_ascii() {
            return Self {
                text: original.to_owned(),
                origins: Vec::new(),
            };
        }
        let (mut text, mut origins, mut offset) = (String::with_capacity(original.len()), Vec::new(), 0);
        for letter in original.chars() {
            if let Some(plain) = without_accent(letter) {
                origins.push((text.len(), offset));
                text.push(plain);
            }
            offset += letter.len_utf16();
        }
        origins.push((text.len(), offset));
        Self { text, origins }
    }

    /// The folded text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The offset in the original of a character that begins at this byte of the folded text, in UTF-16 code units.
    pub(crate) fn original_offset(&self, byte: usize) -> usize {
        if self.origins.is_empty() {
            return byte;
        }
        let place = self.origins.partition_point(|(start, _)| *start < byte);
        self.origins.get(place).map_or(0, |(_, offset)| *offset)
    }
}

/// The letter without its accents; `None` for an accent alone. Marks of other scripts than Latin, Greek and Cyrillic stay: there they make another
/// letter.
fn without_accent(letter: char) -> Option<char> {
    let is_accent = |mark: char| ('\u{300}'..='\u{36f}').contains(&mark);
    if letter.is_ascii() {
        return Some(letter);
    }
    if is_accent(letter) {
        return None;
    }
    let mut parts = letter.nfd();
    let plain = parts.next();
    if parts.all(is_accent) { plain } else { Some(letter) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_slug_is_the_words_of_its_label() {
        for (label, slug_of) in [
            ("Price comparison", "price-comparison"),
            ("Été Chic", "ete-chic"),
            ("Cœur d’Œuvre, Lætitia & Straße", "coeur-d-oeuvre-laetitia-strasse"),
            ("  Été & Noël 2026! ", "ete-noel-2026"),
            ("Магазин", "магазин"),
            ("—", ""),
        ] {
            assert_eq!(slug(label), slug_of, "{label}");
        }
    }

    #[test]
    fn letters_lose_their_accents_and_keep_their_places() {
        // An accent of its own character, an emoji of two code units, a letter that is no accented other one.
        let folded = FoldedText::new("e\u{301}té 👠 バッグ œuvre");
        assert_eq!(folded.as_str(), "ete 👠 バッグ œuvre");
        let shoe = folded.as_str().find('👠').unwrap();
        assert_eq!(folded.original_offset(1), 2);
        assert_eq!(folded.original_offset(shoe), 5);
        assert_eq!(folded.original_offset(shoe + 4), 7);
        assert_eq!(folded.original_offset(folded.as_str().len()), 17);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = FoldedText::new(&text);
            let twice = FoldedText::new(once.as_str());
            prop_assert_eq!(twice.as_str(), once.as_str());
            prop_assert_eq!(once.original_offset(once.as_str().len()), text.encode_utf16().count());
        }
    }
}

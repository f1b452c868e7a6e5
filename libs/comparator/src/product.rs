//! Which offers are of one product.

use std::collections::BTreeSet;

use vocabulary::whole_words;

/// Words that say nothing about a product, in the languages of the ads.
const LITTLE_WORDS: [&str; 24] = [
    "a", "and", "au", "aux", "d", "das", "de", "der", "des", "die", "du", "en", "et", "for", "fur", "l", "la", "le",
    "les", "of", "pour", "the", "und", "with",
];

/// The words that name a product, whatever their order: those of its title but [`LITTLE_WORDS`]. Sizes and amounts are among them, so `50 ml` and
/// `100 ml` are two products.
pub(crate) fn name_of(title: &str) -> BTreeSet<String> {
    let words = whole_words(title);
    let words = words.split_whitespace().filter(|word| !LITTLE_WORDS.contains(word));
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_named_by_its_words_in_any_order() {
        assert_eq!(name_of("Sac à main Été – cuir"), name_of("sac cuir, main a ete"));
        assert_eq!(name_of("Huile de l’Olivier 50 ml"), name_of("Huile Olivier, 50 ml"));
        assert_ne!(name_of("Huile 50 ml"), name_of("Huile 100 ml"));
        assert_ne!(name_of("Sac cuir"), name_of("Sac cuir noir"));
    }
}

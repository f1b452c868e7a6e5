//! Prices as each language writes them.

use crate::localization::{Currency, Language};

pub(crate) const NO_BREAK_SPACE: char = '\u{a0}';

/// Writes an amount as each currency and language does: `129900` cents as `1 299,00 €`, `£1,299.00`, `1.299,00 €`, `CHF 1’299.00`.
pub(crate) fn price(cents: usize, currency: Currency, language: Language) -> String {
    let (thousands, decimal) = match (currency, language) {
        (Currency::Franc, _) => ('’', '.'),
        (_, Language::English) => (',', '.'),
        (_, Language::French) => (NO_BREAK_SPACE, ','),
        (_, Language::German) => ('.', ','),
    };
    let amount = format!("{}{decimal}{:02}", grouped(cents / 100, thousands), cents % 100);
    let sign = match currency {
        Currency::Euro => "€",
        Currency::Pound => "£",
        Currency::Dollar => "$",
        Currency::Franc => "CHF",
    };
    match (currency, language) {
        (Currency::Franc, _) => format!("{sign}{NO_BREAK_SPACE}{amount}"),
        (_, Language::English) => format!("{sign}{amount}"),
        _ => format!("{amount}{NO_BREAK_SPACE}{sign}"),
    }
}

/// Writes an integer with a thousands separator, as result counts have.
pub(crate) fn grouped(number: usize, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_prices_as_the_language_does() {
        for (cents, currency, language, text) in [
            (129_900, Currency::Euro, Language::French, "1\u{a0}299,00\u{a0}€"),
            (129_900, Currency::Euro, Language::German, "1.299,00\u{a0}€"),
            (129_900, Currency::Pound, Language::English, "£1,299.00"),
            (995, Currency::Dollar, Language::English, "$9.95"),
            (1_234_567, Currency::Franc, Language::German, "CHF\u{a0}12’345.67"),
        ] {
            assert_eq!(price(cents, currency, language), text);
        }
    }
}

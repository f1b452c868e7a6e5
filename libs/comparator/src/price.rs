//! Prices as shopping ads write them.

use vocabulary::whole_words;

/// Currencies by the signs and codes that name them; signs that several countries use are in [`DOLLARS`] and [`CROWNS`].
const SIGNS: [(&str, &str); 15] = [
    ("€", "EUR"),
    ("£", "GBP"),
    ("₽", "RUB"),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("₺", "TRY"),
    ("₴", "UAH"),
    ("₪", "ILS"),
    ("฿", "THB"),
    ("zł", "PLN"),
    ("Kč", "CZK"),
    ("Ft", "HUF"),
    ("lei", "RON"),
    ("Fr.", "CHF"),
    ("¥", "JPY"),
];
const CODES: [&str; 32] = [
    "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR",
    "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "RON", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "UAH", "USD", "ZAR",
];
/// Whose dollar `$` is; elsewhere it is that of the United States.
const DOLLARS: [(&str, &str); 6] = [
    ("AU", "AUD"),
    ("CA", "CAD"),
    ("HK", "HKD"),
    ("MX", "MXN"),
    ("NZ", "NZD"),
    ("SG", "SGD"),
];
/// Whose dollar `$` is behind these letters, wherever it stands.
const NAMED_DOLLARS: [(&str, &str); 11] = [
    ("A", "AUD"),
    ("AU", "AUD"),
    ("C", "CAD"),
    ("CA", "CAD"),
    ("HK", "HKD"),
    ("MX", "MXN"),
    ("NZ", "NZD"),
    ("R", "BRL"),
    ("S", "SGD"),
    ("SG", "SGD"),
    ("US", "USD"),
];
/// Whose crown `kr` is.
const CROWNS: [(&str, &str); 3] = [("DK", "DKK"), ("NO", "NOK"), ("SE", "SEK")];
/// Units in the words of several languages, by the one they are shown as.
const UNITS: [(&str, &[&str]); 5] = [
    ("month", &["month", "mo", "mois", "monat"]),
    ("year", &["year", "yr", "an", "jahr"]),
    ("l", &["l", "litre", "liter"]),
    ("kg", &["kg", "kilo"]),
    ("piece", &["piece", "pc", "unite", "stuck"]),
];
/// Words that begin a unit.
const PER: [&str; 3] = ["per", "par", "pro"];
/// Words that make a price the lowest of several.
const FROM: [&str; 5] = ["from", "des", "ab", "starting", "partir"];
/// The longest unit that is kept, in letters.
const LONGEST_UNIT: usize = 20;
/// The most digits of a price.
const MOST_DIGITS: usize = 13;

/// A price, whose amount can be compared with others of the same currency and unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price {
    /// The code of the currency, as in ISO 4217.
    pub currency: &'static str,
    /// What it pays for, such as `month` or `100 ml`; empty for the whole product.
    pub unit: String,
    /// In hundredths of the currency.
    pub hundredths: u64,
}

impl Price {
    /// Reads a price as it is written on a page for a country (ISO 3166, two letters). `None` for a text without a currency or an amount, for several
    /// amounts (`$113.06£59.50`), for a lowest price (`from $10`), and for nothing to pay (`$0.00 now`, with a contract): none of them says what one
    /// product costs.
    pub fn read(text: &str, country: &str) -> Option<Self> {
        let words = whole_words(text);
        if FROM.iter().any(|word| words.contains(&format!(" {word} "))) {
            return None;
        }
        let (price, unit) = split_unit(text);
        Some(Self {
            currency: currency(price, country)?,
            unit: unit.map(named_unit).unwrap_or_default(),
            hundredths: amount(price).filter(|hundredths| *hundredths > 0)?,
        })
    }
}

/// The price and the unit of a text: what comes before and after a slash, or a word of [`PER`].
fn split_unit(text: &str) -> (&str, Option<&str>) {
    if let Some((price, unit)) = text.split_once('/') {
        return (price, Some(unit));
    }
    let lower = text.to_ascii_lowercase();
    let place = PER.iter().find_map(|word| {
        let at = lower.find(&format!(" {word} "))?;
        Some((at, at + word.len() + 2))
    });
    match place {
        Some((end, start)) => (&text[..end], Some(&text[start..])),
        None => (text, None),
    }
}

/// The name of a unit: the shared one of its words, or else the words themselves.
fn named_unit(text: &str) -> String {
    let words = whole_words(text);
    let words = words.trim();
    let shared = UNITS.iter().find(|(_, names)| names.contains(&words));
    shared.map_or_else(
        || words.chars().take(LONGEST_UNIT).collect(),
        |(name, _)| (*name).to_owned(),
    )
}

/// The one currency that a text names; `None` for none, or several.
fn currency(text: &str, country: &str) -> Option<&'static str> {
    let letters = |letter: char| !letter.is_alphabetic();
    let codes = CODES
        .iter()
        .copied()
        .filter(|code| text.split(letters).any(|word| word == *code));
    let signs = SIGNS
        .iter()
        .filter(|(sign, _)| text.contains(sign))
        .map(|(_, code)| *code);
    let mut found: Vec<&'static str> = codes.chain(signs).collect();
    let of = |table: &[(&str, &'static str)]| table.iter().find(|(place, _)| *place == country).map(|(_, code)| *code);
    if let Some((before, _)) = text.split_once('$')
        && !found.iter().any(|code| code.ends_with('D'))
    {
        let letters = before.rsplit(|letter: char| !letter.is_ascii_alphabetic()).next();
        let named = NAMED_DOLLARS.iter().find(|(name, _)| Some(*name) == letters);
        found.push(named.map_or_else(|| of(&DOLLARS).unwrap_or("USD"), |(_, code)| *code));
    }
    if text.split(letters).any(|word| word.eq_ignore_ascii_case("kr")) {
        found.extend(of(&CROWNS));
    }
    if found == ["JPY"] && country == "CN" {
        found = vec!["CNY"];
    }
    found.dedup();
    match found[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// The one amount in a text, in hundredths; `None` for none, several, and digits that are grouped as no amount is.
fn amount(text: &str) -> Option<u64> {
    let mut runs = text.split(|letter: char| !letter.is_ascii_digit() && !is_separator(letter));
    let mut amounts = runs
        .by_ref()
        .filter(|run| run.contains(|letter: char| letter.is_ascii_digit()));
    let run = amounts.next()?.trim_matches(is_separator);
    if amounts.next().is_some() {
        return None;
    }
    let (whole, decimals) = match run.rfind([',', '.']) {
        Some(at) if is_decimal(run, at) => (&run[..at], &run[at + 1..]),
        _ => (run, ""),
    };
    let groups: Vec<&str> = whole.split(is_separator).collect();
    let digits = groups.concat();
    let (first, others) = groups.split_first()?;
    let is_grouped = others.iter().all(|group| group.len() == 3) && (others.is_empty() || first.len() <= 3);
    if !is_grouped || digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let whole: u64 = digits.parse().ok()?;
    let decimals: u64 = match decimals.len() {
        0 => 0,
        1 => decimals.parse::<u64>().ok()? * 10,
        _ => decimals.parse().ok()?,
    };
    whole.checked_mul(100)?.checked_add(decimals)
}

/// Whether the comma or point at this byte of a run of digits separates decimals: one or two digits follow it.
fn is_decimal(run: &str, at: usize) -> bool {
    matches!(run.len() - at - 1, 1 | 2)
}

/// Whether a letter may be between the digits of an amount.
const fn is_separator(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | ',' | '.' | '\'' | '’'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, country: &str) -> Option<(u64, &'static str, String)> {
        Price::read(text, country).map(|price| (price.hundredths, price.currency, price.unit))
    }

    #[test]
    fn reads_prices_as_each_country_writes_them() {
        for (text, country, hundredths, currency, unit) in [
            ("95,00 €", "FR", 9_500, "EUR", ""),
            ("1\u{a0}299,00\u{a0}€", "FR", 129_900, "EUR", ""),
            ("1.299,00 €", "DE", 129_900, "EUR", ""),
            ("1.299 €", "DE", 129_900, "EUR", ""),
            ("$1,199.00", "US", 119_900, "USD", ""),
            ("$99.99 now", "US", 9_999, "USD", ""),
            ("$12.5", "CA", 1_250, "CAD", ""),
            ("US$12", "CA", 1_200, "USD", ""),
            ("C$12.00", "US", 1_200, "CAD", ""),
            ("THB 6,050", "TH", 605_000, "THB", ""),
            ("CHF\u{a0}12’345.67", "CH", 1_234_567, "CHF", ""),
            ("10 993,00 ₽", "RU", 1_099_300, "RUB", ""),
            ("R$ 10,00", "BR", 1_000, "BRL", ""),
            ("199 kr", "SE", 19_900, "SEK", ""),
            ("15 €/mois", "FR", 1_500, "EUR", "month"),
            ("£15 per month", "GB", 1_500, "GBP", "month"),
            ("12,90 €/100 ml", "FR", 1_290, "EUR", "100 ml"),
            ("¥1,980", "JP", 198_000, "JPY", ""),
        ] {
            assert_eq!(
                read(text, country),
                Some((hundredths, currency, unit.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn reads_nothing_where_no_one_price_is_said() {
        for text in [
            "",
            "free",
            "12,90",
            "€",
            "$113.06£59.50",
            "$0.00 now",
            "10 € - 20 €",
            "from $10",
            "à partir de 10 €",
            "ab 9,99 €",
            "12345,678,9 €",
            "99999999999999999999 €",
            "1,2,3 €",
        ] {
            assert_eq!(read(text, "FR"), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn reads_back_what_was_written(hundredths in 1_u64..10_000_000_000) {
            let (whole, cents) = (hundredths / 100, hundredths % 100);
            let digits = whole.to_string();
            let grouped = |separator: char| {
                let mut text = String::new();
                for (at, digit) in digits.chars().enumerate() {
                    if at > 0 && (digits.len() - at).is_multiple_of(3) {
                        text.push(separator);
                    }
                    text.push(digit);
                }
                text
            };
            for text in [
                format!("{},{cents:02} €", grouped('\u{202f}')),
                format!("€{}.{cents:02}", grouped(',')),
                format!("{},{cents:02} EUR", grouped('.')),
                format!("€ {digits}.{cents:02}"),
            ] {
                prop_assert_eq!(Price::read(&text, "FR").map(|price| price.hundredths), Some(hundredths), "{}", text);
            }
        }

        #[test]
        fn never_fails_on_any_text(text in ".{0,60}", country in "[A-Z]{2}") {
            let _ = Price::read(&text, &country);
        }
    }
}

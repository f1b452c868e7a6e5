//! Completes product names that the page shows truncated.

use scraper::ElementRef;

use super::text;

/// Fewest letters of a truncated name that identify a product.
const LEAST_START: usize = 4;
/// Separators between a name and what follows it.
const BETWEEN: [char; 9] = [' ', ',', ';', ':', '-', '–', '·', '|', '.'];

/// Completes a name that the page shows only the beginning of, from a text for screen readers: up to the price, which may follow it there. Returns
/// `shown` unchanged when it is complete or its rest is not found.
pub(super) fn completed(ad: ElementRef<'_>, shown: String, price: Option<&str>) -> String {
    let Some(start) = cut_start(&shown) else { return shown };
    let elements = std::iter::once(ad).chain(ad.descendants().filter_map(ElementRef::wrap));
    let text = elements.flat_map(|element| ["aria-label", "title", "alt"].map(|name| element.attr(name)));
    let names = text.flatten().filter_map(|text| name_in(text, start, price));
    names.max_by_key(String::len).unwrap_or(shown)
}

/// Returns a truncated name without its ellipsis; `None` for a complete name, or one with fewer than [`LEAST_START`] letters and digits.
fn cut_start(shown: &str) -> Option<&str> {
    let start = shown
        .strip_suffix('…')
        .or_else(|| shown.strip_suffix("..."))?
        .trim_end();
    (start.chars().filter(|c| c.is_alphanumeric()).count() >= LEAST_START).then_some(start)
}

/// Finds the full name in a text: from `start` up to the price or the end. `None` when the text does not hold `start`, has no more than that, or is
/// truncated itself.
fn name_in(text: &str, start: &str, price: Option<&str>) -> Option<String> {
    let text = text::clean(text);
    let name = &text[text.find(start)?..];
    let end = price.and_then(|price| name.find(price)).unwrap_or(name.len());
    let name = name[..end].trim_end_matches(BETWEEN);
    (name.len() > start.len() && cut_start(name).is_none()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_where_the_price_begins() {
        let text = "Product: Lantern of brass with two wicks, 12,50 €, Glow Shop";
        assert_eq!(
            name_in(text, "Lantern of", Some("12,50 €")).as_deref(),
            Some("Lantern of brass with two wicks")
        );
        assert_eq!(name_in("Lantern of ...", "Lantern of", None), None);
        assert_eq!(name_in("Lamp", "Lantern of", None), None);
    }

    #[test]
    fn a_name_that_is_not_cut_has_no_start() {
        assert_eq!(cut_start("Lantern"), None);
        assert_eq!(cut_start("Lan ..."), None);
        assert_eq!(cut_start("Lantern of ..."), Some("Lantern of"));
        assert_eq!(cut_start("Lantern…"), Some("Lantern"));
    }
}

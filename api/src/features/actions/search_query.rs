//! The query of the action search, whose filters are parameters of their own: `status[]=new`, `country[]=-FR`, `lastView[start]=…`,
//! `domain[regexp]=/shop/i`, `sortBy=-lastView`.

use url::form_urlencoded;
use vocabulary::resources::Pattern;

use crate::failure::ApiError;

/// The path of a search as a file.
const FILE: &str = "/api/actions/searchAll";
/// The key that says whether views and ads are counted.
pub(super) const FIGURES: &str = "figures";
/// Keys that are no filters: they shape the response.
const OTHERS: [&str; 7] = ["_t", "access_token", "csv", FIGURES, "format", "lng", "token"];
/// Keys that a list query knows by itself.
const KNOWN: [&str; 5] = ["page[", "page.", "sort[", "sort.", "filters["];

/// Rewrites the pairs of an action search as a list query spells them, such as `filters[status][inq][]=new`; a minus before a value excludes it
/// (`nin`, `exclude`), and an operator after a name stays; pairs that only shape the response are dropped. A `BadRequest` for an expression
/// after `[regexp]` that is no plain text.
pub(super) fn spell_out(pairs: &[(String, String)]) -> Result<Vec<(String, String)>, ApiError> {
    let mut spelled = Vec::with_capacity(pairs.len());
    let mut push = |key: String, value: &str| spelled.push((key, value.to_owned()));
    for (key, value) in pairs {
        let (name, rest) = key.split_at(key.find('[').unwrap_or(key.len()));
        match (name, rest) {
            ("sortBy", "") => {
                let (column, way) = value
                    .strip_prefix('-')
                    .map_or((value.as_str(), "ASC"), |column| (column, "DESC"));
                push("sort[by]".to_owned(), column);
                push("sort[direction]".to_owned(), way);
            }
            ("noPaging", "") => push("page[size]".to_owned(), if value == "false" { "30" } else { "0" }),
            ("filter" | "perPage", "") => push(key.clone(), value),
            ("filter", rest) => push(format!("filters{rest}"), value),
            (name, "") if OTHERS.contains(&name) => {}
            _ if KNOWN.iter().any(|known| key.starts_with(known)) => push(key.clone(), value),
            (_, "[start]" | "[end]") => push(format!("filters[{name}][between]{rest}"), value),
            (_, "[regexp]") => {
                let (operator, pattern) = signed(value, "contain", "exclude");
                push(format!("filters[{name}][{operator}][]"), &text_of(key, pattern)?);
            }
            (_, rest) if is_of_list(rest) => {
                let (operator, plain) = signed(value, "inq", "nin");
                push(format!("filters[{name}][{operator}][]"), plain);
            }
            // An operator is what it is in every list, and one that is not known is refused there.
            (_, rest) => push(format!("filters[{name}]{rest}"), value),
        }
    }
    Ok(spelled)
}

/// The address of the file for the same search, from `/api` on: all pairs but those of the page, with `noPaging=true` and `csv=true`.
pub(super) fn file_link(pairs: &[(String, String)]) -> String {
    let query_pairs = pairs
        .iter()
        .filter(|(key, _)| !key.starts_with("page") && !["perPage", "noPaging", "csv"].contains(&key.as_str()));
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("noPaging", "true")
        .append_pair("csv", "true")
        .extend_pairs(query_pairs)
        .finish();
    format!("{FILE}?{query}")
}

/// Whether what follows a name, such as `[]` or `[0]`, says that the value is one of several, or nothing at all.
fn is_of_list(rest: &str) -> bool {
    let index = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    rest.is_empty() || index.is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The operator and the value without its sign: `negated` when a minus is before the value, else `plain`.
fn signed<'a>(value: &'a str, plain: &'static str, negated: &'static str) -> (&'static str, &'a str) {
    value.strip_prefix('-').map_or((plain, value), |value| (negated, value))
}

/// The text that an expression such as `/shop/i` looks for; a `BadRequest` for any expression that is more than a text.
fn text_of(key: &str, pattern: &str) -> Result<String, ApiError> {
    let wrong = |reason: String| ApiError::BadRequest(format!("{key}: {reason}"));
    let parsed = Pattern::parse(pattern).map_err(|error| wrong(error.to_string()))?;
    parsed
        .as_text()
        .ok_or_else(|| wrong("it looks for a text, as in /shop/i, and takes no other expression".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_becomes_that_of_a_list() {
        for (key, value, spelled, meant) in [
            ("status[]", "new", "filters[status][inq][]", "new"),
            ("status", "new", "filters[status][inq][]", "new"),
            ("country[0]", "-FR", "filters[country][nin][]", "FR"),
            (
                "lastView[start]",
                "2026-01-01",
                "filters[lastView][between][start]",
                "2026-01-01",
            ),
            ("domain[regexp]", "/a\\.shop/i", "filters[domain][contain][]", "a.shop"),
            ("adTitle[regexp]", "-/50%/i", "filters[adTitle][exclude][]", "50%"),
            ("noPaging", "true", "page[size]", "0"),
            ("page[size]", "30", "page[size]", "30"),
            ("filters[status][nin][]", "new", "filters[status][nin][]", "new"),
            ("status[nin][]", "new", "filters[status][nin][]", "new"),
            ("domain[exclude][]", "shop", "filters[domain][exclude][]", "shop"),
        ] {
            let pairs = [(key.to_owned(), value.to_owned())];
            assert_eq!(
                spell_out(&pairs).unwrap(),
                [(spelled.to_owned(), meant.to_owned())],
                "{key}"
            );
        }
        let sorted = spell_out(&[("sortBy".to_owned(), "-lastView".to_owned())]).unwrap();
        assert_eq!(sorted[0].1, "lastView");
        assert_eq!(sorted[1].1, "DESC");
    }

    #[test]
    fn an_expression_that_is_no_text_is_refused_by_its_name() {
        let pairs = [("domain[regexp]".to_owned(), "/a|b/i".to_owned())];
        let Err(ApiError::BadRequest(text)) = spell_out(&pairs) else {
            panic!("it was read");
        };
        assert!(text.starts_with("domain[regexp]"), "{text}");
    }
}

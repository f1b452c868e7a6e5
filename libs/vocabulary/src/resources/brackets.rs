//! Arguments in the query of an address, and bodies of forms: plain, or spelled out in brackets (`filter[where][name]=x`).
//!
//! Anybody may send them before signing in, so parsing takes time in proportion to their length, whatever they contain.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};
use thiserror::Error;

/// How many brackets are followed; deeper ones could only hold what the limits of a filter refuse.
const MAX_BRACKETS: usize = 32;
/// How many pairs are read: some filters with a thousand values each.
const MAX_PAIRS: usize = 10_000;
/// How long a query or form may be.
const MAX_BYTES: usize = 1 << 20;

/// The pairs of a query or form.
pub type Pairs = Vec<(String, String)>;

/// Why a query or form is not read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BracketsError {
    /// It is too long.
    #[error("At most {MAX_PAIRS} parameters of together {MAX_BYTES} bytes are read.")]
    TooMany,
    /// Its brackets do not pair, or nest too deep.
    #[error("{0}: write it in at most {MAX_BRACKETS} pairs of brackets, as in filter[where][name]")]
    Brackets(String),
    /// It has a value and parts at once.
    #[error("{0} is given as a value and in parts at once")]
    Twofold(String),
}

/// Percent-decodes a query or form into its names and values, in their order, repetitions kept; brackets in the names stay as they are.
/// [`BracketsError::TooMany`] beyond `MAX_BYTES` bytes or `MAX_PAIRS` pairs.
pub fn pairs(query: &str) -> Result<Pairs, BracketsError> {
    if query.len() > MAX_BYTES {
        return Err(BracketsError::TooMany);
    }
    let pairs: Pairs = url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .take(MAX_PAIRS + 1)
        .collect();
    if pairs.len() > MAX_PAIRS {
        return Err(BracketsError::TooMany);
    }
    Ok(pairs)
}

/// An argument of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Not there, or empty.
    None,
    /// Written plainly, once.
    Plain(String),
    /// Spelled out in brackets.
    Spelled(Json),
    /// Written twice, or both ways.
    Twice,
}

/// What the pairs give for the argument `name`: its plain text, or what its pairs with brackets spell (texts, in lists and objects);
/// [`Argument::None`] if it is missing or empty, [`Argument::Twice`] if it is written plainly twice or both ways. Other pairs are ignored. An error
/// where brackets are malformed or a part is both a value and an object.
pub fn argument(pairs: &[(String, String)], name: &str) -> Result<Argument, BracketsError> {
    let mut plain = Vec::new();
    let mut spelled = Tree::default();
    let mut any = false;
    for (key, value) in pairs {
        match key.strip_prefix(name) {
            Some("") => plain.push(value),
            Some(rest) if rest.starts_with('[') => {
                spelled.insert(&segments(key, rest)?, value);
                any = true;
            }
            _ => {}
        }
    }
    Ok(match (plain.as_slice(), any) {
        ([], true) => Argument::Spelled(spelled.json(name)?),
        ([], false) => Argument::None,
        ([text], false) if text.is_empty() => Argument::None,
        ([text], false) => Argument::Plain((*text).clone()),
        _ => Argument::Twice,
    })
}

/// All pairs, such as those of a form, as one object, which brackets nest. Values are texts; a name that is repeated, or has only numbered parts,
/// becomes a list. An error where brackets are malformed or a part is both a value and an object.
pub fn object(pairs: &[(String, String)]) -> Result<Map<String, Json>, BracketsError> {
    let mut tree = Tree::default();
    for (key, value) in pairs {
        let (name, rest) = key.find('[').map_or((key.as_str(), ""), |at| key.split_at(at));
        let mut path = vec![name];
        if !rest.is_empty() {
            path.extend(segments(key, rest)?);
        }
        tree.insert(&path, value);
    }
    let parts = tree.parts.into_iter();
    parts
        .map(|(name, part)| Ok((name.clone(), part.json(&name)?)))
        .collect()
}

/// The names within brackets: `[a][b]` as `a`, `b`. Malformed brackets and more than `MAX_BRACKETS` pairs of them are refused, with `key`
/// in the message.
fn segments<'a>(key: &str, text: &'a str) -> Result<Vec<&'a str>, BracketsError> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let path: Option<Vec<&str>> = inner.map(|inner| inner.split("][").take(MAX_BRACKETS + 1).collect());
    path.filter(|path| path.len() <= MAX_BRACKETS)
        .ok_or_else(|| BracketsError::Brackets(start_of_key(key)))
}

/// The first 60 characters of a key, for messages.
fn start_of_key(key: &str) -> String {
    const SHOWN: usize = 60;
    key.chars().take(SHOWN).collect()
}

/// Values by their paths, in the order they came.
#[derive(Default)]
struct Tree {
    values: Vec<String>,
    parts: Vec<(String, Tree)>,
    /// Index of each part by its name.
    places: HashMap<String, usize>,
    /// Index that the next part without a name gets.
    next: usize,
}

impl Tree {
    /// Adds a value at a path, whose missing parts are made.
    fn insert(&mut self, path: &[&str], value: &str) {
        let mut tree = self;
        for name in path {
            tree = tree.child(name);
        }
        tree.values.push(value.to_owned());
    }

    /// The part of this name, which is made if it is missing. An empty name, as of `a[]`, means the next free index.
    fn child(&mut self, name: &str) -> &mut Self {
        let name = if name.is_empty() {
            self.next.to_string()
        } else {
            name.to_owned()
        };
        if let Some(index) = index(&name) {
            self.next = self.next.max(index.saturating_add(1));
        }
        let at = *self.places.entry(name.clone()).or_insert(self.parts.len());
        if at == self.parts.len() {
            self.parts.push((name, Self::default()));
        }
        &mut self.parts[at].1
    }

    /// The JSON of this part, named `name` in errors: a text, a list where values repeat or all names are indexes (in their order, plain
    /// values last), else an object. An object with plain values is refused.
    fn json(self, name: &str) -> Result<Json, BracketsError> {
        let Self { mut values, parts, .. } = self;
        if parts.is_empty() {
            return Ok(match values.len() {
                1 => Json::String(values.remove(0)),
                _ => values.into_iter().map(Json::String).collect(),
            });
        }
        if parts.iter().all(|(name, _)| index(name).is_some()) {
            let mut items = parts;
            items.sort_by_key(|(name, _)| index(name));
            let listed = items.into_iter().map(|(name, part)| part.json(&name));
            return listed
                .chain(values.into_iter().map(|value| Ok(Json::String(value))))
                .collect();
        }
        if !values.is_empty() {
            return Err(BracketsError::Twofold(start_of_key(name)));
        }
        let named = parts.into_iter().map(|(name, part)| {
            let json = part.json(&name)?;
            Ok((name, json))
        });
        named.collect::<Result<Map<_, _>, _>>().map(Json::Object)
    }
}

/// The name as an index of a list; `None` for any other name.
fn index(name: &str) -> Option<usize> {
    name.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn filter(query: &str) -> Argument {
        argument(&pairs(query).unwrap(), "filter").unwrap()
    }

    #[test]
    fn brackets_are_followed_to_any_depth() {
        assert_eq!(
            filter("filter[where][and][1][or][0][status]=x&filter[where][and][0][note]=a+b&filter[limit]=2"),
            Argument::Spelled(json!({"where": {"and": [{"note": "a b"}, {"or": [{"status": "x"}]}]}, "limit": "2"}))
        );
    }

    #[test]
    fn lists_may_repeat_leave_out_or_name_their_places() {
        for query in [
            "filter[a]=x&filter[a]=y",
            "filter[a][]=x&filter[a][]=y",
            "filter[a][5]=x&filter[a][9]=y",
        ] {
            assert_eq!(filter(query), Argument::Spelled(json!({"a": ["x", "y"]})), "{query}");
        }
    }

    #[test]
    fn an_argument_is_given_once_and_in_one_form() {
        assert_eq!(filter("filter={}"), Argument::Plain("{}".into()));
        assert_eq!(filter("filter="), Argument::None);
        assert_eq!(filter("x=1"), Argument::None);
        assert_eq!(filter("filter=a&filter=b"), Argument::Twice);
        assert_eq!(filter("filter=a&filter[b]=c"), Argument::Twice);
    }

    #[test]
    fn a_form_is_an_object() {
        assert_eq!(
            Json::Object(object(&pairs("name=x&a[b]=c&d=").unwrap()).unwrap()),
            json!({"name": "x", "a": {"b": "c"}, "d": ""})
        );
    }

    #[test]
    fn what_would_lose_something_is_refused() {
        let read = |query: &str| argument(&pairs(query).unwrap(), "filter");
        for query in ["filter[where][x=1", "filter[=1", "filter[a]b=1"] {
            assert!(matches!(read(query), Err(BracketsError::Brackets(_))), "{query}");
        }
        let deep = format!("filter{}=1", "[a]".repeat(MAX_BRACKETS + 1));
        assert!(matches!(read(&deep), Err(BracketsError::Brackets(_))));
        assert_eq!(
            read("filter[a]=x&filter[a][b]=y"),
            Err(BracketsError::Twofold("a".into()))
        );
        assert!(matches!(
            object(&pairs("a=x&a[b]=y").unwrap()),
            Err(BracketsError::Twofold(_))
        ));
    }

    /// A parser that compares each key with all before it takes half a minute for this many.
    #[test]
    fn many_keys_are_refused_at_once_and_as_many_as_allowed_are_read_as_fast() {
        let query = |count: usize| {
            (0..count)
                .map(|n| format!("filter[a{n}]=1&"))
                .collect::<Vec<_>>()
                .concat()
        };
        let (many, most) = (query(130_000), query(MAX_PAIRS));
        let start = std::time::Instant::now();
        assert_eq!(pairs(&many[..MAX_BYTES.min(many.len())]), Err(BracketsError::TooMany));
        assert_eq!(pairs(&many), Err(BracketsError::TooMany));
        let read = filter(&most);
        assert!(
            start.elapsed() < std::time::Duration::from_secs(1),
            "{:?}",
            start.elapsed()
        );
        assert!(matches!(read, Argument::Spelled(Json::Object(map)) if map.len() == MAX_PAIRS));
    }

    fn tree() -> impl Strategy<Value = Json> {
        let leaf = "[a-z ]{0,6}".prop_map(Json::String);
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(Json::Array),
                prop::collection::btree_map("[a-z]{1,4}", inner, 1..4).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    fn spell(prefix: &str, json: &Json, out: &mut url::form_urlencoded::Serializer<'_, String>) {
        match json {
            Json::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(at, item)| spell(&format!("{prefix}[{at}]"), item, out)),
            Json::Object(map) => map
                .iter()
                .for_each(|(name, item)| spell(&format!("{prefix}[{name}]"), item, out)),
            Json::String(text) => {
                out.append_pair(prefix, text);
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn what_is_spelled_out_is_read_again(value in tree()) {
            prop_assume!(!value.is_string());
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            spell("filter", &value, &mut query);
            prop_assert_eq!(filter(&query.finish()), Argument::Spelled(value));
        }

        #[test]
        fn no_query_breaks_the_reader(query in ".{0,200}") {
            let pairs = pairs(&query).unwrap();
            let _ = (argument(&pairs, "filter"), object(&pairs));
        }
    }
}

//! Arguments in the query of an address, and bodies of forms: plain, or spelled out in brackets (`filter[where][name]=x`).

use serde_json::{Map, Value as Json};

/// How many brackets are followed; deeper ones could only hold what the limits of a filter refuse.
const MAX_BRACKETS: usize = 32;

/// The pairs of a query or form.
pub fn pairs(query: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
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

/// The argument `name`.
pub fn argument(pairs: &[(String, String)], name: &str) -> Argument {
    let plain: Vec<&String> = pairs
        .iter()
        .filter(|(key, _)| key == name)
        .map(|(_, value)| value)
        .collect();
    let mut spelled = Tree::default();
    let mut any = false;
    for (key, value) in pairs {
        if let Some(path) = key.strip_prefix(name).and_then(segments) {
            spelled.insert(&path, value);
            any = true;
        }
    }
    match (plain.as_slice(), any) {
        ([], true) => Argument::Spelled(spelled.json()),
        ([], false) => Argument::None,
        ([text], false) if text.is_empty() => Argument::None,
        ([text], false) => Argument::Plain((*text).clone()),
        _ => Argument::Twice,
    }
}

/// A form as an object.
pub fn object(pairs: &[(String, String)]) -> Json {
    let mut tree = Tree::default();
    for (key, value) in pairs {
        let (name, rest) = key.find('[').map_or((key.as_str(), ""), |at| key.split_at(at));
        let mut path = vec![name];
        path.extend(segments(rest).unwrap_or_default());
        tree.insert(&path, value);
    }
    match tree.json() {
        Json::Object(map) => Json::Object(map),
        _ => Json::Object(Map::new()),
    }
}

/// `[a][b]` as `a`, `b`; `None` for anything else.
fn segments(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let path: Vec<&str> = inner.split("][").collect();
    (path.len() <= MAX_BRACKETS).then_some(path)
}

/// Values by their paths, in the order they came.
#[derive(Default)]
struct Tree {
    values: Vec<String>,
    branches: Vec<(String, Tree)>,
}

impl Tree {
    fn insert(&mut self, path: &[&str], value: &str) {
        let Some((first, rest)) = path.split_first() else {
            self.values.push(value.to_owned());
            return;
        };
        let name = if first.is_empty() {
            self.branches.len().to_string()
        } else {
            (*first).to_owned()
        };
        let known = self.branches.iter().position(|(known, _)| *known == name);
        let at = known.unwrap_or_else(|| {
            self.branches.push((name, Tree::default()));
            self.branches.len() - 1
        });
        self.branches[at].1.insert(rest, value);
    }

    fn json(self) -> Json {
        if self.branches.is_empty() {
            let mut values = self.values;
            return match values.len() {
                1 => Json::String(values.remove(0)),
                _ => values.into_iter().map(Json::String).collect(),
            };
        }
        let index = |name: &str| name.parse::<usize>().ok();
        if self.branches.iter().all(|(name, _)| index(name).is_some()) {
            let mut items = self.branches;
            items.sort_by_key(|(name, _)| index(name));
            let listed = items.into_iter().map(|(_, tree)| tree.json());
            return listed.chain(self.values.into_iter().map(Json::String)).collect();
        }
        Json::Object(
            self.branches
                .into_iter()
                .map(|(name, tree)| (name, tree.json()))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn filter(query: &str) -> Argument {
        argument(&pairs(query), "filter")
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
    fn an_argument_stands_once_and_in_one_form() {
        assert_eq!(filter("filter={}"), Argument::Plain("{}".into()));
        assert_eq!(filter("filter="), Argument::None);
        assert_eq!(filter("x=1"), Argument::None);
        assert_eq!(filter("filter=a&filter=b"), Argument::Twice);
        assert_eq!(filter("filter=a&filter[b]=c"), Argument::Twice);
    }

    #[test]
    fn a_form_is_an_object() {
        assert_eq!(
            object(&pairs("name=x&a[b]=c&d=")),
            json!({"name": "x", "a": {"b": "c"}, "d": ""})
        );
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
            let pairs = pairs(&query);
            argument(&pairs, "filter");
            object(&pairs);
        }
    }
}

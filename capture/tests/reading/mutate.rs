//! Rewrites pages with changes that an engine may make from one day to the next.

use std::collections::BTreeSet;

use ego_tree::NodeRef;
use regex::Regex;
use scraper::{Html, Node};

/// Elements whose text is not escaped.
const RAW: [&str; 8] = [
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "xmp",
];
const EMPTY: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
];

/// Which changes are made. The default changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Attributes in reverse order.
    pub reversed_attributes: bool,
    /// Three spaces and a line break for each space, in texts and class lists.
    pub more_blanks: bool,
    /// Wraps every nth `div` in another; 0 wraps none.
    pub wrapped: usize,
    /// Unknown classes and attributes on every element.
    pub additions: bool,
    /// Renames all classes that are not in this set.
    pub kept_classes: Option<BTreeSet<String>>,
    /// Renames these classes, ids and attributes.
    pub renamed: BTreeSet<String>,
    /// The first occurrences of those names that stay as they are.
    pub renamed_after: usize,
}

/// Rewrites a page with changes.
pub fn mutate(page: &str, changes: &Changes) -> String {
    let html = Html::parse_document(page);
    let mut writer = Writer {
        changes,
        out: String::with_capacity(page.len() * 2),
        divs: 0,
        met: 0,
    };
    writer.node(html.tree.root());
    writer.out
}

/// The classes, ids and attributes that the tables of an engine anchor on. Attributes that the web itself gives a meaning are left out.
pub fn anchors(tables: &[&str]) -> BTreeSet<String> {
    let names = Regex::new(r"[.#]([A-Za-z_][\w-]*)|\[(data-[a-z-]+)").expect("a constant pattern");
    let selectors = Regex::new(r#""([^"]*)""#).expect("a constant pattern");
    let values = Regex::new(r"='[^']*'").expect("a constant pattern");
    let mut found = BTreeSet::new();
    for line in tables.iter().flat_map(|table| table.lines()) {
        let is_selector = !line.starts_with('#') && !line.starts_with("name") && !line.starts_with("has");
        for text in selectors.captures_iter(line).filter(|_| is_selector) {
            let bare = values.replace_all(&text[1], "");
            for name in names.captures_iter(&bare) {
                let name = name.get(1).or(name.get(2)).expect("one of them matched");
                found.insert(name.as_str().to_owned());
            }
        }
    }
    found
}

struct Writer<'a> {
    changes: &'a Changes,
    out: String,
    divs: usize,
    met: usize,
}

impl Writer<'_> {
    fn node(&mut self, node: NodeRef<'_, Node>) {
        match node.value() {
            Node::Doctype(_) => self.out.push_str("<!doctype html>"),
            Node::Text(text) => self.text(node, text),
            Node::Element(element) => {
                let name = element.name();
                let wraps = name == "div" && self.is_wrapped();
                if wraps {
                    self.out.push_str("<div class=\"zzw\">");
                }
                self.out.push('<');
                self.out.push_str(name);
                let mut attributes: Vec<(&str, &str)> = element.attrs().collect();
                if self.changes.reversed_attributes {
                    attributes.reverse();
                }
                if self.changes.additions {
                    attributes.push(("data-zz", "1"));
                    if element.attr("class").is_none() {
                        attributes.push(("class", "zzz"));
                    }
                }
                for (name, value) in attributes {
                    self.attribute(name, value);
                }
                self.out.push('>');
                for child in node.children() {
                    self.node(child);
                }
                if !EMPTY.contains(&name) {
                    self.all(&["</", name, ">"]);
                }
                if wraps {
                    self.out.push_str("</div>");
                }
            }
            _ => {
                for child in node.children() {
                    self.node(child);
                }
            }
        }
    }

    fn all(&mut self, parts: &[&str]) {
        self.out.extend(parts.iter().copied());
    }

    fn is_wrapped(&mut self) -> bool {
        self.divs += 1;
        self.changes.wrapped > 0 && self.divs.is_multiple_of(self.changes.wrapped)
    }

    fn text(&mut self, node: NodeRef<'_, Node>, text: &str) {
        let raw = node
            .parent()
            .and_then(|parent| parent.value().as_element().map(|element| RAW.contains(&element.name())));
        if raw == Some(true) {
            self.out.push_str(text);
            return;
        }
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        if self.changes.more_blanks {
            self.out.push_str(&escaped.replace(' ', "   \n"));
        } else {
            self.out.push_str(&escaped);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let name = self.renamed(name);
        let value = match &*name {
            "class" => {
                let words: Vec<String> = value.split_ascii_whitespace().map(|word| self.class(word)).collect();
                let mut value = words.join(if self.changes.more_blanks { "  \n" } else { " " });
                if self.changes.additions {
                    value.push_str(" zzz");
                }
                value
            }
            "id" => self.renamed(value),
            _ => value.to_owned(),
        };
        let value = value.replace('&', "&amp;").replace('"', "&quot;");
        self.all(&[" ", &name, "=\"", &value, "\""]);
    }

    fn class(&mut self, word: &str) -> String {
        let unknown = self
            .changes
            .kept_classes
            .as_ref()
            .is_some_and(|kept| !kept.contains(word));
        if unknown {
            format!("zz-{word}")
        } else {
            self.renamed(word)
        }
    }

    fn renamed(&mut self, name: &str) -> String {
        if !self.changes.renamed.contains(name) {
            return name.to_owned();
        }
        self.met += 1;
        if self.met > self.changes.renamed_after {
            format!("zz-{name}")
        } else {
            name.to_owned()
        }
    }
}

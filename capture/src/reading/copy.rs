//! The viewing copy: the page as it looked, with nothing left that acts, asks or leads away.

use ego_tree::NodeId;
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName, ns};
use scraper::node::Element;
use scraper::{Html, Node};
use url::Url;
use vocabulary::Engine;

use super::ReadPage;
use super::document::Document;
use super::finder::Found;
use super::page::read_document;

/// Elements that run, load, embed or hide something from a browser without scripts.
const REMOVED: [&str; 32] = [
    "animate",
    "animatemotion",
    "animatetransform",
    "applet",
    "audio",
    "base",
    "bgsound",
    "discard",
    "embed",
    "fencedframe",
    "frame",
    "frameset",
    "handler",
    "iframe",
    "listing",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "param",
    "plaintext",
    "portal",
    "script",
    "set",
    "source",
    "template",
    "track",
    "use",
    "video",
    "webview",
    "xmp",
];
/// Attributes that load, send, store or move something.
const STRIPPED: [&str; 20] = [
    "action",
    "archive",
    "attributionsrc",
    "autofocus",
    "classid",
    "code",
    "codebase",
    "data",
    "formaction",
    "http-equiv",
    "integrity",
    "loading",
    "manifest",
    "nonce",
    "ping",
    "poster",
    "profile",
    "srcdoc",
    "target",
    "usemap",
];
/// Schemes an address in the copy may have; without one it is relative to the base.
const SCHEMES: [&str; 3] = ["http:", "https:", "data:image/"];

/// Reads a page and makes its viewing copy from the same tree.
///
/// `base` is the final address of the page. In the copy each ad carries `id="ad-N"`, N being its real position, so that `#ad-N` scrolls to it.
/// Scripts, handlers, forms, frames, objects, refreshes and prefetches are gone, and links keep their address as `data-href` only. Styles and
/// the addresses of pictures stay: whoever stores the copy puts their content in place.
pub fn read_and_copy(page: &str, engine: Engine, base: &Url) -> (ReadPage, String) {
    let mut document = Document::parse(page);
    let (read, finds) = read_document(&document, page, engine);
    disarm(&mut document.html);
    mark(&mut document.html, &finds.ads);
    head_up(&mut document.html, base);
    (read, document.html.html())
}

/// The viewing copy of a page; see [`read_and_copy`].
pub fn viewing_copy(page: &str, engine: Engine, base: &Url) -> String {
    read_and_copy(page, engine, base).1
}

fn disarm(html: &mut Html) {
    let nodes: Vec<NodeId> = html.tree.root().descendants().map(|node| node.id()).collect();
    for id in nodes {
        let Some(mut node) = html.tree.get_mut(id) else {
            continue;
        };
        match node.value() {
            Node::Element(element) if is_removed(element) => node.detach(),
            Node::Element(element) => disarm_element(element),
            Node::Comment(_) | Node::ProcessingInstruction(_) => node.detach(),
            _ => {}
        }
    }
}

fn is_removed(element: &Element) -> bool {
    let name = element.name().to_ascii_lowercase();
    match name.as_str() {
        "meta" => element.attr("http-equiv").is_some() || element.attr("charset").is_some(),
        "link" => !element
            .attr("rel")
            .is_some_and(|rel| rel.trim().eq_ignore_ascii_case("stylesheet")),
        "style" => element.name.ns != ns!(html),
        name => REMOVED.contains(&name),
    }
}

fn disarm_element(element: &mut Element) {
    if element.name() == "form" {
        element.name = QualName::new(None, ns!(html), LocalName::from("div"));
    }
    let leads = matches!(element.name(), "a" | "area");
    let link = leads.then(|| element.attr("href").map(StrTendril::from)).flatten();
    element
        .attrs
        .retain(|(name, value)| keeps(element.name.local.as_ref(), &name.local, value));
    if let Some(address) = link.filter(|address| is_safe(address)) {
        set(element, "data-href", &address);
    }
}

fn keeps(element: &str, attribute: &str, value: &str) -> bool {
    let attribute = attribute.to_ascii_lowercase();
    match attribute.as_str() {
        // A link of a style sheet is the only one that stays.
        "href" | "xlink:href" => element == "link" && is_safe(value),
        "src" | "background" | "srcset" => is_safe(value),
        // An ad of the page itself must not be found under our mark.
        "id" => !value.starts_with("ad-"),
        name => !name.starts_with("on") && !STRIPPED.contains(&name),
    }
}

fn is_safe(address: &str) -> bool {
    let plain: String = address
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect();
    let plain = plain.to_ascii_lowercase();
    let scheme = plain.find(':').filter(|end| {
        plain[..*end]
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    scheme.is_none() || SCHEMES.iter().any(|known| plain.starts_with(known))
}

fn mark(html: &mut Html, ads: &[Found]) {
    for found in ads {
        if let Some(mut node) = html.tree.get_mut(found.node)
            && let Node::Element(element) = node.value()
        {
            set(element, "id", &format!("ad-{}", found.ad.real_position));
        }
    }
}

/// Puts the encoding and the base first into the head.
fn head_up(html: &mut Html, base: &Url) {
    let head = html.tree.root().descendants().find(|node| {
        node.value()
            .as_element()
            .is_some_and(|element| element.name() == "head")
    });
    let Some(head) = head.map(|node| node.id()) else { return };
    let first = [("base", "href", base.as_str()), ("meta", "charset", "utf-8")];
    for (tag, attribute, value) in first {
        let mut element = Element::new(QualName::new(None, ns!(html), LocalName::from(tag)), Vec::new());
        set(&mut element, attribute, value);
        if let Some(mut head) = html.tree.get_mut(head) {
            head.prepend(Node::Element(element));
        }
    }
}

/// Sets an attribute, keeping the order in which the tree looks attributes up.
fn set(element: &mut Element, name: &str, value: &str) {
    let name = QualName::new(None, Namespace::default(), LocalName::from(name));
    let value = scraper::StrTendril::from(value);
    match element.attrs.binary_search_by(|(known, _)| known.cmp(&name)) {
        Ok(at) => element.attrs[at].1 = value,
        Err(at) => element.attrs.insert(at, (name, value)),
    }
}

//! The viewing copy: the page as it looked, without anything that acts, loads or leads away.

mod files;
mod style;

use std::collections::BTreeMap;

use ego_tree::NodeId;
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName, ns};
use scraper::node::Element;
use scraper::{Html, Node};
use url::Url;
use vocabulary::Engine;

use super::ReadPage;
use super::document::Document;
use super::finder::FoundAd;
use super::page::read_document;
use files::{Files, holds_its_content};

pub use files::{CopiedFile, INLINED_BYTES, INLINED_FILE_BYTES, PageFile};

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
const STRIPPED: [&str; 23] = [
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
    "imagesrcset",
    "integrity",
    "loading",
    "longdesc",
    "lowsrc",
    "manifest",
    "nonce",
    "ping",
    "poster",
    "profile",
    "srcdoc",
    "target",
    "usemap",
];

/// Where a style sheet of the copy came from, so that another copy can reuse it. Pictures and fonts name it in their address.
const FROM: &str = "data-from";

/// Reads a page and makes its viewing copy from the same tree.
///
/// `base` is the final address of the page. In the copy each ad has `id="ad-N"`, N being its mark, so that `#ad-N` scrolls to it. Scripts,
/// handlers, forms, frames, objects, refreshes and prefetches are removed, and links keep their address as `data-href` only. Pictures,
/// fonts and style sheets are inlined where `files` has them (up to [`INLINED_FILE_BYTES`] each and [`INLINED_BYTES`] together); other
/// addresses are removed, so that a browser that shows the copy makes no request.
pub fn read_and_copy(page: &str, engine: Engine, base: &Url, files: &[PageFile<'_>]) -> (ReadPage, String) {
    let mut document = Document::parse(page);
    let (read, findings) = read_document(&document, page, engine);
    let files = Files::new(files);
    let own_base = base_of(&document.html, base);
    let inliner = Inliner {
        base: &own_base,
        files: &files,
    };
    inliner.disarm(&mut document.html);
    mark_ads(&mut document.html, &findings.ads);
    insert_base_and_encoding(&mut document.html, base);
    (read, document.html.html())
}

/// Extracts the pictures, fonts and style sheets from a viewing copy, for making another of the same page; one for each address (the first in the
/// copy), in the order of addresses. Does not read the original page.
pub fn files_in(view: &str) -> Vec<CopiedFile> {
    let document = Document::parse(view);
    let mut files: BTreeMap<String, CopiedFile> = BTreeMap::new();
    for node in document.html.tree.root().descendants() {
        let Some(element) = node.value().as_element() else {
            continue;
        };
        let sheet = || node.first_child()?.value().as_text().map(|css| css.to_string());
        let sheet = if element.name() == "style" { sheet() } else { None };
        let texts = element.attrs().map(|(_, value)| value).chain(sheet.as_deref());
        for file in texts.flat_map(files::files_within) {
            files.entry(file.url.clone()).or_insert(file);
        }
        if let (Some(url), Some(css)) = (element.attr(FROM), &sheet) {
            let file = CopiedFile {
                url: url.to_owned(),
                mime: "text/css".to_owned(),
                bytes: css.clone().into_bytes(),
            };
            files.entry(file.url.clone()).or_insert(file);
        }
    }
    files.into_values().collect()
}

/// The viewing copy of a page; see [`read_and_copy`].
pub fn viewing_copy(page: &str, engine: Engine, base: &Url, files: &[PageFile<'_>]) -> String {
    read_and_copy(page, engine, base, files).1
}

/// Returns the base of the page's relative addresses: that of its first `base` element with a valid `href`, else the page's address.
fn base_of(html: &Html, address: &Url) -> Url {
    let elements = html
        .tree
        .root()
        .descendants()
        .filter_map(|node| node.value().as_element());
    elements
        .filter(|element| element.name() == "base")
        .find_map(|element| address.join(element.attr("href")?).ok())
        .unwrap_or_else(|| address.clone())
}

/// Removes from a page what acts, and inlines what it loaded.
struct Inliner<'a> {
    base: &'a Url,
    files: &'a Files<'a>,
}

impl Inliner<'_> {
    /// Removes elements that act, comments and style sheets that the page did not load, replaces loaded ones by `style` elements, and disarms every
    /// remaining element.
    fn disarm(&self, html: &mut Html) {
        let nodes: Vec<NodeId> = html.tree.root().descendants().map(|node| node.id()).collect();
        for id in nodes {
            let Some(mut node) = html.tree.get_mut(id) else {
                continue;
            };
            match node.value() {
                Node::Element(element) if is_removed(element) => node.detach(),
                Node::Element(element) if element.name() == "link" => match self.style_sheet(element) {
                    Some(sheet) => {
                        element.name = QualName::new(None, ns!(html), LocalName::from("style"));
                        let from = self.base.join(element.attr("href").unwrap_or_default());
                        element.attrs.retain(|(name, _)| &*name.local == "media");
                        if let Ok(from) = from {
                            set_attribute(element, FROM, from.as_str());
                        }
                        node.append(Node::Text(scraper::node::Text { text: sheet.into() }));
                    }
                    None => node.detach(),
                },
                Node::Element(element) => {
                    let is_style = element.name() == "style";
                    self.disarm_element(element);
                    if is_style {
                        self.disarm_style(&mut node);
                    }
                }
                Node::Comment(_) | Node::ProcessingInstruction(_) => node.detach(),
                _ => {}
            }
        }
    }

    /// Returns the text of the style sheet that a link loads, itself without requests; `None` when the page did not load it.
    fn style_sheet(&self, link: &Element) -> Option<String> {
        let url = self.base.join(link.attr("href")?).ok()?;
        let sheet = self.files.style_sheet(&url)?;
        Some(style::without_requests(sheet, &url, self.files))
    }

    /// Rewrites the text of a `style` element so that it makes no request and cannot end the element.
    fn disarm_style(&self, node: &mut ego_tree::NodeMut<'_, Node>) {
        let Some(mut text) = node.first_child() else { return };
        if let Node::Text(css) = text.value()
            && (style::may_request(css) || css.contains('<'))
        {
            css.text = style::without_requests(css, self.base, self.files).into();
        }
    }

    /// Makes a form a `div`, removes attributes that act or load and ids like those of ad marks, inlines known pictures, rewrites addresses within
    /// styles, and keeps the address of a link as `data-href` only.
    fn disarm_element(&self, element: &mut Element) {
        if element.name() == "form" {
            element.name = QualName::new(None, ns!(html), LocalName::from("div"));
        }
        let leads = matches!(element.name(), "a" | "area");
        let link = leads.then(|| element.attr("href").map(StrTendril::from)).flatten();
        let picture = self.picture(element);
        let background = element.attr("background").and_then(|address| self.inlined(address));
        // No element of the page itself may have the id of an ad's mark.
        element.attrs.retain(|(name, value)| {
            keeps_attribute(&name.local) && !(&*name.local == "id" && value.starts_with("ad-"))
        });
        for (name, value) in &mut element.attrs {
            let is_data = name.local.starts_with("data-");
            if !is_data
                && (&*name.local == "style" || value.contains("url") || value.contains('\\'))
                && style::may_request(value)
            {
                *value = style::without_requests(value, self.base, self.files).into();
            }
        }
        if let Some(address) = link.filter(|address| is_web_address(address)) {
            set_attribute(element, "data-href", &address);
        }
        if let Some(picture) = picture {
            set_attribute(element, "src", &picture);
        }
        if let Some(background) = background {
            set_attribute(element, "background", &background);
        }
    }

    /// Returns the content of the picture that an `img` or `input` shows, from `src` or else `srcset`, as a `data:` address; `None` when the page did
    /// not load it.
    fn picture(&self, element: &Element) -> Option<String> {
        if !matches!(element.name(), "img" | "input") {
            return None;
        }
        let listed = || {
            let list = element.attr("srcset")?;
            let addresses = list.split_whitespace().map(|word| word.trim_end_matches(','));
            addresses
                .filter(|word| !word.is_empty())
                .find_map(|word| self.inlined(word))
        };
        element
            .attr("src")
            .and_then(|address| self.inlined(address))
            .or_else(listed)
    }

    /// Returns a `data:` address: the given one, or that of the file the page loaded from there; `None` when there is no such file.
    fn inlined(&self, address: &str) -> Option<String> {
        let address = address.trim();
        if holds_its_content(address) {
            return Some(address.to_owned());
        }
        self.files.data(&self.base.join(address).ok()?)
    }
}

/// Returns whether an element is removed with its content: one of [`REMOVED`], a link other than a style sheet, a refresh, a declared encoding, or a
/// style of a foreign namespace.
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

/// Returns whether an attribute is kept as it is. Those that act are dropped; addresses are set separately.
fn keeps_attribute(attribute: &str) -> bool {
    let attribute = attribute.to_ascii_lowercase();
    let addresses = ["href", "xlink:href", "src", "srcset", "background"];
    !attribute.starts_with("on") && !STRIPPED.contains(&&*attribute) && !addresses.contains(&&*attribute)
}

/// Returns whether a link is relative, http or https; ignores white space and control characters, as browsers do.
fn is_web_address(address: &str) -> bool {
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
    scheme.is_none() || plain.starts_with("http:") || plain.starts_with("https:")
}

/// Gives the element of each ad the id `ad-N`, N being its mark.
fn mark_ads(html: &mut Html, ads: &[FoundAd]) {
    for found in ads {
        if let Some(mut node) = html.tree.get_mut(found.node)
            && let Node::Element(element) = node.value()
        {
            set_attribute(element, "id", &format!("ad-{}", found.ad.mark));
        }
    }
}

/// Inserts a `meta` with UTF-8 as the encoding, then the `base`, at the start of the first head; does nothing without a head.
fn insert_base_and_encoding(html: &mut Html, base: &Url) {
    let head = html.tree.root().descendants().find(|node| {
        node.value()
            .as_element()
            .is_some_and(|element| element.name() == "head")
    });
    let Some(head) = head.map(|node| node.id()) else { return };
    let first = [("base", "href", base.as_str()), ("meta", "charset", "utf-8")];
    for (tag, attribute, value) in first {
        let mut element = Element::new(QualName::new(None, ns!(html), LocalName::from(tag)), Vec::new());
        set_attribute(&mut element, attribute, value);
        if let Some(mut head) = html.tree.get_mut(head) {
            head.prepend(Node::Element(element));
        }
    }
}

/// Sets an attribute, replacing its value, and keeps the order in which the tree looks attributes up.
fn set_attribute(element: &mut Element, name: &str, value: &str) {
    let name = QualName::new(None, Namespace::default(), LocalName::from(name));
    let value = scraper::StrTendril::from(value);
    match element.attrs.binary_search_by(|(known, _)| known.cmp(&name)) {
        Ok(at) => element.attrs[at].1 = value,
        Err(at) => element.attrs.insert(at, (name, value)),
    }
}

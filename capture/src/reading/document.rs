//! Parses a page within bounds, whatever it holds.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use ego_tree::NodeId;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, ParseOpts, QualName};
use memchr::memmem;
use scraper::{Html, HtmlTreeSink};

/// Bytes of a page that are read; the largest real result pages are near 2 MB.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Elements kept of a page; real pages have up to 30,000.
const MAX_ELEMENTS: usize = 200_000;
/// Nesting of elements; real pages stay below 100.
const MAX_DEPTH: usize = 512;
/// Possible attributes within one tag: the parser compares each with all before it, which is quadratic.
const MAX_TAG_SEPARATORS: usize = 50_000;
/// Bytes parsed between two checks of the bounds.
const STEP: usize = 4096;

/// A parsed page, within the bounds.
pub(super) struct Document {
    /// The tree, without scripts' text and comments.
    pub html: Html,
    /// Whether the page exceeded a bound, so that its rest was not read.
    pub cut: bool,
}

impl Document {
    /// Parses a page in linear time. Never fails: a page over a bound (bytes, elements, or separators in one tag) is read up to there, and `cut` is
    /// set.
    pub fn parse(page: &str) -> Self {
        let options = ParseOpts {
            tree_builder: TreeBuilderOpts {
                drop_doctype: false,
                ..TreeBuilderOpts::default()
            },
            ..ParseOpts::default()
        };
        let mut parser = html5ever::parse_document(BoundedSink::new(), options);
        let whole = StrTendril::from_slice(longest_start(page, MAX_BYTES));
        let mut cut = whole.len() < page.len();
        let mut start = 0;
        let mut quiet = QuietStretch::default();
        while start < whole.len() {
            let step = longest_start(&whole[start..], STEP).len();
            #[expect(clippy::cast_possible_truncation, reason = "MAX_BYTES fits 32 bits")]
            parser.process(whole.subtendril(start as u32, step as u32));
            let sink = &parser.tokenizer.sink.sink;
            if sink.full.get() || quiet.count_and_check(sink.events.get(), &whole.as_bytes()[start..start + step]) {
                cut = true;
                break;
            }
            start += step;
        }
        Self {
            html: parser.finish(),
            cut,
        }
    }
}

/// Returns whether a page breaks off: it has an `html` tag near its start but no end tag of `html` or `body`, which engines always write, or no
/// footer by `has_a_foot`, which is called only when both tags are there.
pub(super) fn ends_early(page: &str, has_a_foot: impl FnOnce() -> bool) -> bool {
    let bytes = page.as_bytes();
    let begins =
        memmem::find_iter(&bytes[..bytes.len().min(STEP)], b"<").any(|at| begins_with_name(&bytes[at + 1..], b"html"));
    let ends = || {
        let mut closing = memmem::rfind_iter(bytes, b"</");
        closing.any(|at| begins_with_name(&bytes[at + 2..], b"html") || begins_with_name(&bytes[at + 2..], b"body"))
    };
    begins && (!ends() || !has_a_foot())
}

/// Returns whether a tag's text begins with this name, in any case.
fn begins_with_name(tag: &[u8], name: &[u8]) -> bool {
    tag.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// Returns the longest start of `text` of at most `limit` bytes that ends between characters.
fn longest_start(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// Counts possible attributes while the parser stays within one tag.
#[derive(Default)]
struct QuietStretch {
    events: usize,
    separators: usize,
}

impl QuietStretch {
    /// Adds the separators (white space, slashes, quotes) of the bytes just parsed, starting from zero when `events_so_far` has changed since the
    /// last call; returns whether their sum exceeds [`MAX_TAG_SEPARATORS`].
    fn count_and_check(&mut self, events_so_far: usize, parsed: &[u8]) -> bool {
        if events_so_far != self.events {
            self.events = events_so_far;
            self.separators = 0;
        }
        self.separators += parsed
            .iter()
            .filter(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\''))
            .count();
        self.separators > MAX_TAG_SEPARATORS
    }
}

/// `scraper`'s sink with bounds. It drops scripts and comments, which are useless to a reader and dangerous in a copy.
struct BoundedSink {
    inner: HtmlTreeSink,
    elements: Cell<usize>,
    events: Cell<usize>,
    full: Cell<bool>,
}

impl BoundedSink {
    /// Creates a sink for a new, empty document.
    fn new() -> Self {
        Self {
            inner: HtmlTreeSink::new(Html::new_document()),
            elements: Cell::new(0),
            events: Cell::new(0),
            full: Cell::new(false),
        }
    }

    fn event(&self) {
        self.events.set(self.events.get() + 1);
    }

    /// Returns whether a node is a `script` element.
    fn is_script(&self, id: NodeId) -> bool {
        let html = self.inner.0.borrow();
        html.tree
            .get(id)
            .and_then(|node| node.value().as_element().map(|element| element.name() == "script"))
            .unwrap_or(false)
    }

    /// Marks the document as full when the parent of a new node lies deeper than [`MAX_DEPTH`]; the node may be appended all the same.
    fn note_depth(&self, parent: NodeId) {
        let html = self.inner.0.borrow();
        let depth = html.tree.get(parent).map_or(0, |node| node.ancestors().count());
        if depth > MAX_DEPTH {
            self.full.set(true);
        }
    }
}

impl TreeSink for BoundedSink {
    type Handle = NodeId;
    type Output = Html;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Html {
        self.inner.finish()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.inner.set_quirks_mode(mode);
    }

    fn get_document(&self) -> NodeId {
        self.inner.get_document()
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.inner.elem_name(target)
    }

    /// Creates an element; beyond [`MAX_ELEMENTS`] it also marks the document as full.
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.event();
        self.elements.set(self.elements.get() + 1);
        if self.elements.get() > MAX_ELEMENTS {
            self.full.set(true);
        }
        self.inner.create_element(name, attrs, flags)
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.event();
        self.inner.create_comment(StrTendril::new())
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.event();
        self.inner.create_pi(target, data)
    }

    /// Appends a node, or a text unless it is a script's; a node below [`MAX_DEPTH`] also marks the document as full.
    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.event();
        match child {
            NodeOrText::AppendText(_) if self.is_script(*parent) => {}
            NodeOrText::AppendNode(_) => {
                self.note_depth(*parent);
                self.inner.append(parent, child);
            }
            NodeOrText::AppendText(_) => self.inner.append(parent, child),
        }
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        self.event();
        self.inner.append_before_sibling(sibling, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        self.event();
        self.inner.append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.inner.append_doctype_to_document(name, public_id, system_id);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attrs: Vec<Attribute>) {
        self.inner.add_attrs_if_missing(target, attrs);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.inner.get_template_contents(target)
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.inner.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.inner.reparent_children(node, new_parent);
    }

    fn mark_script_already_started(&self, node: &NodeId) {
        self.inner.mark_script_already_started(node);
    }
}
